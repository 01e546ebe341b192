// SPDX-License-Identifier: BSD-2-Clause
// Usage: `Rubbish COUNT`: makes so many objects that nothing refers to any more, and 777 that a
// static holds in an array; then it prints `ready` and waits.
public class Rubbish {
	static class Dead { int n; }
	static final Object[] kept = new Object[777];
	static volatile Object last;

	public static void main(String[] arguments) throws Exception {
		for (int i = 0; i < Integer.parseInt(arguments[0]); i++)
			last = new Dead();
		last = null;
		for (int i = 0; i < kept.length; i++)
			kept[i] = new int[1];
		System.out.println("ready");
		System.out.flush();
		Thread.sleep(1000000);
	}
}
