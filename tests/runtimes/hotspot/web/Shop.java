// SPDX-License-Identifier: BSD-2-Clause
// A web application that has a leak: it remembers every visit for ever.
package shop;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class Visit {
	final String page;
	final long when = System.currentTimeMillis();
	final byte[] cookie = new byte[100];

	Visit(String page) {
		this.page = page;
	}
}

class Visits {
	private static final Map<UUID, Visit> byId = new HashMap<>();

	static synchronized void remember(String page) {
		byId.put(UUID.randomUUID(), new Visit(page));
	}
}

@WebServlet("/")
public class Shop extends HttpServlet {
	private static String article(int i) {
		return "{\"number\":" + i + ",\"name\":\"article " + i + "\"}";
	}

	@Override
	protected void doGet(HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		Visits.remember(request.getRequestURI());
		response.setContentType("application/json");
		response.getWriter().print(IntStream.range(0, 20).mapToObj(Shop::article)
			.collect(Collectors.joining(",", "[", "]")));
	}
}
