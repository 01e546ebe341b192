// SPDX-License-Identifier: BSD-2-Clause
// One object of each type that is named In…, held in exactly one way, which its name says. The paths
// that gctrace has to find are in tests/runtimes/dotnet_heap.sh. Waits until it is killed.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using System.Threading;
using System.Threading.Tasks;

namespace Programs;

class InStatic { }
class InDictionary { }
class InThreadStatic { }
class InLocal { }
class InCaptured { }
class InNormalHandle { }
class InPinnedHandle { public long Blittable; }
class InWeakHandle { }
class InDependentHandle { }
class InWeakTable { }
class InSparse { }
class InBase { }
class InDerived { }
class InGeneric { }
class InNested { }
class InArray { }
class InMatrix { }
class InJagged { }
class InStructArray { }
class InStructField { }
class InAsync { }
class InCollectible { }
class InEvent { }
class InList { }
class InGenericStatic { }
class InGenericByStruct { }
class InEntry { }
class InPairs { }
class InTuple { }
class InWrapped { }
class InWrappedTwice { }
class InNullable { }
class InLongWeakHandle { }
class InStructStatic { }
class InMethodless { }

class InFinalizerQueue
{
    // The first one never ends, so that all others wait.
    ~InFinalizerQueue() => Thread.Sleep(Timeout.Infinite);
}

class Finalizable
{
    public object Held = new InFinalizable();
    ~Finalizable() { }
}
class InFinalizable { }

class Sparse
{
    public object A = new(), B, C = new(), D, E, F = new();
    public object Held, G;
}

class Base
{
    public object None;
    public InBase HeldByBase = new();
    public int Number;
}

class Derived : Base
{
    public object NoneEither;
    public byte Small;
    public InDerived HeldByDerived = new();
}

class Box<TFirst, TSecond>
{
    public TFirst First;
    public TSecond Second;
    public class Lid { public TSecond Under; }
}

class Outer
{
    public class Middle
    {
        public class Inner { public InNested Held = new(); }
    }
}

struct Pair
{
    public long Number;
    public object Held;
}

struct Wrap<T>
{
    public int Number;
    public T Inner;
}

// Of its static fields no other class is told, but by the instance.
class Generic<T>
{
    public static Dictionary<string, T> items = new();
    public static T only;
}

class HasGenericStructs
{
    public object None;
    public Wrap<InWrapped> Wrapped;
    public Wrap<Wrap<InWrappedTwice>> Twice;
    public (int Number, InTuple Held) Tuple;
    public Pair? Nullable;
}

class HasStruct
{
    public int Before;
    public object None;
    public Pair Middle;
}

class Frozen
{
    public object None;
    public string Text = "a literal that the runtime need not ever move";
    public object Held = typeof(Frozen);
}

static class Graph
{
    static InStatic inStatic = new();
    static readonly Dictionary<string, InDictionary> byName = new() { ["only"] = new InDictionary() };
    [ThreadStatic] static InThreadStatic inThreadStatic;
    static Func<object> captured;
    static readonly ConditionalWeakTable<object, InWeakTable> weakTable = new();
    static readonly object key = new(), dependentKey = new();
    static DependentHandle dependent;
    static readonly Sparse sparse = new() { Held = new InSparse() };
    static readonly Derived derived = new();
    static readonly Box<string, InGeneric>.Lid box = new() { Under = new InGeneric() };
    static readonly Outer.Middle.Inner nested = new();
    static readonly InArray[] array = new InArray[10];
    static readonly object[,] matrix = new object[3, 4];
    static readonly InJagged[][] jagged = { null, new InJagged[5] };
    static readonly Pair[] pairs = new Pair[10];
    static readonly HasStruct hasStruct = new();
    static readonly HasGenericStructs generics = new();
    static Pair alone;
    static readonly Dictionary<int, Pair> entries = new();
    static readonly KeyValuePair<int, Wrap<InPairs>>[] keyed = new KeyValuePair<int, Wrap<InPairs>>[3];
    static readonly Finalizable finalizable = new();
    static readonly Frozen frozen = new();
    static readonly List<object> list = new();
    static readonly TaskCompletionSource never = new();
    static object task;
    static GCHandle normal, pinned, weak, longWeak;
    static event Action happened;
    static AssemblyLoadContext context;

