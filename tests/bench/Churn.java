// SPDX-License-Identifier: BSD-2-Clause
/** Allocates for a given number of seconds, keeps some of it, and says how many rounds it did. */
public final class Churn {
	private static final byte[][] kept = new byte[20_000][];

	public static void main(String[] arguments) throws Exception {
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
		long rounds = 0;

		System.out.println("ready");
		while (System.nanoTime() < end) {
			for (int i = 0; i < 1000; i++)
				kept[(int) ((rounds + i * 17L) % kept.length)] = new byte[512 + i % 512];
			rounds++;
		}
		System.out.println("rounds " + rounds);
	}
}
