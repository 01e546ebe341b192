// SPDX-License-Identifier: BSD-2-Clause
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A heap that stays as it is: `Population KIND COUNT SECONDS`. It says "ready", and for each line
 * that it is sent allocates for so many seconds, and says how often and for how many ns.
 *
 *   linked     a list of COUNT nodes, in the order of their addresses
 *   scattered  the same in no order
 *   mixed      about COUNT objects as programs have them: customers by name, orders, lines, texts
 */
public final class Population {
	static final class Node {
		Node next;
		Object payload;
		int number;
		long weight;
	}

	static final class Customer {
		final String name;
		final List<Order> orders = new ArrayList<>();

		Customer(String name) { this.name = name; }
	}

	static final class Order {
		Customer by;
		Line[] lines;
		double sum;
	}

	static final class Line {
		String article;
		int count;
		Order of;
	}

	private static Node head;
	private static final Map<String, Customer> customers = new HashMap<>();
	private static final byte[][] kept = new byte[20_000][];

	private static void shuffle(Node[] nodes) {
		Random random = new Random(1);

		for (int i = nodes.length - 1; i > 0; i--) {
			int j = random.nextInt(i + 1);
			Node other = nodes[i];

			nodes[i] = nodes[j];
			nodes[j] = other;
		}
	}

	private static void link(int count, boolean scattered) {
		Node[] nodes = new Node[count];

		for (int i = 0; i < count; i++)
			nodes[i] = new Node();
		if (scattered)
			shuffle(nodes);
		for (int i = 1; i < count; i++)
			nodes[i - 1].next = nodes[i];
		head = nodes[0];
	}

	private static Order order(Customer by, int count) {
		Order order = new Order();

		order.by = by;
		order.lines = new Line[count];
		for (int i = 0; i < count; i++) {
			Line line = order.lines[i] = new Line();

			line.article = "article " + i;
			line.of = order;
		}
		return order;
	}

	/** Some forty objects a customer. */
	private static void mix(int count) {
		for (int i = 0; i < count / 40; i++) {
			Customer customer = new Customer("customer " + i);

			for (int j = 0; j < 2 + i % 5; j++)
				customer.orders.add(order(customer, 1 + (i + j) % 4));
			customers.put(customer.name, customer);
		}
	}

	private static long allocate(double seconds) {
		long end = System.nanoTime() + (long) (seconds * 1e9), rounds = 0;

		for (; System.nanoTime() < end; rounds++) {
			for (int i = 0; i < 1000; i++)
				kept[(int) ((rounds + i * 17L) % kept.length)] = new byte[512 + i % 512];
		}
		return rounds * 1000;
	}

	public static void main(String[] arguments) throws Exception {
		int count = Integer.parseInt(arguments[1]);

		if (arguments[0].equals("mixed"))
			mix(count);
		else
			link(count, arguments[0].equals("scattered"));
		System.gc();
		System.out.println("ready");
		while (System.in.read() >= 0) {
			long began = System.nanoTime();
			long allocations = allocate(Double.parseDouble(arguments[2]));

			System.out.println(allocations + " " + (System.nanoTime() - began));
		}
	}
}