    // What a method leaves in registers and slots it holds, too: so each thing has one of its own.
    public static int Run()
    {
        Fill();
        Handles();
        Dependents();
        Load();
        Queue();
        GC.Collect();
        new Thread(HoldThreadStatic) { IsBackground = true }.Start();
        new Thread(HoldLocal) { IsBackground = true }.Start();
        while (Volatile.Read(ref holding) < 2)
            Thread.Sleep(10);
        Console.WriteLine("ready");
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    static int holding;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handles()
    {
        normal = GCHandle.Alloc(new InNormalHandle(), GCHandleType.Normal);
        pinned = GCHandle.Alloc(new InPinnedHandle(), GCHandleType.Pinned);
        weak = GCHandle.Alloc(new InWeakHandle(), GCHandleType.Weak);
        list.Add(weak.Target);
        longWeak = GCHandle.Alloc(new InLongWeakHandle(), GCHandleType.WeakTrackResurrection);
        list.Add(longWeak.Target);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fill()
    {
        array[3] = new InArray();
        matrix[1, 2] = new InMatrix();
        jagged[1][4] = new InJagged();
        pairs[7].Held = new InStructArray();
        hasStruct.Middle.Held = new InStructField();
        list.Add(new InList());
        alone.Held = new InStructStatic();
        Bare.held = new InMethodless();
        FillGenerics();
        Capture(new InCaptured());
        task = WaitForEver(new InAsync());
        happened += new Listener().Heard;
        GC.KeepAlive(happened);
    }

    static void FillGenerics()
    {
        Generic<InGenericStatic>.only = new InGenericStatic();
        Generic<Pair>.only.Held = new InGenericByStruct();
        entries[1] = new Pair();
        entries[2] = new Pair { Held = new InEntry() };
        keyed[1] = new(7, new Wrap<InPairs> { Inner = new InPairs() });
        generics.Wrapped.Inner = new InWrapped();
        generics.Twice.Inner.Inner = new InWrappedTwice();
        generics.Tuple.Held = new InTuple();
        generics.Nullable = new Pair { Held = new InNullable() };
    }

    class Listener
    {
        readonly InEvent held = new();
        public void Heard() => GC.KeepAlive(held);
    }

    static void Capture(InCaptured o) => captured = () => o;

    static async Task WaitForEver(InAsync held)
    {
        await never.Task;
        GC.KeepAlive(held);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Dependents()
    {
        weakTable.Add(key, new InWeakTable());
        dependent = new DependentHandle(dependentKey, new InDependentHandle());
    }

    // The same assembly once more, in a context that can be unloaded, with statics of its own.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Load()
    {
        context = new AssemblyLoadContext("collectible", isCollectible: true);
        Assembly copy = context.LoadFromAssemblyPath(typeof(Graph).Assembly.Location);
        copy.GetType("Programs.Collectible").GetMethod("Fill").Invoke(null, null);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Queue()
    {
        for (int i = 0; i < 10; i++)
            GC.KeepAlive(new InFinalizerQueue());
    }

    static void HoldThreadStatic()
    {
        SetThreadStatic();
        Stand();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void SetThreadStatic() => inThreadStatic = new InThreadStatic();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void HoldLocal()
    {
        var local = new InLocal();
        Stand();
        GC.KeepAlive(local);
    }

    static void Stand()
    {
        Interlocked.Increment(ref holding);
        Thread.Sleep(Timeout.Infinite);
    }
}

// Without a method by which it is found.
static class Bare
{
    public static InMethodless held;
}

static class Collectible
{
    static InCollectible held;
    public static void Fill() => held = new InCollectible();
    public static object Held => held;
}
