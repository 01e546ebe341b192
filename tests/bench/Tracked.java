// SPDX-License-Identifier: BSD-2-Clause
/**
 * A heap of small objects, and a load beside it: reads lines, and answers each by one.
 *
 *   fill N       keeps N more objects; says "filled"
 *   churn MS     allocates for so long, reads what it has allocated, as programs do, and keeps some
 *                of it for a while; says how often
 */
public final class Tracked {
	static final class Node {
		final Node next;
		long number;

		Node(Node next) { this.next = next; }
	}

	private static Node head;
	private static final byte[][] kept = new byte[20_000][];
	private static int sum;

	private static byte[] read(byte[] bytes) {
		for (byte b : bytes)
			sum = 31 * sum + b;
		return bytes;
	}

	private static long churn(long milliseconds) {
		long end = System.nanoTime() + milliseconds * 1_000_000L, rounds = 0;

		for (; System.nanoTime() < end; rounds++) {
			for (int i = 0; i < 1000; i++)
				kept[(int)((rounds + i * 17L) % kept.length)] =
					read(new byte[512 + i % 512]);
		}
		return rounds;
	}

	public static void main(String[] arguments) throws Exception {
		var in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
		String line;

		System.out.println("ready");
		while ((line = in.readLine()) != null) {
			String[] words = line.split(" ");
			long number = Long.parseLong(words[1]);

			if (words[0].equals("fill")) {
				for (long i = 0; i < number; i++)
					head = new Node(head);
				System.gc();
				System.out.println("filled");
			} else {
				System.out.println(churn(number));
			}
		}
	}
}
