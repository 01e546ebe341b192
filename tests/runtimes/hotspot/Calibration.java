// SPDX-License-Identifier: BSD-2-Clause
import java.io.File;

/**
 * Allocates known amounts at many places, one after the other: each is a depth of recursion, and
 * so a stack of its own. A quarter of each place's bytes lives until the end.
 *
 * Calibration PATTERN PLACES BYTES GO [MS]: spends MS on each place (0: as fast as it can); prints
 * for each place "place DEPTH ALLOCATED LIVE", and "done". Pattern "collected": as "steady", after
 * a collection each; "churning": beside threads that come and go all the time.
 */
public class Calibration {
    static Object[][] kept;
    static int count;
    static volatile Object sink;

    static Object make(String pattern, long n) {
        switch (pattern) {
        case "steady":
        case "collected":
        case "churning":
            return new long[6]; // 64 bytes
        case "mixed":
            return new byte[(int) (16 + (n * 7919 % 4096))];
        default:
            return n % 64 == 0 ? new byte[(64 << 10) + (int) (n * 104729 % (256 << 10))]
                               : new byte[240];
        }
    }

    static long sizeOf(String pattern, long n, int header) {
        long bytes;
        if (pattern.equals("mixed"))
            bytes = header + 16 + (n * 7919 % 4096);
        else if (pattern.equals("bursts"))
            bytes = n % 64 == 0 ? header + (64 << 10) + (n * 104729 % (256 << 10)) : header + 240;
        else
            bytes = header + 48;
        return (bytes + 7) / 8 * 8;
    }

    static void place(int depth, int place, String pattern, long bytes, int ms) throws Exception {
        if (depth > 0) {
            place(depth - 1, place, pattern, bytes, ms);
            return;
        }
        long allocated = 0, live = 0, pause = ms > 0 ? bytes / ms * 2 : Long.MAX_VALUE, next = pause;
        Object[] list = kept[place] = new Object[(int) (bytes / 64) + 1];
        int at = 0;
        if (pattern.equals("collected"))
            System.gc();
        for (long n = 0; allocated < bytes; n++) {
            Object object = make(pattern, n);
            long size = sizeOf(pattern, n, 16);
            allocated += size;
            if (allocated >= next) {
                Thread.sleep(2);
                next += pause;
            }
            if ((n & 1) == 0 && live < bytes / 4) {
                list[at++] = object;
                live += size;
            } else {
                sink = object;
            }
        }
        System.out.println("place " + place + " " + allocated + " " + live + " " + list.length);
    }

    static void nap(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // Some eight live at once: with a single one all places would be off by the same.
    static void churn() {
        for (; !Thread.currentThread().isInterrupted(); nap(2))
            new Thread(() -> nap(16)).start();
    }

    public static void main(String[] args) throws Exception {
        int places = Integer.parseInt(args[1]);
        long bytes = Long.parseLong(args[2]);
        int ms = args.length > 4 ? Integer.parseInt(args[4]) : 0;
        File go = new File(args[3]);
        kept = new Object[places][];
        System.out.println("ready");
        while (!go.exists())
            Thread.sleep(20);
        Thread churning = new Thread(Calibration::churn);
        if (args[0].equals("churning"))
            churning.start();
        for (int place = 0; place < places; place++) {
            place(place, place, args[0], bytes, ms);
            Thread.sleep(30);
        }
        churning.interrupt();
        System.gc();
        Thread.sleep(1500);
        System.out.println("done");
        System.out.flush();
        Thread.sleep(Long.MAX_VALUE);
    }
}
