/* SPDX-License-Identifier: BSD-2-Clause */
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;

/*
 * One leak at a time, each of another shape, in a heap that holds as much in sound structures of
 * middling size. For each line of the input, a shape's name, the last leak goes and this one comes;
 * then "planted NAME" is written. "none" plants nothing.
 */
public class Leaks {
	static final int BYTES = 12 << 20; /* of each leak */
	static final int PIECE = 240;

	static byte[] piece() {
		return new byte[PIECE];
	}

	static int pieces(int each) {
		return BYTES / each;
	}

	/* ---- Sound data: none of it is a 20th of the heap by itself. ---- */

	static class Article {
		final String name;
		final long[] prices = new long[6];
		Article(int i) { name = "article number " + i; }
	}
	static class Catalogue { final Map<Integer, Article> articles = new HashMap<>(); }
	static class Config { final TreeMap<String, String> values = new TreeMap<>(); }
	static class Routes { final List<int[]> all = new ArrayList<>(); }
	static class Buffers { final byte[][] free = new byte[10][]; }
	static class Index { final long[] slots = new long[50000]; }
	static class History { final ArrayDeque<String> lines = new ArrayDeque<>(); }
	static class Shop {
		final Catalogue catalogue = new Catalogue();
		final Config config = new Config();
		final Routes routes = new Routes();
		final Buffers buffers = new Buffers();
		final Index index = new Index();
		final History history = new History();
		final LinkedList<Article> recent = new LinkedList<>();
		final ConcurrentSkipListMap<Integer, long[]> ticks = new ConcurrentSkipListMap<>();
	}
	static Shop shop;

	static void open() {
		shop = new Shop();
		for (int i = 0; i < 4000; i++)
			shop.catalogue.articles.put(i, new Article(i));
		for (int i = 0; i < 3000; i++)
			shop.config.values.put("key " + i, "a value of some length, " + i);
		for (int i = 0; i < 5000; i++)
			shop.routes.all.add(new int[15]);
		for (int i = 0; i < 10; i++)
			shop.buffers.free[i] = new byte[50000];
		for (int i = 0; i < 3000; i++)
			shop.history.lines.add("line " + i + " of what happened before");
		for (int i = 0; i < 2000; i++)
			shop.recent.add(shop.catalogue.articles.get(i));
		for (int i = 0; i < 2000; i++)
			shop.ticks.put(i, new long[10]);
	}

	/* ---- The shapes, each in a class of its own, which the finding names. ---- */

	static class Mail { static ExecutorService executor; }
	static class Inbox { static Queue<byte[]> messages; }
	static class Chain { final byte[] content = piece(); Chain next; }
	static class Log { Chain first; static Log log; }
	static class Prices { static TreeMap<Integer, byte[]> byTime; }
	static class Context { final List<byte[]> scratch = new ArrayList<>(); }
	static class Worker extends Thread {
		static final ThreadLocal<Context> context = ThreadLocal.withInitial(Context::new);
		final int bytes;
		final CountDownLatch started;
		volatile boolean over;
		Worker(int bytes, CountDownLatch started) {
			this.bytes = bytes;
			this.started = started;
			setDaemon(true);
		}
		@Override public void run() {
			for (int i = 0; i < bytes / (PIECE + 20); i++)
				context.get().scratch.add(piece());
			started.countDown();
			while (!over)
				LockSupport.park();
		}
	}
	static class Audit { static List<byte[]> entries; }
	static class Sessions { static ConcurrentHashMap<String, byte[]> byId; }
	interface Listener { void changed(); }
	static class Widget implements Listener {
		final byte[] pixels = piece();
		@Override public void changed() { }
	}
	static class Bus { final List<Listener> listeners = new CopyList(); static Bus bus; }
	static class CopyList extends ArrayList<Listener> { }
	static class Groups { static HashMap<String, List<byte[]>> members; }
	static class Undo { static ArrayDeque<byte[]> steps; }
	static class Job implements Comparable<Job> {
		final int priority;
		final byte[] work = piece();
		Job(int priority) { this.priority = priority; }
		@Override public int compareTo(Job other) { return Integer.compare(priority, other.priority); }
	}
	static class Scheduler { static PriorityQueue<Job> jobs; }
	static class Names { static ConcurrentHashMap<String, String> interned; }
	static class Tenants { static Map<Integer, Map<Integer, Map<Integer, byte[]>>> all; }
	static class Lru extends LinkedHashMap<Integer, byte[]> { }
	static class Pages { static Lru recent; }
	static class Grid { static byte[][][] cells; }
	static class Plugins { static List<ClassLoader> loaders; }
	static class Delay implements Delayed {
		final byte[] work = piece();
		@Override public long getDelay(TimeUnit unit) { return Long.MAX_VALUE / 2; }
		@Override public int compareTo(Delayed other) { return 0; }
	}
	static class Retries { static DelayQueue<Delay> queue; }
	static class Clock { static Timer timer; }
	static class Task extends TimerTask {
		final byte[] work = piece();
		@Override public void run() { }
	}
	static class Ladder { static ConcurrentSkipListMap<Integer, byte[]> steps; }
	static class Ring { static LinkedList<byte[]> items; }
	static class Order { final byte[] lines = piece(); }
	static class ByNumber { static HashMap<Integer, Order> orders; }
	static class ByCustomer { static HashMap<Integer, Order> orders; }
	static class Futures { static CompletableFuture<byte[]> last; }
	static class Tree { Tree left, right; final byte[] content = piece(); }
	static class Forest { static Tree top; }
	static class Slow {
		static volatile boolean slow;
		final byte[] content = piece();
		@SuppressWarnings({ "deprecation", "removal" })
		@Override protected void finalize() {
			while (slow)
				LockSupport.parkNanos(1000000);
		}
	}

