// SPDX-License-Identifier: BSD-2-Clause
// Threads that allocate beside objects that stay, and what the runtime itself says of each blocking
// collection of all generations, when it is over: "gc INDEX PAUSE GAP", in nanoseconds. GAP is the
// longest time since the line before in which this thread did not run: any stop is inside it. Of
// each background collection: "background INDEX".
using System;
using System.Threading;

namespace Programs;

static class Blocked
{
    sealed class Kept { public Kept Next; public long Number; }

    static Kept last;

    public static int Run(int threads, int objects)
    {
        for (int i = 0; i < objects; i++)
            last = new Kept { Next = last, Number = i };
        GC.Collect();
        for (int i = 0; i < threads; i++)
            new Thread(Allocate, 256 * 1024) { IsBackground = true }.Start();
        Console.WriteLine("ready");
        long gap = 0, ran = Wait.Now;
        long beside = GC.GetGCMemoryInfo(GCKind.Background).Index;
        for (long seen = GC.GetGCMemoryInfo(GCKind.FullBlocking).Index;; Thread.Sleep(1))
        {
            if (GC.GetGCMemoryInfo(GCKind.Background).Index != beside)
            {
                beside = GC.GetGCMemoryInfo(GCKind.Background).Index;
                Console.WriteLine($"background {beside}");
            }
            gap = Math.Max(gap, Wait.Now - ran);
            ran = Wait.Now;
            GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.FullBlocking);
            if (info.Index == seen)
                continue;
            seen = info.Index;
            Console.WriteLine($"gc {seen} {info.PauseDurations[0].Ticks * 100} {gap}");
            gap = 0;
        }
    }

    static void Allocate()
    {
        var kept = new byte[1000][];
        for (uint i = 0;; i++)
            kept[i % 1000] = new byte[i % 300];
    }
}
