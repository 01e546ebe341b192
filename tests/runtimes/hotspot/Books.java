// SPDX-License-Identifier: BSD-2-Clause
// A program that keeps its own books of what it allocates: `Books GO LOADED`. When GO is there it
// begins; in the end it writes GO.truth, says "booked", and waits, doing nothing, until GO is gone.
//
// Each object of the books bears a word by which it is known in memory, its serial number, its
// kind, and the number of collections before it, by the JVM's own count (-1: there was one just
// then). It is a Tome0 ... Tome7, or, large, an array of long that begins in the same way.
// Lifetimes differ by kind: Tome0 goes at once, the others are replaced ever more seldom.
//
// GO.truth: `clock N`, `kind K ALLOCATED ALIVE` (objects), and `alive SERIAL` of each.
//
// -Dthreads=N -Dobjects=N (of each thread) -Darrays=N (one object in N) -Dgarbage=BYTES (behind
// each object) -Dcollect=N (System.gc() each N objects) -Dcritical=N (threads that hold the
// collector off, by native code in arrays) -Dclasses=N (threads that load and drop classes)
import java.io.File;
import java.io.PrintWriter;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.Deflater;

public class Books {
	static final long WORD = 0x5ca1ab1e0ddba11L;
	static final int KINDS = 8, SLOTS = 512;
	static final List<GarbageCollectorMXBean> clocks = new ArrayList<>();
	static final AtomicLong serials = new AtomicLong();
	static final AtomicLongArray allocated = new AtomicLongArray(KINDS);
	static volatile boolean ends;
	static volatile Object sink;

	static class Tome {
		final long word = WORD, serial, kind;
		long born;

		Tome(long kind) {
			this.serial = serials.incrementAndGet();
			this.kind = kind;
		}
	}
	static class Tome0 extends Tome { Tome0() { super(0); } }
	static class Tome1 extends Tome { long a; Tome1() { super(1); } }
	static class Tome2 extends Tome { long a, b; Tome2() { super(2); } }
	static class Tome3 extends Tome { long a, b, c; Tome3() { super(3); } }
	static class Tome4 extends Tome { long a, b, c, d; Tome4() { super(4); } }
	static class Tome5 extends Tome { long a, b, c, d, e; Tome5() { super(5); } }
	static class Tome6 extends Tome { long a, b, c, d, e, f; Tome6() { super(6); } }
	static class Tome7 extends Tome { long a, b, c, d, e, f, g; Tome7() { super(7); } }

	// What is no pause of a cycle, but a collection.
	static long clock() {
		long sum = 0;

		for (GarbageCollectorMXBean clock : clocks)
			sum += clock.getCollectionCount();
		return sum;
	}

	static Tome make(int kind) {
		switch (kind) {
		case 0: return new Tome0();
		case 1: return new Tome1();
		case 2: return new Tome2();
		case 3: return new Tome3();
		case 4: return new Tome4();
		case 5: return new Tome5();
		case 6: return new Tome6();
		default: return new Tome7();
		}
	}

	static long[] makeArray(int kind, int length) {
		long[] array = new long[length];

		array[0] = WORD;
		array[1] = serials.incrementAndGet();
		array[2] = kind;
		return array;
	}

	static Object book(int kind, int length) {
		long before = clock();
		Object object = length > 0 ? makeArray(kind, length) : make(kind);
		long born = before == clock() ? before : -1;

		if (object instanceof Tome)
			((Tome)object).born = born;
		else
			((long[])object)[3] = born;
		if (length == 0)
			allocated.incrementAndGet(kind);
		return object;
	}

