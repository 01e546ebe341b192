// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait for good, deep in all kinds of code: recursion, streams, class initializers,
// reflection, method handles, executors, monitors, the JVM's and the program's own locks. The code
// has run often before, so that much of it is compiled, and inlined.
import java.lang.invoke.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.*;

public class Parked {
	static final List<Thread> waiting = new ArrayList<>();

	static class Initialized {
		static int x = park();
	}

	static int park() {
		LockSupport.park();
		return 1;
	}

	public static void parked() {
		LockSupport.park();
	}

	static int deep(int n, Runnable bottom) {
		if (n == 0) {
			bottom.run();
			return 1;
		}
		return deep(n - 1, bottom) + 1;
	}

	static void stream(int k) {
		IntStream.range(0, 5).mapToObj(x -> "a" + (x + k)).collect(Collectors.toList()).stream()
			.filter(s -> !s.isEmpty()).sorted().forEach(s -> {
				if (k < 0)
					LockSupport.park();
			});
	}

	static void compare() {
		new TreeMap<Integer, Integer>((x, y) -> {
			LockSupport.park();
			return 0;
		}).put(1, 1);
	}

	static void handle() {
		try {
			MethodHandles.lookup().findStatic(Parked.class, "parked",
				MethodType.methodType(void.class)).invokeExact();
		} catch (Throwable e) {
			throw new Error(e);
		}
	}

	static void reflection() {
		try {
			Parked.class.getMethod("parked").invoke(null);
		} catch (ReflectiveOperationException e) {
			throw new Error(e);
		}
	}

	static void waits(Object monitor) {
		synchronized (monitor) {
			try {
				while (true)
					monitor.wait();
			} catch (InterruptedException e) {
				throw new Error(e);
			}
		}
	}

	static void takes() {
		try {
			new LinkedBlockingQueue<Integer>().take();
		} catch (InterruptedException e) {
			throw new Error(e);
		}
	}

	// Parking may end for no reason.
	static void start(String name, Runnable work) {
		Thread thread = new Thread(() -> {
			while (true)
				work.run();
		}, name);
		thread.setDaemon(true);
		waiting.add(thread);
		thread.start();
	}

	static List<List<StackTraceElement>> stacks() {
		List<List<StackTraceElement>> stacks = new ArrayList<>();
		for (Thread thread : waiting)
			stacks.add(thread.getState() == Thread.State.RUNNABLE ? null
				: Arrays.asList(thread.getStackTrace()));
		return stacks;
	}

	// Each thread where it stays: the same in looks a while apart, however slow the machine is.
	static void awaitAll() throws InterruptedException {
		List<List<StackTraceElement>> last = null, now = stacks();
		for (int same = 0; same < 5; last = now, now = stacks()) {
			same = now.equals(last) && !now.contains(null) ? same + 1 : 0;
			Thread.sleep(100);
		}
	}

	public static void main(String[] args) throws Exception {
		Object monitor = new Object(), held = new Object();
		for (int i = 0; i < 20_000; i++) {
			deep(20, () -> { });
			stream(i);
		}
		start("deep", () -> deep(60, LockSupport::park));
		start("stream", () -> stream(-1));
		start("initializer", () -> System.out.print(Initialized.x < 0 ? "" : ""));
		start("comparator", Parked::compare);
		start("handle", Parked::handle);
		start("reflection", Parked::reflection);
		start("waits", () -> waits(monitor));
		start("takes from a queue that is empty, and has a \"long\" name", Parked::takes);
		start("w\u00e4rter \u4f60\u597d, not of Latin-1 alone", LockSupport::park);
		start("holds", () -> {
			synchronized (held) {
				while (true)
					LockSupport.park();
			}
		});
		ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
			Thread thread = new Thread(task);
			thread.setDaemon(true);
			waiting.add(thread);
			return thread;
		});
		for (int i = 0; i < 3; i++)
			pool.submit(Parked::compare);
		awaitAll();
		start("blocked", () -> {
			synchronized (held) {
				System.out.println("never");
			}
		});
		awaitAll();
		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE);
	}
}
