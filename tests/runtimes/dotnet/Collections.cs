// SPDX-License-Identifier: BSD-2-Clause
// Collections of every kind, and what the runtime itself says of them:
//
//   begin|end TIME ALL GEN1 GEN2 PAUSE        CollectionCount(0), (1), (2), GetTotalPauseDuration
//   gc INDEX GENERATION CONCURRENT COMPACTED PAUSE SUM_BEFORE SUM_AFTER FIRST SECOND
//                                                      GetGCMemoryInfo: PAUSE is FIRST + SECOND
//   asked FROM TO GENERATION BLOCKING COMPACTING       GC.Collect was called and returned
//
// Times are CLOCK_MONOTONIC; they and pauses are in nanoseconds.
using System;
using System.Collections.Generic;
using System.IO;

namespace Programs;

static class Collections
{
    static readonly HashSet<(GCKind, long)> seen = new();
    static readonly List<string> lines = new();
    static readonly object[] kept = new object[20000];
    static readonly object[] grown = new object[100000];
    static readonly Random random = new(1);

    // Together: the program asks for nothing, and so much of what it allocates lives on that the
    // runtime itself begins background collections, most of them with a young one in the same stop.
    // It goes on until there are enough of them, however slow the machine is.
    const int enough = 20;

    public static int Run(string go, string truth, int milliseconds, bool isTogether = false)
    {
        Ballast.Load();
        Wait.For(go);
        Forget();
        Count("begin");
        long end = Wait.Now + milliseconds * 1000000L;
        int until = GC.CollectionCount(2) + (isTogether ? enough : 0);
        for (int round = 0; Wait.Now < end || GC.CollectionCount(2) < until; round++)
        {
            if (isTogether)
                Grow();
            else
                Round(round);
        }
        WaitForBackground();
        Look();
        Count("end");
        File.WriteAllLines(truth, lines);
        return 0;
    }

    // The last collections of each kind are from before: they are not in what is compared.
    static void Forget()
    {
        Look();
        lines.Clear();
    }

    static void Count(string word)
    {
        long pause = GC.GetTotalPauseDuration().Ticks * 100;
        lines.Add($"{word} {Wait.Now} {GC.CollectionCount(0)} {GC.CollectionCount(1)} " +
                  $"{GC.CollectionCount(2)} {pause}");
    }

    static void Round(int round)
    {
        for (int step = 0; step < 40; step++)
        {
            Allocate(2000);
            Look();
        }
        switch (round % 8)
        {
            case 0: Ask(0, GCCollectionMode.Forced, true, false); break;
            case 1: Ask(1, GCCollectionMode.Forced, true, false); break;
            case 3: Ask(2, GCCollectionMode.Forced, true, false); break;
            case 5: Ask(2, GCCollectionMode.Forced, true, true); break;
            case 6: Ask(2, GCCollectionMode.Default, false, false); break;
        }
    }

    static void Grow()
    {
        for (int step = 0; step < 20; step++)
        {
            for (int i = 0; i < 2000; i++)
                grown[random.Next(grown.Length)] = new byte[random.Next(400)];
            Look();
        }
    }

    static void Ask(int generation, GCCollectionMode mode, bool blocking, bool compacting)
    {
        long from = Wait.Now;
        GC.Collect(generation, mode, blocking, compacting);
        lines.Add($"asked {from} {Wait.Now} {generation} {(blocking ? 1 : 0)} " +
                  $"{(compacting ? 1 : 0)}");
        Look();
    }

    static void Allocate(int objects)
    {
        for (int i = 0; i < objects; i++)
        {
            var made = new byte[random.Next(200)];
            if (i % 16 == 0)
                kept[random.Next(kept.Length)] = made;
        }
        if (random.Next(10) == 0)
            kept[random.Next(kept.Length)] = new byte[100000];
    }

    // A background collection that runs on would end after what is compared.
    static void WaitForBackground()
    {
        long before;
        do
        {
            before = GC.CollectionCount(2);
            Ask(2, GCCollectionMode.Forced, true, false);
        } while (GC.CollectionCount(2) != before + 1);
    }

    static void Look()
    {
        Look(GCKind.Ephemeral);
        Look(GCKind.FullBlocking);
        Look(GCKind.Background);
    }

    static void Look(GCKind kind)
    {
        GCMemoryInfo info = GC.GetGCMemoryInfo(kind);
        if (info.Index == 0 || !seen.Add((kind, info.Index)))
            return;
        long pause = 0, before = 0, after = 0;
        foreach (TimeSpan each in info.PauseDurations)
            pause += each.Ticks * 100;
        foreach (GCGenerationInfo each in info.GenerationInfo)
        {
            before += each.SizeBeforeBytes;
            after += each.SizeAfterBytes;
        }
        lines.Add($"gc {info.Index} {info.Generation} {(info.Concurrent ? 1 : 0)} " +
                  $"{(info.Compacted ? 1 : 0)} {pause} {before} {after} " +
                  $"{info.PauseDurations[0].Ticks * 100} {info.PauseDurations[1].Ticks * 100}");
    }
}
