// SPDX-License-Identifier: BSD-2-Clause

/** Collects all of a long list, one full collection after the other. */
public class Full {
    static Object[] head;

    public static void main(String[] args) {
        for (int i = 0; i < 12_000_000; i++)
            head = new Object[] { head };
        System.out.println("ready");
        while (true)
            System.gc();
    }
}
