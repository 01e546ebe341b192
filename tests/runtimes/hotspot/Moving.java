// SPDX-License-Identifier: BSD-2-Clause
import java.io.File;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Collects young objects, some times a second: most die at once, some later, some never. It knows the
 * content of all that it keeps and looks that it is what it was. Says "alive N" of the rounds worked.
 *
 *     java Moving KEPT ROUND-BYTES [full|fill|class] FILE DIRECTORY
 *
 * KEPT objects live at a time, each of random size. full: System.gc() now and then; fill: so many
 * are kept now and then that young ones cannot be evacuated; class: a class of DIRECTORY is loaded,
 * again and again, and one in three stays.
 * It ends when FILE is there.
 */
public class Moving {
    static final class Item {
        final int number;
        final Object[] with;
        Item next;
        Item(int number, Object[] with, Item next) { this.number = number; this.with = with; this.next = next; }
        boolean isRight() {
            return ((byte[]) with[0]).length == number % 300 && ((String) with[1]).equals("item " + number)
                && ((long[]) with[2])[0] == number;
        }
    }

    static Item make(int number, Item next) {
        return new Item(number, new Object[] {
            new byte[number % 300], "item " + number, new long[] { number, 1, 2 } }, next);
    }

    /** What it has made, and its loader: by that the class stays. */
    static Object[] load(URL from) throws Exception {
        URLClassLoader loader = new URLClassLoader(new URL[] { from }, null);
        return new Object[] { loader.loadClass("Making").getMethod("make").invoke(null), loader };
    }

    static long young() {
        long count = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
            if (bean.getName().matches(".*Young.*|Copy|PS Scavenge"))
                count += bean.getCollectionCount();
        return count;
    }

    public static void main(String[] args) throws Exception {
        int kept = Integer.parseInt(args[0]);
        int bytes = Integer.parseInt(args[1]);
        String what = args.length > 4 ? args[2] : "";
        Path end = Path.of(args[args.length - 2]);
        Random random = new Random(1);
        Item[] items = new Item[kept];
        Object[] ballast = null;
        List<Object> loaded = new ArrayList<>();
        int number = 0;
        System.out.println("ready");
        for (long round = 1; !Files.exists(end); round++) {
            for (int made = 0; made < bytes; made += 400) {
                int at = random.nextInt(kept);
                Item old = items[at];
                if (old != null && !old.isRight())
                    throw new AssertionError("item " + at + " is not what it was");
                Item item = make(++number, old != null && old.next == null && random.nextInt(3) == 0 ? old : null);
                if (random.nextInt(8) == 0)
                    items[at] = item;
            }
            if (what.equals("full") && round % 50 == 0)
                System.gc();
            if (what.equals("fill") && round % 20 == 0)
                try {
                    Object[] all = new Object[1 << 16];
                    for (int i = 0; i < all.length; i++)
                        all[i] = new byte[1024 + random.nextInt(1024)];
                    ballast = all;
                } catch (OutOfMemoryError full) {
                    ballast = null;
                }
            if (what.equals("fill") && round % 20 == 10)
                ballast = null;
            if (what.equals("class")) {
                Object[] made = load(new File(args[args.length - 1]).toURI().toURL());
                loaded.add(round % 3 == 0 ? made : made[0]);
            }
            System.out.println("alive " + round + " young " + young());
            Thread.sleep(15); // a few collections a second on any machine: dumps go between them
        }
    }
}
