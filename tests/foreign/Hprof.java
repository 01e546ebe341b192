// SPDX-License-Identifier: BSD-2-Clause
// What VisualVM's heap library reads in an hprof file, one line each, with tabs in between:
//
//   class    ID  OBJECTS  BYTES  NAME
//   object   ADDRESS  CLASS-ID  SIZE  REFERENCES  RETAINED      (references: those that are not null)
//   static   CLASS-ID  FIELD  ADDRESS
//   root     KIND  ADDRESS
//   weak     ADDRESS  ADDRESS                                (an object and its `referent`)
//   time     SECONDS
//
// usage: java -cp JARS:DIRECTORY Hprof FILE [summary]
//        java -cp JARS:DIRECTORY Hprof --compare FILES
//
// With `summary`: only `class` lines, a line `retained` with the sum over all objects, and `time`.
// --compare: N.hprof in the directory FILES with what N.want says (tests/unit/view/random_heap.h);
// a line `wrong` for each object that differs, and `compared` with how many there were.

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.Iterator;
import org.graalvm.visualvm.lib.jfluid.heap.FieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.GCRoot;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;

public class Hprof {
	static PrintStream out;

	static String hex(Instance instance) {
		return instance == null ? "0" : Long.toHexString(instance.getInstanceId());
	}

	static String id(JavaClass c) {
		return Long.toHexString(c.getJavaClassId());
	}

	static void printClass(JavaClass c) {
		out.println("class\t" + id(c) + "\t" + c.getInstancesCount() + "\t"
			    + c.getAllInstancesSize() + "\t" + c.getName());
		for (FieldValue value : c.getStaticFieldValues())
			if (value instanceof ObjectFieldValue
			    && ((ObjectFieldValue) value).getInstance() != null)
				out.println("static\t" + id(c) + "\t"
					    + value.getField().getName() + "\t"
					    + hex(((ObjectFieldValue) value).getInstance()));
	}

	static int references(Instance instance) {
		int references = 0;

		if (instance instanceof ObjectArrayInstance) {
			for (Instance element : ((ObjectArrayInstance) instance).getValues())
				references += element == null ? 0 : 1;
			return references;
		}
		for (FieldValue value : instance.getFieldValues()) {
			if (!(value instanceof ObjectFieldValue))
				continue;
			Instance to = ((ObjectFieldValue) value).getInstance();
			if (value.getField().getDeclaringClass().getName()
				.equals("java.lang.ref.Reference")) {
				if (to != null)
					out.println("weak\t" + hex(instance) + "\t" + hex(to));
			} else if (to != null) {
				references++;
			}
		}
		return references;
	}

	static void printObject(Instance instance) {
		int references = references(instance);

		out.println("object\t" + hex(instance) + "\t" + id(instance.getJavaClass()) + "\t"
			    + instance.getSize() + "\t" + references + "\t"
			    + instance.getRetainedSize());
	}

	static int compare(File hprof, File want) throws Exception {
		Heap heap = HeapFactory.createHeap(hprof);
		int count = 0;

		for (String line : Files.readAllLines(want.toPath())) {
			String[] words = line.split(" ");
			long id = Long.parseUnsignedLong(words[0], 16);

			if (words[1].equals("-"))
				continue;
			long retained = heap.getInstanceByID(id).getRetainedSize();
			if (retained != Long.parseLong(words[1]))
				out.println("wrong\t" + hprof + "\t" + line + "\t" + retained);
			count++;
		}
		return count;
	}

	static void compareAll(String files) throws Exception {
		long count = 0;

		for (int i = 0; new File(files, i + ".hprof").exists(); i++)
			count += compare(new File(files, i + ".hprof"), new File(files, i + ".want"));
		out.println("compared\t" + count);
	}

	public static void main(String[] arguments) throws Exception {
		boolean summary = arguments.length > 1;
		long began = System.nanoTime(), retained = 0;

		out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, "UTF-8");
		if (arguments[0].equals("--compare")) {
			compareAll(arguments[1]);
			out.flush();
			System.exit(0);
		}
		Heap heap = HeapFactory.createHeap(new File(arguments[0]));
		for (JavaClass c : heap.getAllClasses())
			printClass(c);
		for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
			Instance instance = all.next();

			if (summary)
				retained += instance.getRetainedSize();
			else
				printObject(instance);
		}
		if (summary)
			out.println("retained\t" + retained);
		else
			for (GCRoot root : heap.getGCRoots())
				out.println("root\t" + root.getKind() + "\t" + hex(root.getInstance()));
		out.println("time\t" + (System.nanoTime() - began) / 1e9);
		out.flush();
		System.exit(0);
	}
}