	/* What its compiled code refers to is held by a static, and by a constant in that code. */
	static class Big { long value = 1; }
	static class Hot extends Thread {
		static final Big BIG = new Big();
		volatile boolean over;
		volatile long rounds;
		long sum;
		@Override public void run() {
			while (!over) {
				for (int i = 0; i < 1000; i++)
					sum += BIG.value;
				rounds++;
			}
		}
	}
	static Hot hot;

	static Tree tree(int depth) {
		final Tree tree = new Tree();
		if (depth > 0) {
			tree.left = tree(depth - 1);
			tree.right = tree(depth - 1);
		}
		return tree;
	}

	static final List<Worker> workers = new ArrayList<>();

	static void forget() throws Exception {
		if (Mail.executor != null)
			Mail.executor.shutdownNow();
		Mail.executor = null;
		Inbox.messages = null;
		Log.log = null;
		Prices.byTime = null;
		for (Worker worker : workers) {
			worker.over = true;
			LockSupport.unpark(worker);
			worker.join();
		}
		workers.clear();
		Audit.entries = null;
		Sessions.byId = null;
		Bus.bus = null;
		Groups.members = null;
		Undo.steps = null;
		Scheduler.jobs = null;
		Names.interned = null;
		Tenants.all = null;
		Pages.recent = null;
		Grid.cells = null;
		Plugins.loaders = null;
		Retries.queue = null;
		if (Clock.timer != null)
			Clock.timer.cancel();
		Clock.timer = null;
		Ladder.steps = null;
		Ring.items = null;
		ByNumber.orders = null;
		ByCustomer.orders = null;
		Futures.last = null;
		Forest.top = null;
		Slow.slow = false;
		if (hot != null) {
			hot.over = true;
			hot.join();
		}
		hot = null;
	}

