// SPDX-License-Identifier: BSD-2-Clause
// Threads that are there before anybody samples: `Elders GO DIRECTORY`. When GO is there, each of 200
// allocates 2 MiB of longs, and then it says how many bytes that were in all: "allocated BYTES".
import java.io.File;

public class Elders implements Runnable {
	static final int THREADS = 200, ARRAYS = 2048, LENGTH = 126; // 1 KiB each
	static volatile Object last;
	final File go;

	Elders(File go) { this.go = go; }

	@Override
	public void run() {
		try {
			while (!go.exists())
				Thread.sleep(50);
		} catch (InterruptedException e) {
			throw new Error(e);
		}
		for (int i = 0; i < ARRAYS; i++)
			last = new long[LENGTH];
	}

	public static void main(String[] arguments) throws Exception {
		Thread[] threads = new Thread[THREADS];

		for (int i = 0; i < THREADS; i++) {
			threads[i] = new Thread(new Elders(new File(arguments[0])));
			threads[i].start();
		}
		System.out.println("ready");
		for (Thread thread : threads)
			thread.join();
		System.out.println("allocated " + (long)THREADS * ARRAYS * (16 + 8 * LENGTH));
		Thread.sleep(Long.MAX_VALUE);
	}
}
