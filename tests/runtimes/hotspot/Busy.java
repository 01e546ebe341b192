// SPDX-License-Identifier: BSD-2-Clause
// Threads that allocate, and keep some of it, while classes come and go: `Busy GO LOADED`. It
// checks that its objects are what they were, and says how many rounds it has done: "alive N".
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.atomic.AtomicLong;

public class Busy {
	static final AtomicLong rounds = new AtomicLong();
	static volatile boolean ends;
	static final Object[] keep = new Object[512];

	static class Node {
		final Node next;
		final int number;

		Node(Node next, int number) {
			this.next = next;
			this.number = number;
		}
	}

	static Node list(int length) {
		Node head = null;

		for (int i = 0; i < length; i++)
			head = new Node(head, i);
		return head;
	}

	static void check(Node head) {
		for (int i = 200; i-- > 0; head = head.next)
			if (head.number != i)
				throw new AssertionError(head.number + " is not " + i);
	}

	static void work(int thread) {
		for (int i = 0; !ends; i++) {
			synchronized (keep) {
				int at = (thread * 31 + i) % keep.length;

				if (keep[at] != null)
					check((Node) keep[at]);
				keep[at] = list(200);
			}
			rounds.incrementAndGet();
		}
	}

	/* Classes that are loaded and unloaded all the time. */
	static void load(URL from) throws Exception {
		for (int i = 0; !ends; i++) {
			try (URLClassLoader loader = new URLClassLoader(new URL[] { from }, null)) {
				loader.loadClass("Loaded").getDeclaredConstructor().newInstance();
			}
			if (i % 100 == 0)
				System.gc();
		}
	}

	public static void main(String[] arguments) throws Exception {
		int threads = Integer.getInteger("threads", 4);
		URL from = new File(arguments[1]).toURI().toURL();

		for (int i = 0; i < threads; i++) {
			int number = i;
			new Thread(() -> work(number)).start();
		}
		new Thread(() -> {
			try {
				load(from);
			} catch (Throwable e) {
				e.printStackTrace();
				System.exit(1);
			}
		}).start();
		System.out.println("ready");
		while (!new File(arguments[0]).exists()) {
			Thread.sleep(100);
			System.out.println("alive " + rounds.get());
		}
		ends = true;
	}
}
