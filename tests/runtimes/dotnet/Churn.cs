// SPDX-License-Identifier: BSD-2-Clause
// For benchmarks. Churn: what a thread allocates in so many seconds, over objects kept, a round at a
// time: prints "ready", then for each line on standard input does one round and prints
// "ALLOCATIONS NANOSECONDS COLLECTIONS PAUSE_NANOSECONDS". Large: a heap of so many million objects
// that refer to two others each: for each line it prints "COLLECTIONS LONGEST_STOP_IN_NANOSECONDS",
// of all and since the line before; for the line "collect" it makes a whole collection first.
using System;
using System.Threading;

namespace Programs;

static class Churn
{
    sealed class Node
    {
        public Node Next;
        public byte[] Bytes;
    }

    public static int Run(int kept, double seconds)
    {
        var nodes = new Node[kept];
        Round(nodes, 1);
        Console.WriteLine("ready");
        while (Console.ReadLine() != null)
        {
            int collections = GC.CollectionCount(0);
            TimeSpan pause = GC.GetTotalPauseDuration();
            long began = Wait.Now;
            long allocations = Round(nodes, seconds);
            Console.WriteLine($"{allocations} {Wait.Now - began} " +
                $"{GC.CollectionCount(0) - collections} " +
                $"{(GC.GetTotalPauseDuration() - pause).Ticks * 100}");
        }
        return 0;
    }

    static long Round(Node[] nodes, double seconds)
    {
        long until = Wait.Now + (long)(seconds * 1e9), allocations = 0;
        uint random = 12345;
        while (Wait.Now < until)
        {
            for (int i = 0; i < 10000; i++)
            {
                random = random * 1664525 + 1013904223;
                uint at = (uint)((ulong)random * (uint)nodes.Length >> 32);
                var made = new Node { Bytes = new byte[random >> 8 & 63] };
                if ((random >> 16 & 15) == 0)
                    nodes[at] = made;
            }
            allocations += 20000;
        }
        return allocations;
    }
}

static class Large
{
    sealed class Leaf { public long Number; }
    sealed class Node { public object Left, Right; }

    static object[] roots;

    // Of eleven objects ten are nodes that refer to a leaf, or to the node before, and to another.
    public static int Run(int millions)
    {
        int nodes = millions * 10000000 / 11;
        roots = new object[nodes / 100 + 1];
        Node last = null;
        object leaf = null;
        for (int i = 0; i < nodes; i++)
        {
            if (i % 10 == 0)
                leaf = new Leaf { Number = i };
            last = new Node { Left = i % 100 == 0 ? null : last, Right = leaf };
            if (i % 100 == 99)
                roots[i / 100] = last;
        }
        roots[nodes / 100] = last;
        GC.Collect();
        new Thread(Watch) { IsBackground = true }.Start();
        Console.WriteLine("ready");
        for (string line; (line = Console.ReadLine()) != null;)
        {
            if (line == "collect")
                GC.Collect();
            Console.WriteLine($"{GC.CollectionCount(0)} {Interlocked.Exchange(ref longest, 0)}");
        }
        return 0;
    }

    static long longest;

    // For how long it did not run at most: whatever stops a program is in that.
    static void Watch()
    {
        for (long last = Wait.Now, now; ; last = now)
        {
            Thread.Sleep(1);
            now = Wait.Now;
            if (now - last > Interlocked.Read(ref longest))
                Interlocked.Exchange(ref longest, now - last);
        }
    }
}
