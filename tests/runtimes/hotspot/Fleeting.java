// SPDX-License-Identifier: BSD-2-Clause
// Classes that are loaded and dropped as quickly as it goes, with instances and arrays of them:
// `Fleeting GO LOADED`. Each thread keeps those of its last few rounds; collections, one behind the
// other, unload the others. Says how many rounds were done: "alive N".
import java.io.File;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicLong;

public class Fleeting {
	static final int KEPT = 1;
	static final AtomicLong rounds = new AtomicLong();
	static volatile boolean ends;

	static Object[] instances(Class<?> of) throws Exception {
		return new Object[] { of.getDeclaredConstructor().newInstance(),
				      Array.newInstance(of, 3), Array.newInstance(of, 2, 2) };
	}

	static void load(URL from, byte[] bytes) {
		Object[] kept = new Object[KEPT];

		try {
			for (int i = 0; !ends; i++) {
				URLClassLoader loader = new URLClassLoader(new URL[] { from }, null);

				kept[i % KEPT] = i % 2 == 0
					? instances(loader.loadClass("Loaded"))
					: instances(MethodHandles.lookup()
							    .defineHiddenClass(bytes, true)
							    .lookupClass());
				loader.close();
				rounds.incrementAndGet();
			}
		} catch (Throwable e) {
			e.printStackTrace();
			System.exit(1);
		}
	}

	static void collect() {
		while (!ends)
			System.gc();
	}

	public static void main(String[] arguments) throws Exception {
		URL from = new File(arguments[1]).toURI().toURL();
		byte[] bytes = Files.readAllBytes(new File(arguments[1], "Loaded.class").toPath());

		for (int i = Integer.getInteger("threads", 3); i > 0; i--)
			new Thread(() -> load(from, bytes)).start();
		new Thread(Fleeting::collect).start();
		System.out.println("ready");
		while (!new File(arguments[0]).exists()) {
			Thread.sleep(100);
			System.out.println("alive " + rounds.get());
		}
		ends = true;
	}
}
