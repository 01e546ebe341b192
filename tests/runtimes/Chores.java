// SPDX-License-Identifier: BSD-2-Clause
// Gives the JVM's own threads something to do, for as long as there is no file END: garbage for the
// collector's, methods that become hot for the compilers', and stops for the VM thread's that are no
// collections. When these threads do what is in the JVM's own log: see hotspot_chores.py.
//
//     java Chores END
import java.io.*;
import java.lang.reflect.Constructor;
import java.nio.file.*;
import java.util.*;

public class Chores {
	static final int KEPT = 200;
	static volatile Object sink;
	static byte[] hot;

	static void allocate() {
		Object[] kept = new Object[KEPT];
		Random random = new Random(1);
		while (true) {
			Object[] list = null;
			for (int i = 0; i < 100; i++)
				list = new Object[] { list, new byte[random.nextInt(500)] };
			kept[random.nextInt(KEPT)] = list;
		}
	}

	static class Loader extends ClassLoader {
		Runnable load() throws Exception {
			Constructor<?> constructor = defineClass("Hot", hot, 0, hot.length)
				.getDeclaredConstructor();
			constructor.setAccessible(true);
			return (Runnable)constructor.newInstance();
		}
	}

	// The same method again, of another class each time: so it is compiled again.
	static void heat() {
		try {
			while (true)
				new Loader().load().run();
		} catch (Exception e) {
			throw new Error(e);
		}
	}

	static void stop() {
		try {
			while (true) {
				Thread.sleep(2);
				sink = Thread.getAllStackTraces();
			}
		} catch (InterruptedException e) {
			throw new Error(e);
		}
	}

	static void start(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		try (InputStream in = Chores.class.getResourceAsStream("/Hot.class")) {
			hot = in.readAllBytes();
		}
		for (int i = 0; i < 3; i++)
			start("allocates " + i, Chores::allocate);
		start("heats", Chores::heat);
		start("stops", Chores::stop);
		System.out.println("ready");
		while (!Files.exists(Path.of(args[0]))) {
			Thread.sleep(500);
			System.gc();
		}
	}
}

class Hot implements Runnable {
	long result;

	static long mix(TreeMap<String, List<Integer>> map, long seed) {
		for (int i = 0; i < 20; i++) {
			String key = String.format("%x", (seed >> i) & 15);
			map.computeIfAbsent(key, k -> new ArrayList<>()).add(i);
			seed = seed * 6364136223846793005L + map.size();
		}
		for (Map.Entry<String, List<Integer>> entry : map.entrySet()) {
			Collections.sort(entry.getValue(), Comparator.reverseOrder());
			for (int value : entry.getValue())
				seed ^= (long)value << (entry.getKey().hashCode() & 31);
		}
		return seed;
	}

	public void run() {
		long seed = 1;
		for (int i = 0; i < 3000; i++)
			seed += mix(new TreeMap<>(), seed);
		result = seed;
	}
}
