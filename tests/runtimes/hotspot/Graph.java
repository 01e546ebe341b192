// SPDX-License-Identifier: BSD-2-Clause
// An object for each way in which a Java program can hold one, each of a class of its own. Run as
// `Graph GO LOADED`: it prints `ready`, stands still, and ends when something is written to the
// FIFO GO.
import java.io.File;
import java.io.FileInputStream;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

public class Graph {
	static class InStatic {}
	static class InMap {}
	static class InLocal {}
	static class InThreadLocal {}
	static class InThreadField {}
	static class InLocked {}
	static class InWeak {}
	static class InSoft {}
	static class InPhantom {}
	static class InWeakMap {}
	static class InLambda {}
	static class InInner {}
	static class InAnonymous {}
	static class InArray {}
	static class InMatrix {}
	static class InList {}
	static class InEnumMap {}
	static class InEnum {}
	static class InRecord {}
	static class InInterface {}
	static class InBase {}
	static class InDerived {}
	static class InLoaded {}
	static class InClassValue {}
	static class OnlyWeak {}

	interface Constants {
		InInterface HELD = new InInterface();
		int NUMBER = 7;
		String TEXT = "t";
	}
	interface MoreConstants extends Constants { Object MORE = new Object(); }
	static class Base implements Constants {
		static Object counts;
		int before;
		Object heldByBase;
	}
	static class Derived extends Base implements MoreConstants {
		static final Object ANOTHER = null;
		long between;
		Object empty, heldByDerived;
	}
	record Pair(int number, Object held) {}
	enum Colour {
		RED, GREEN;
		Object held;
	}
	class Inner { Object held = new InInner(); }
	interface Doer { Object get(); }
	static class FieldThread extends Thread {
		final InThreadField held = new InThreadField();
		final CountDownLatch started = new CountDownLatch(1), end;

		FieldThread(CountDownLatch end) {
			super("holder of a field");
			this.end = end;
		}

		@Override public void run() {
			started.countDown();
			await(end);
		}
	}

	static InStatic inStatic = new InStatic();
	static Map<String, Object> byName = new HashMap<>();
	static final ThreadLocal<Object> local = new ThreadLocal<>();
	static WeakReference<Object> weak;
	static SoftReference<Object> soft = new SoftReference<>(new InSoft());
	static PhantomReference<Object> phantom;
	static ReferenceQueue<Object> queue = new ReferenceQueue<>();
	static Object weakHeld = new InWeak(), phantomHeld = new InPhantom(), key = new Object();
	static WeakHashMap<Object, Object> weakMap = new WeakHashMap<>();
	static Supplier<Object> lambda;
	static Inner inner = new Graph().new Inner();
	static Doer anonymous;
	static Object[] array = new Object[2000];
	static Object[][][] matrix = new Object[3][4][5];
	static List<Object> list = new ArrayList<>();
	static EnumMap<Colour, Object> enumMap = new EnumMap<>(Colour.class);
	static Pair pair = new Pair(7, new InRecord());
	static Derived derived = new Derived();
	static Object fromLoader;
	static WeakReference<Object> onlyWeak = new WeakReference<>(new OnlyWeak());

	static void await(CountDownLatch latch) {
		try {
			latch.await();
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	static void holdLocal(CountDownLatch started, CountDownLatch end) {
		InLocal held = new InLocal();
		local.set(new InThreadLocal());
		InLocked locked = new InLocked();
		synchronized (locked) {
			started.countDown();
			await(end);
		}
		System.err.println(held);
	}

	/* A class that another loader has loaded, known by an instance only. */
	static Object load(URL from) throws Exception {
		URLClassLoader loader = new URLClassLoader(new URL[] { from }, null);
		Class<?> class_ = loader.loadClass("Loaded");
		class_.getField("held").set(null, new InLoaded());
		return class_.getDeclaredConstructor().newInstance();
	}

	static void fill(String classes) throws Exception {
		Object captured = new InLambda(), byAnonymous = new InAnonymous();

		byName.put("it", new InMap());
		weak = new WeakReference<>(weakHeld);
		phantom = new PhantomReference<>(phantomHeld, queue);
		weakMap.put(key, new InWeakMap());
		lambda = () -> captured;
		anonymous = new Doer() { public Object get() { return byAnonymous; } };
		array[0] = array;
		array[1999] = new InArray();
		matrix[2][1][4] = new InMatrix();
		list.add(new InList());
		enumMap.put(Colour.GREEN, new InEnumMap());
		Colour.RED.held = new InEnum();
		derived.heldByBase = new InBase();
		derived.heldByDerived = new InDerived();
		new ClassValue<Object>() {
			@Override protected Object computeValue(Class<?> of) {
				return new InClassValue();
			}
		}.get(InStatic.class);
		fromLoader = load(new File(classes).toURI().toURL());
		if (Constants.HELD == MoreConstants.MORE)
			throw new AssertionError();
	}

	public static void main(String[] arguments) throws Exception {
		CountDownLatch started = new CountDownLatch(1), end = new CountDownLatch(1);
		Thread holder = new Thread(() -> holdLocal(started, end), "holder of locals");
		FieldThread thread = new FieldThread(end);

		fill(arguments[1]);
		holder.start();
		thread.start();
		await(started);
		await(thread.started);
		System.out.println("ready");
		try (FileInputStream go = new FileInputStream(arguments[0])) {
			go.read();
		}
		end.countDown();
	}
}
