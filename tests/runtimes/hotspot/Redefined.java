// SPDX-License-Identifier: BSD-2-Clause
// A program whose class is redefined as it runs: `Redefined GO DIRECTORY`, with itself as a Java
// agent (-javaagent:), which gets it the means. It makes objects by Maker.make(): of class Before
// as it was loaded, and when GO is there, of class After, in another line of the same bytecode: as
// DIRECTORY/Maker.class has it. Says "made BEFORE AFTER", over and over.
//
// -Dhow=retransformed: by a transformer, as agents that watch a program do it.
import java.io.File;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;

public class Redefined {
	static volatile Instrumentation instrumentation;

	public static void premain(String arguments, Instrumentation given) {
		instrumentation = given;
	}

	static void redefine(Path file) throws Exception {
		byte[] bytes = Files.readAllBytes(file);

		if ("retransformed".equals(System.getProperty("how")))
			retransform(bytes);
		else
			instrumentation.redefineClasses(new ClassDefinition(Maker.class, bytes));
	}

	static void retransform(byte[] bytes) throws Exception {
		instrumentation.addTransformer(new ClassFileTransformer() {
			@Override
			public byte[] transform(ClassLoader loader, String name, Class<?> before,
						ProtectionDomain domain, byte[] old) {
				return before == Maker.class ? bytes : null;
			}
		}, true);
		instrumentation.retransformClasses(Maker.class);
	}

	public static void main(String[] arguments) throws Exception {
		File go = new File(arguments[0]);
		Object[] kept = new Object[4000];
		long before = 0, after = 0;
		boolean is_redefined = false;

		System.out.println("ready");
		for (;;) {
			for (int i = 0; i < kept.length; i++) {
				kept[i] = Maker.make();
				if (kept[i] instanceof Before)
					before++;
				else
					after++;
			}
			System.out.println("made " + before + " " + after);
			Thread.sleep(20);
			if (go.exists() && !is_redefined) {
				redefine(Path.of(arguments[1], "Maker.class"));
				is_redefined = true;
			}
		}
	}
}

class Before {
	long a, b, c;
}

class After {
	long a, b, c;
}