	static void plant(String shape) throws Exception {
		final int many = pieces(PIECE + 50);

		switch (shape) {
		case "none":
			break;
		case "executor": {
			Mail.executor = Executors.newFixedThreadPool(1);
			final CountDownLatch begun = new CountDownLatch(1);
			Mail.executor.execute(() -> {
				begun.countDown();
				try {
					Thread.sleep(Long.MAX_VALUE);
				} catch (InterruptedException e) {
					/* that is the end */
				}
			});
			begun.await();
			for (int i = 0; i < many; i++) {
				final byte[] content = piece();
				Mail.executor.execute(() -> content[0]++);
			}
			break;
		}
		case "queue":
			Inbox.messages = new ConcurrentLinkedQueue<>();
			for (int i = 0; i < many; i++)
				Inbox.messages.add(piece());
			break;
		case "chain":
			Log.log = new Log();
			for (int i = 0; i < many; i++) {
				final Chain chain = new Chain();
				chain.next = Log.log.first;
				Log.log.first = chain;
			}
			break;
		case "treemap":
			Prices.byTime = new TreeMap<>();
			for (int i = 0; i < many; i++)
				Prices.byTime.put(i, piece());
			break;
		case "threadlocals": {
			final CountDownLatch started = new CountDownLatch(50);
			for (int i = 0; i < 50; i++) {
				workers.add(new Worker(BYTES / 50, started));
				workers.get(i).start();
			}
			started.await();
			break;
		}
		case "list":
			Audit.entries = new ArrayList<>();
			for (int i = 0; i < many; i++)
				Audit.entries.add(piece());
			break;
		case "cache":
			Sessions.byId = new ConcurrentHashMap<>();
			for (int i = 0; i < many / 2; i++)
				Sessions.byId.put("session " + i, piece());
			break;
		case "listeners":
			Bus.bus = new Bus();
			for (int i = 0; i < many; i++)
				Bus.bus.listeners.add(new Widget());
			break;
		case "mapoflists":
			Groups.members = new HashMap<>();
			for (int i = 0; i < many; i++)
				Groups.members.computeIfAbsent("group " + i % 100,
					key -> new ArrayList<>()).add(piece());
			break;
		case "deque":
			Undo.steps = new ArrayDeque<>();
			for (int i = 0; i < many; i++)
				Undo.steps.add(piece());
			break;
		case "priorities":
			Scheduler.jobs = new PriorityQueue<>();
			for (int i = 0; i < many; i++)
				Scheduler.jobs.add(new Job(i * 7 % 1000));
			break;
		case "interned":
			Names.interned = new ConcurrentHashMap<>();
			for (int i = 0; i < many * 2; i++) {
				final String name = "the name that has the number " + i;
				Names.interned.put(name, name);
			}
			break;
		case "nested":
			Tenants.all = new HashMap<>();
			for (int i = 0; i < many / 2; i++)
				Tenants.all.computeIfAbsent(i % 6, key -> new HashMap<>())
					.computeIfAbsent(i % 120, key -> new HashMap<>())
					.put(i, piece());
			break;
		case "lru":
			Pages.recent = new Lru();
			for (int i = 0; i < many / 2; i++)
				Pages.recent.put(i, piece());
			break;
		case "grid":
			Grid.cells = new byte[12][many / 12][];
			for (byte[][] row : Grid.cells)
				for (int i = 0; i < row.length; i++)
					row[i] = piece();
			break;
		case "loaders": {
			final URL[] path = { Paths.get(Leaks.class.getProtectionDomain().getCodeSource()
				.getLocation().toURI()).toUri().toURL() };
			Plugins.loaders = new ArrayList<>();
			for (int i = 0; i < 40; i++) {
				final ClassLoader loader = new URLClassLoader(path,
					ClassLoader.getPlatformClassLoader());
				Class.forName("LeaksPlugin", true, loader);
				Plugins.loaders.add(loader);
			}
			break;
		}
		case "delays":
			Retries.queue = new DelayQueue<>();
			for (int i = 0; i < many; i++)
				Retries.queue.add(new Delay());
			break;
		case "timer":
			Clock.timer = new Timer("the clock", true);
			for (int i = 0; i < many / 2; i++)
				Clock.timer.schedule(new Task(), 1000000000L + i);
			break;
		case "skiplist":
			Ladder.steps = new ConcurrentSkipListMap<>();
			for (int i = 0; i < many; i++)
				Ladder.steps.put(i, piece());
			break;
		case "linkedlist":
			Ring.items = new LinkedList<>();
			for (int i = 0; i < many; i++)
				Ring.items.add(piece());
			break;
		case "shared":
			ByNumber.orders = new HashMap<>();
			ByCustomer.orders = new HashMap<>();
			for (int i = 0; i < many; i++) {
				ByNumber.orders.put(i, new Order());
				ByCustomer.orders.put(i * 3, ByNumber.orders.get(i));
			}
			break;
		case "futures":
			Futures.last = new CompletableFuture<>();
			CompletableFuture<byte[]> at = Futures.last;
			for (int i = 0; i < many / 2; i++) {
				final byte[] content = piece();
				at = at.thenApply(of -> content);
			}
			break;
		case "tree":
			Forest.top = tree(14);
			break;
		case "constant":
			hot = new Hot();
			hot.setDaemon(true);
			hot.start();
			while (hot.rounds < 2000000)
				Thread.sleep(10);
			break;
		case "finalizers":
			Slow.slow = true;
			for (int i = 0; i < many; i++)
				new Slow();
			System.gc();
			Thread.sleep(200);
			break;
		default:
			throw new IllegalArgumentException(shape);
		}
	}

	public static void main(String[] args) throws Exception {
		final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		String shape;

		open();
		System.out.println("ready");
		while ((shape = in.readLine()) != null) {
			forget();
			plant(shape);
			System.out.println("planted " + shape);
		}
		System.exit(0);
	}
}

/* As a web application that was undeployed: its loader is kept, and so are its statics. */
class LeaksPlugin {
	static final List<byte[]> data = new ArrayList<>();
	static {
		for (int i = 0; i < Leaks.BYTES / 40 / (Leaks.PIECE + 20); i++)
			data.add(Leaks.piece());
	}
}
