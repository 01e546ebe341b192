// SPDX-License-Identifier: BSD-2-Clause
// A program with something of each kind that a heap dump of a JVM can have, which then waits.
//
// usage: java Shop NODES

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

public class Shop {
	static class Kept { int n; }
	static class Weakly { int n; }
	static class Softly { int n; }
	static class Node { Node next; int n; }
	static class Base { Object one = new long[3]; int n; }
	static class Derived extends Base {
		Object two = "two"; byte b; short s; double d; char c; boolean z; float f; long l;
	}
	interface Has { Object CONSTANT = new Object[] { "x" }; }
	record Pair(Object left, Object right) { }
	enum Colour { RED, GREEN }
	class Inner { int n; }

	static final Map<String, Object> cache = new HashMap<>();
	static Object[][] grid = new Object[5][7];
	static SoftReference<Softly> soft = new SoftReference<>(new Softly());
	static WeakReference<Weakly> weak;
	static PhantomReference<Object> phantom;
	static Object[] primitives = { new boolean[3], new char[5], new float[1], new double[2],
		new byte[9], new short[7], new int[0], new long[1], new int[3], new byte[0] };

	static Runnable hold(Weakly held) {
		weak = new WeakReference<>(held);
		return () -> System.out.println(primitives.length);
	}

	public static void main(String[] arguments) throws Exception {
		Node head = null;
		Object derived = new Derived(), inner = new Shop().new Inner(), constant = Has.CONSTANT;
		Object pair = new Pair(Colour.RED, new Colour[] { Colour.GREEN });
		Weakly held = new Weakly();
		Runnable lambda = hold(held);

		for (int i = 0; i < 100; i++)
			cache.put("key" + i, i == 7 ? new Kept() : new int[i % 10]);
		for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
			Node node = new Node();
			node.next = head;
			head = node;
		}
		phantom = new PhantomReference<>(new Object(), new ReferenceQueue<>());
		synchronized (Shop.class) {
			System.out.println("ready");
			System.out.flush();
			Thread.sleep(1000000);
		}
		System.out.println("" + head + derived + inner + constant + pair + held + lambda);
	}
}
