// SPDX-License-Identifier: BSD-2-Clause
// A service with a leak, beside sites that allocate far more and keep nothing for long: `Leaky`. It
// works until it is stopped; all sizes are of small objects, so that nothing tells them apart but
// how long they live.
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Leaky {
	static final Map<Long, byte[]> forgotten = new HashMap<>();
	static final Map<Long, byte[]> recent = new LinkedHashMap<>() {
		@Override
		protected boolean removeEldestEntry(Map.Entry<Long, byte[]> eldest) {
			return size() > 20000;
		}
	};
	static volatile Object sink;

	/* The leak: 512 bytes of each request stay for good. */
	static void remember(long request) {
		forgotten.put(request, new byte[512]);
	}

	/* Hot, and dead before the next collection. */
	static int parse(int length) {
		List<String> words = new ArrayList<>();

		for (int i = 0; i < length; i++)
			words.add(new String(new char[64]));
		sink = words;
		return words.size();
	}

	/* Lives for some collections, then is replaced. */
	static void cache(long request) {
		recent.put(request, new byte[400]);
	}

	public static void main(String[] words) throws Exception {
		System.out.println("ready");
		for (long request = 0;; request++) {
			parse(64);
			if (request % 4 == 0)
				cache(request);
			if (request % 8 == 0)
				remember(request);
			if (request % 10 == 0) /* at most 10,000 a second, on any machine */
				Thread.sleep(1);
			if (request > 4_000_000) /* 256 MB: enough for any test */
				Thread.sleep(1000);
		}
	}
}
