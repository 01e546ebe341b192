// SPDX-License-Identifier: BSD-2-Clause
// Threads that know where they are. Each goes through all places again and again, for some
// milliseconds each, and keeps when it was in which: [from, to] by System.nanoTime(), which is
// CLOCK_MONOTONIC, taken inside the place's method, so that what is sampled in between is there.
//
//     java Places THREADS END FILE       until a file END is there; FILE: lines of TID PLACE FROM TO
//
// Methods of this class are not inlined, and interpreted() is not compiled: see hotspot_sample.sh.
import java.io.*;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;

public class Places implements Runnable {
	static final long STAY = 8_000_000;
	static final String[] NAMES = { "compiled", "interpreted", "native", "loading", "copying",
					"parked", "sleeping", "waiting", "reading", "monitor",
					"linking" };

	static volatile boolean over;
	static byte[] tiny, large;

	final long[] log = new long[3 * 100_000];
	int logged;
	long tid;
	volatile long sink;
	volatile boolean reads;
	final byte[] noise = new byte[1 << 16], packed = new byte[1 << 17];
	final int[] from = new int[1 << 18], to = new int[1 << 18];
	final Deflater deflater = new Deflater(9);
	final Object lock = new Object(), held = new Object();
	final Pipe pipe;
	final ByteBuffer one = ByteBuffer.allocateDirect(1);

	Places() throws IOException {
		new Random(1).nextBytes(noise);
		pipe = Pipe.open();
	}

	void log(int place, long from, long to) {
		if (logged + 3 > log.length)
			return;
		log[logged++] = place;
		log[logged++] = from;
		log[logged++] = to;
	}

	// ---- the places

	long compiled(long until, long x) {
		long start = System.nanoTime(), now;
		do {
			x = crunch(x, 100_000);
			now = System.nanoTime();
		} while (now < until);
		log(0, start, now);
		return x;
	}

	long crunch(long x, int n) {
		for (int i = 0; i < n; i++)
			x = x * 6364136223846793005L + (x >>> 33) + i;
		return x;
	}

	long interpreted(long until, long x) {
		long start = System.nanoTime(), now;
		do {
			for (int i = 0; i < 10_000; i++)
				x = x * 31 + i;
			now = System.nanoTime();
		} while (now < until);
		log(1, start, now);
		return x;
	}

	void nativeCode(long until) {
		long start = System.nanoTime(), now;
		do {
			deflater.reset();
			deflater.setInput(noise);
			deflater.finish();
			sink += deflater.deflate(packed);
			now = System.nanoTime();
		} while (now < until);
		log(2, start, now);
	}

	static class Loader extends ClassLoader {
		Class<?> define(String name, byte[] bytes) {
			return defineClass(name, bytes, 0, bytes.length);
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			return defineClass(name, tiny, 0, tiny.length);
		}
	}

	void loading(long until) throws Exception {
		long start = System.nanoTime(), now;
		do {
			sink += new Loader().loadClass("Tiny").hashCode();
			now = System.nanoTime();
		} while (now < until);
		log(3, start, now);
	}

	// What is defined is linked (verified, rewritten) when it is used first.
	void linking(long until) throws Exception {
		do {
			MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(
				new Loader().define("Places", large), MethodHandles.lookup());
			link(lookup);
		} while (System.nanoTime() < until);
	}

	void link(MethodHandles.Lookup lookup) throws Exception {
		long start = System.nanoTime();
		lookup.ensureInitialized(lookup.lookupClass());
		log(10, start, System.nanoTime());
	}

	void copying(long until) {
		long start = System.nanoTime(), now;
		do {
			System.arraycopy(from, 0, to, 1, to.length - 1);
			now = System.nanoTime();
		} while (now < until);
		log(4, start, now);
	}

	void parked() {
		long start = System.nanoTime();
		LockSupport.parkNanos(STAY);
		log(5, start, System.nanoTime());
	}

	void sleeping() throws Exception {
		long start = System.nanoTime();
		Thread.sleep(STAY / 1_000_000);
		log(6, start, System.nanoTime());
	}

	void waiting() throws Exception {
		synchronized (lock) {
			long start = System.nanoTime();
			lock.wait(STAY / 1_000_000);
			log(7, start, System.nanoTime());
		}
	}

	void reading() throws Exception {
		long start = System.nanoTime();
		one.clear();
		reads = true;
		pipe.source().read(one);
		log(8, start, System.nanoTime());
	}

	void monitor() {
		long start = System.nanoTime();
		synchronized (held) {
			log(9, start, System.nanoTime());
		}
	}

	// ---- its companion, which holds the monitor most of the time, and writes what is read

	void companion() {
		ByteBuffer byteOfMine = ByteBuffer.allocateDirect(1);
		try {
			while (true) {
				synchronized (held) {
					Thread.sleep(STAY / 1_000_000);
				}
				if (reads) {
					reads = false;
					byteOfMine.clear();
					pipe.sink().write(byteOfMine);
				}
				Thread.sleep(1);
			}
		} catch (Exception e) {
			throw new Error(e);
		}
	}

	void cycle() throws Exception {
		sink = compiled(System.nanoTime() + STAY, sink);
		sink = interpreted(System.nanoTime() + STAY, sink);
		nativeCode(System.nanoTime() + STAY);
		loading(System.nanoTime() + STAY);
		copying(System.nanoTime() + STAY);
		linking(System.nanoTime() + STAY);
		parked();
		sleeping();
		waiting();
		reading();
		monitor();
	}

	public void run() {
		try {
			tid = Long.parseLong(Files.readSymbolicLink(Path.of("/proc/thread-self"))
				.getFileName().toString());
			while (!over)
				cycle();
		} catch (Exception e) {
			throw new Error(e);
		}
	}

	// ----

	static void write(List<Places> all, String file) throws IOException {
		try (PrintWriter out = new PrintWriter(new BufferedWriter(new FileWriter(file)))) {
			for (Places p : all)
				for (int i = 0; i < p.logged; i += 3)
					out.println(p.tid + " " + NAMES[(int)p.log[i]] + " " + p.log[i + 1] +
						    " " + p.log[i + 2]);
		}
	}

	public static void main(String[] args) throws Exception {
		List<Places> all = new ArrayList<>();
		List<Thread> threads = new ArrayList<>();
		try (InputStream in = Places.class.getResourceAsStream("/Tiny.class")) {
			tiny = in.readAllBytes();
		}
		try (InputStream in = Places.class.getResourceAsStream("/Places.class")) {
			large = in.readAllBytes();
		}
		// Where no other loader finds it.
		Files.delete(Path.of(Places.class.getResource("/Tiny.class").toURI()));
		for (int i = 0; i < Integer.parseInt(args[0]); i++) {
			Places p = new Places();
			all.add(p);
			threads.add(new Thread(p, "places " + i));
			Thread companion = new Thread(p::companion, "companion " + i);
			companion.setDaemon(true);
			companion.start();
		}
		for (Thread t : threads)
			t.start();
		System.out.println("ready");
		while (!Files.exists(Path.of(args[1])))
			Thread.sleep(10);
		over = true;
		for (Thread t : threads)
			t.join();
		write(all, args[2]);
	}
}

class Tiny {
	int a, b;

	int sum() {
		return a + b;
	}
}
