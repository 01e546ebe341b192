// SPDX-License-Identifier: BSD-2-Clause
// Threads that allocate without a pause, and one that asks for background collections: what can be
// killed, attached to and dumped at any moment. Prints "alive N" ten times a second, N: how many
// rounds of work were done. Every object that is kept is checked now and then.
using System;
using System.Threading;

namespace Programs;

static class Busy
{
    sealed class Kept
    {
        public Kept Next;
        public byte[] Bytes;
        public long Check;
    }

    static long rounds;

    // seconds: 0 is for ever
    public static int Run(int threads, int seconds)
    {
        for (int i = 0; i < threads; i++)
        {
            int seed = i;
            new Thread(() => Work(seed), 256 * 1024) { IsBackground = true }.Start();
        }
        new Thread(() => Collect(50)) { IsBackground = true }.Start();
        Console.WriteLine("ready");
        for (int tenths = 0; seconds == 0 || tenths < seconds * 10; tenths++)
        {
            Thread.Sleep(100);
            Console.WriteLine($"alive {Interlocked.Read(ref rounds)}");
        }
        return 0;
    }

    // Background collections, with so many milliseconds of rest.
    public static void Collect(int rest)
    {
        for (;;)
        {
            GC.Collect(2, GCCollectionMode.Default, false, false);
            Thread.Sleep(rest);
        }
    }

    static void Work(int seed)
    {
        var random = new Random(seed);
        var kept = new Kept[500];
        for (;;)
        {
            for (int i = 0; i < 1000; i++)
                Replace(kept, random);
            Check(kept);
            Interlocked.Increment(ref rounds);
            Thread.Sleep(1);
        }
    }

    static void Replace(Kept[] kept, Random random)
    {
        int at = random.Next(kept.Length), length = random.Next(200);
        var made = new Kept { Bytes = new byte[length], Check = length };
        if (random.Next(3) == 0 && kept[at] != null)
            made.Next = new Kept { Bytes = kept[at].Bytes, Check = kept[at].Check };
        kept[at] = made;
    }

    static void Check(Kept[] kept)
    {
        foreach (Kept each in kept)
            for (Kept one = each; one != null; one = one.Next)
                if (one.Bytes.Length != one.Check)
                    Environment.FailFast("an object is not what it was");
    }
}
