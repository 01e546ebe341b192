/* SPDX-License-Identifier: BSD-2-Clause */
import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * Load GO BEANS MILLISECONDS: waits for the file GO, then allocates in two threads, keeps a part
 * of it in a cache whose entries are replaced at random, now and then takes something large, and
 * asks for two collections. It goes on for that time, until there were 20 collections, and as
 * long as the file GO.hold exists. What the JVM's own beans say of each goes to BEANS, a line for
 * each:
 *
 *     manager|cause|number|pool=before,after;pool=before,after;...
 */
public class Load {
	static Object[] cache = new Object[50000];
	static volatile Object sink;
	static volatile int collections;

	static synchronized void note(PrintStream beans, GarbageCollectionNotificationInfo info) {
		GcInfo gc = info.getGcInfo();
		StringBuilder line = new StringBuilder();
		Map<String, MemoryUsage> before = gc.getMemoryUsageBeforeGc();

		line.append(info.getGcName()).append('|').append(info.getGcCause()).append('|');
		line.append(gc.getId()).append('|');
		for (Map.Entry<String, MemoryUsage> after :
				new TreeMap<>(gc.getMemoryUsageAfterGc()).entrySet()) {
			line.append(after.getKey()).append('=');
			line.append(before.get(after.getKey()).getUsed()).append(',');
			line.append(after.getValue().getUsed()).append(';');
		}
		beans.println(line);
		collections++;
	}

	static void listen(PrintStream beans) {
		for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
			((NotificationEmitter) bean).addNotificationListener((notification, handback) ->
				note(beans, GarbageCollectionNotificationInfo.from(
					(CompositeData) notification.getUserData())), null, null);
	}

	static long counted() {
		long sum = 0;

		for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
			sum += bean.getCollectionCount();
		return sum;
	}

	static void allocate(Random random) {
		byte[] bytes = new byte[100 + random.nextInt(2000)];

		sink = bytes;
		if (random.nextInt(4) == 0)
			cache[random.nextInt(cache.length)] = bytes;
		if (random.nextInt(20000) == 0)
			sink = new byte[3 << 20];
	}

	static void work(int seed, long end, Path hold) {
		Random random = new Random(seed);

		while (System.currentTimeMillis() < end || collections < 20 || Files.exists(hold))
			for (int i = 0; i < 1000; i++)
				allocate(random);
	}

	public static void main(String[] args) throws Exception {
		PrintStream beans = new PrintStream(args[1]);
		Path hold = Path.of(args[0] + ".hold");
		Thread[] threads = new Thread[2];
		int ms = Integer.parseInt(args[2]);
		long end, countedBefore = counted();

		listen(beans);
		System.out.println("ready");
		while (!Files.exists(Path.of(args[0])))
			Thread.sleep(10);
		end = System.currentTimeMillis() + ms;
		for (int i = 0; i < threads.length; i++) {
			int seed = i;

			threads[i] = new Thread(() -> work(seed, end, hold));
			threads[i].start();
		}
		Thread.sleep(ms / 2);
		System.gc();
		for (Thread thread : threads)
			thread.join();
		System.gc();
		/* The beans' notifications come from a thread that may be behind. */
		for (int i = 0; i < 1000 && collections < counted() - countedBefore; i++)
			Thread.sleep(10);
		Thread.sleep(300);
		synchronized (Load.class) {
			beans.close();
		}
	}
}