	static void work(Object[][] shelf, long seed) {
		int objects = Integer.getInteger("objects", 20000);
		int arrays = Integer.getInteger("arrays", 200);
		int garbage = Integer.getInteger("garbage", 8192);
		int collect = Integer.getInteger("collect", 0);
		Random random = new Random(seed);

		for (int i = 1; i <= objects; i++) {
			int kind = random.nextInt(KINDS);
			boolean large = arrays > 0 && random.nextInt(arrays) == 0;
			Object object = book(kind, large ? 100 << random.nextInt(11) : 0);

			// A kind of a higher number has more places, and so lives longer.
			if (kind > 0)
				shelf[kind][random.nextInt(SLOTS >> (KINDS - 1 - kind))] = object;
			if (garbage > 0)
				sink = new byte[random.nextInt(2 * garbage)];
			if (collect > 0 && i % collect == 0)
				System.gc();
		}
	}

	static void hold() {
		Deflater deflater = new Deflater();
		byte[] from = new byte[200000], to = new byte[200000];

		new Random(1).nextBytes(from);
		while (!ends) {
			deflater.reset();
			deflater.setInput(from);
			deflater.finish();
			deflater.deflate(to);
		}
	}

	static void load(URL from) {
		try {
			while (!ends) {
				URLClassLoader loader =
					new URLClassLoader(new URL[] { from }, null);
				Class<?> loaded = loader.loadClass("Loaded");

				sink = loaded.getDeclaredConstructor().newInstance();
				loader.close();
			}
		} catch (Exception e) {
			e.printStackTrace();
			System.exit(1);
		}
	}

	static List<Thread> start(int count, Runnable what) {
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < count; i++) {
			threads.add(new Thread(what));
			threads.get(i).start();
		}
		return threads;
	}

	static void write(PrintWriter out, Object[] row, long[] alive) {
		for (Object object : row) {
			if (object instanceof Tome) {
				out.println("alive " + ((Tome)object).serial);
				alive[(int)((Tome)object).kind]++;
			} else if (object != null) {
				out.println("alive " + ((long[])object)[1]);
			}
		}
	}

	static void write(File truth, Object[][][] shelves) throws Exception {
		long[] alive = new long[KINDS];

		try (PrintWriter out = new PrintWriter(truth)) {
			for (Object[][] shelf : shelves)
				for (Object[] row : shelf)
					write(out, row, alive);
			for (int i = 0; i < KINDS; i++)
				out.println("kind " + i + " " + allocated.get(i) + " " + alive[i]);
			out.println("clock " + clock());
		}
	}

	static boolean counts(String bean) {
		return !bean.contains("Pauses") && !bean.contains("Concurrent");
	}

	static void waitFor(File file, boolean isThere, int ms) throws Exception {
		while (file.exists() != isThere)
			Thread.sleep(ms);
	}

	public static void main(String[] arguments) throws Exception {
		File go = new File(arguments[0]), truth = new File(arguments[0] + ".truth");
		URL loaded = new File(arguments[1]).toURI().toURL();
		int threads = Integer.getInteger("threads", 4);
		Object[][][] shelves = new Object[threads][KINDS][SLOTS];

		for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
			if (counts(bean.getName()))
				clocks.add(bean);
		work(new Object[KINDS][SLOTS], 0); // what it needs is loaded and compiled
		System.out.println("ready");
		waitFor(go, true, 50);
		for (int kind = 0; kind < KINDS; kind++)
			allocated.set(kind, 0);
		System.gc();

		List<Thread> others = start(Integer.getInteger("critical", 0), Books::hold);
		others.addAll(start(Integer.getInteger("classes", 0), () -> load(loaded)));
		List<Thread> workers = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Object[][] shelf = shelves[i];
			long seed = Integer.getInteger("seed", 1) * 1000 + i;

			workers.addAll(start(1, () -> work(shelf, seed)));
		}
		for (Thread worker : workers)
			worker.join();
		ends = true;
		for (Thread other : others)
			other.join();
		sink = null;
		System.gc();
		System.gc();
		write(truth, shelves);
		System.out.println("booked");
		// Each look allocates, which is told where all is sampled: so it looks seldom.
		waitFor(go, false, 3000);
	}
}
