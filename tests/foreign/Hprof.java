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
//
// With `summary`: only `class` lines, a line `retained` with the sum over all objects, and `time`.

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.PrintStream;
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

	public static void main(String[] arguments) throws Exception {
		boolean summary = arguments.length > 1;
		long began = System.nanoTime(), retained = 0;

		out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, "UTF-8");
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
