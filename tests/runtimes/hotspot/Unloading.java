// SPDX-License-Identifier: BSD-2-Clause
// Classes that are loaded, make objects and are unloaded, all the time: `Unloading GO LOADED`. What
// they have made is kept for longer. Says "alive N M": so many were loaded, so many unloaded.
import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;

public class Unloading {
	static final Object[] kept = new Object[2000];

	static Object make(URL from) throws Exception {
		try (URLClassLoader loader = new URLClassLoader(new URL[] { from }, null)) {
			return loader.loadClass("Making").getMethod("make").invoke(null);
		}
	}

	public static void main(String[] arguments) throws Exception {
		File go = new File(arguments[0]);
		URL from = new File(arguments[1]).toURI().toURL();

		System.out.println("ready");
		for (int i = 1; !go.exists(); i++) {
			kept[i % kept.length] = make(from);
			if (i % 500 == 0)
				System.gc();
			if (i % 20 == 0)
				System.out.println("alive " + i + " " + ManagementFactory
					.getClassLoadingMXBean().getUnloadedClassCount());
		}
	}
}
