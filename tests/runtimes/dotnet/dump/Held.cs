// SPDX-License-Identifier: BSD-2-Clause
// Objects that are held in ways which a heap dump has to find, while THREADS threads allocate. Each
// type that is named By… has one object, held in exactly that way. Held.dll THREADS OBJECTS
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Held;

class ByEntry { }
class ByElement { }
class ByStruct { }
class ByArgument { }
class ByBase { }
class ByDerived { }
class ByThreadStatic { }
class ByLocal { }
class ByBareStatic { }
class ByShift { }
class ByWidth { }

class Gaps { public object A, B = new(), C, D = new(), E, F = new ByBase(), G; }
class Above { public object Up; int number; }
class Below : Above { byte small; public ByDerived Down = new(); object none; }
struct Pair { public object First; public int Number; public object Second; }
class HasPair { public object Before; public Pair Pair; public object After; }
class Box<T> { public int Number; public T Value; }
class Node { public object Next, Payload; }
class Shifting { public object A, B, C; }

class Wide
{
    public object A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T;
}

// It has no method by which its class could be had.
static class Bare { public static object Field; }

static class Program
{
    static readonly Dictionary<string, ByEntry> entries = new();
    static readonly Pair[] pairs = new Pair[20];
    static readonly HasPair hasPair = new();
    static readonly Box<Pair> box = new();
    static readonly Below below = new();
    static readonly Gaps gaps = new();
    static readonly Shifting[] shifting = new Shifting[3];
    static readonly Wide[] wide = new Wide[20];
    static object nodes;
    [ThreadStatic] static ByThreadStatic local;
    static readonly ManualResetEventSlim never = new(false);
    static int standing;

    static int Main(string[] args)
    {
        Fill(int.Parse(args[1]));
        Start(HoldThreadStatic);
        Start(HoldLocal);
        Start(HoldInside);
        while (Volatile.Read(ref standing) < 3)
            Thread.Sleep(10);
        for (int i = 0; i < int.Parse(args[0]); i++)
            Start(Allocate);
        Console.WriteLine("ready");
        never.Wait();
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fill(int count)
    {
        entries["only"] = new ByEntry();
        pairs[17].Second = new ByElement();
        hasPair.Pair.Second = new ByStruct();
        box.Value.Second = new ByArgument();
        Bare.Field = new ByBareStatic();
        FillOneByOne();
        for (int i = 0; i < count / 2; i++)
            nodes = new Node { Next = nodes, Payload = new Node() };
    }

    // Of each class no two objects have references in the same fields.
    static void FillOneByOne()
    {
        shifting[0] = new Shifting { A = new() };
        shifting[1] = new Shifting { A = new(), B = new() };
        shifting[2] = new Shifting { B = new(), C = new ByShift() };
        for (int i = 0; i < wide.Length; i++)
            typeof(Wide).GetFields()[i].SetValue(wide[i] = new Wide(), new object());
        wide[19].A = new();
        wide[19].T = new ByWidth();
    }

    static void Start(ThreadStart run) => new Thread(run) { IsBackground = true }.Start();

    static void Stand()
    {
        Interlocked.Increment(ref standing);
        never.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void SetThreadStatic() => local = new ByThreadStatic();

    static void HoldThreadStatic()
    {
        SetThreadStatic();
        Stand();
    }

    static void HoldLocal()
    {
        var held = new ByLocal();
        Stand();
        GC.KeepAlive(held);
    }

    // Only a pointer into its midst is left of this array, which is old by then.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static ref decimal Inside()
    {
        var array = new decimal[1234];
        GC.Collect();
        GC.Collect();
        return ref array[1000];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void HoldInside()
    {
        ref decimal inside = ref Inside();
        Stand();
        inside++;
    }

    static void Allocate()
    {
        var keep = new object[5000];
        for (var random = new Random();;)
            keep[random.Next(keep.Length)] = new byte[random.Next(400)];
    }
}
