// SPDX-License-Identifier: BSD-2-Clause
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Programs;

// One leak at a time, each of another shape, in a heap that holds sound structures of middling size.
// For each line of the input, a shape's name, the last leak goes and this one comes; then
// "planted NAME" is written. "none" plants nothing.
static class Leaks
{
    const int Bytes = 12 << 20, Size = 240;

    static byte[] Piece() => new byte[Size];
    static int Many => Bytes / (Size + 60);

    class Article { public string Name = ""; public long[] Prices = new long[6]; }
    class Shop
    {
        public readonly Dictionary<int, Article> Catalogue = new();
        public readonly SortedDictionary<int, string> Config = new();
        public readonly List<int[]> Routes = new();
        public readonly byte[][] Buffers = new byte[10][];
        public readonly LinkedList<Article> Recent = new();
        public readonly Queue<string> History = new();
    }
    static Shop shop;

    static void Open()
    {
        shop = new Shop();
        for (int i = 0; i < 4000; i++)
            shop.Catalogue[i] = new Article { Name = "article number " + i };
        for (int i = 0; i < 3000; i++)
            shop.Config[i] = "a value of some length, " + i;
        for (int i = 0; i < 5000; i++)
            shop.Routes.Add(new int[15]);
        for (int i = 0; i < 10; i++)
            shop.Buffers[i] = new byte[50000];
        for (int i = 0; i < 2000; i++)
            shop.Recent.AddLast(shop.Catalogue[i]);
        for (int i = 0; i < 3000; i++)
            shop.History.Enqueue("line " + i + " of what happened before");
    }

    static class Bus { public static event EventHandler Changed; public static void Clear() => Changed = null; }
    class Widget { public readonly byte[] Pixels = Piece(); public void On(object sender, EventArgs e) { } }
    static class Sessions { public static ConcurrentDictionary<string, byte[]> ById; }
    static class Futures { public static TaskCompletionSource First; }
    static class Tags { public static ConditionalWeakTable<object, byte[]> Table; public static List<object> Keys; }
    static class Prices { public static Dictionary<int, byte[]> ByTime; }
    static class Ring { public static LinkedList<byte[]> Items; }
    static class Inbox { public static Channel<byte[]> Messages; }
    static class Mail { public static ConcurrentQueue<byte[]> Waiting; }
    class Chain { public readonly byte[] Content = Piece(); public Chain Next; }
    class Log { public Chain First; public static Log Instance; }
    static class Ladder { public static SortedDictionary<int, byte[]> Steps; }
    static class Audit { public static List<byte[]> Entries; }
    static class Scheduler { public static PriorityQueue<byte[], int> Jobs; }
    static class Tenants { public static Dictionary<int, Dictionary<int, byte[]>> All; }
    class Order { public readonly byte[] Lines = Piece(); }
    static class ByNumber { public static Dictionary<int, Order> Orders; }
    static class ByCustomer { public static Dictionary<int, Order> Orders; }
    class Context { public readonly List<byte[]> Scratch = new(); }
    [ThreadStatic] static Context own;
    static readonly List<Thread> workers = new();
    static volatile bool over;
    static class Stack { public static ConcurrentStack<byte[]> Undone; }

    static void Forget()
    {
        Bus.Clear();
        Sessions.ById = null; Futures.First = null; Tags.Table = null; Tags.Keys = null;
        Prices.ByTime = null; Ring.Items = null; Inbox.Messages = null; Mail.Waiting = null;
        Log.Instance = null; Ladder.Steps = null; Audit.Entries = null; Scheduler.Jobs = null;
        Tenants.All = null; ByNumber.Orders = null; ByCustomer.Orders = null; Stack.Undone = null;
        over = true;
        foreach (Thread worker in workers)
            worker.Join();
        workers.Clear();
        over = false;
    }

    static async Task After(Task first, byte[] content)
    {
        await first;
        GC.KeepAlive(content);
    }

    // Apart, so that nothing of it stays on the thread's stack.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fill(int count)
    {
        own = new Context();
        for (int k = 0; k < Many / count; k++)
            own.Scratch.Add(Piece());
    }

    static void Start(int count)
    {
        using CountdownEvent begun = new(count);
        for (int i = 0; i < count; i++)
        {
            Thread worker = new(() =>
            {
                Fill(count);
                begun.Signal();
                while (!over)
                    Thread.Sleep(20);
            }, 256 << 10) { IsBackground = true };
            workers.Add(worker);
            worker.Start();
        }
        begun.Wait();
    }

    static void Plant(string shape)
    {
        switch (shape)
        {
            case "none":
                break;
            case "events":
                for (int i = 0; i < Many / 2; i++)
                    Bus.Changed += new Widget().On;
                break;
            case "cache":
                Sessions.ById = new();
                for (int i = 0; i < Many / 2; i++)
                    Sessions.ById["session " + i] = Piece();
                break;
            case "tasks":
                Futures.First = new();
                Task at = Futures.First.Task;
                for (int i = 0; i < Many / 2; i++)
                    at = After(at, Piece());
                break;
            case "weaktable":
                Tags.Table = new();
                Tags.Keys = new();
                for (int i = 0; i < Many / 2; i++)
                {
                    Tags.Keys.Add(new object());
                    Tags.Table.Add(Tags.Keys[i], Piece());
                }
                break;
            case "dictionary":
                Prices.ByTime = new();
                for (int i = 0; i < Many; i++)
                    Prices.ByTime[i] = Piece();
                break;
            case "linkedlist":
                Ring.Items = new();
                for (int i = 0; i < Many; i++)
                    Ring.Items.AddLast(Piece());
                break;
            case "channel":
                Inbox.Messages = Channel.CreateUnbounded<byte[]>();
                for (int i = 0; i < Many; i++)
                    Inbox.Messages.Writer.TryWrite(Piece());
                break;
            case "queue":
                Mail.Waiting = new();
                for (int i = 0; i < Many; i++)
                    Mail.Waiting.Enqueue(Piece());
                break;
            case "chain":
                Log.Instance = new();
                for (int i = 0; i < Many; i++)
                    Log.Instance.First = new Chain { Next = Log.Instance.First };
                break;
            case "tree":
                Ladder.Steps = new();
                for (int i = 0; i < Many; i++)
                    Ladder.Steps[i] = Piece();
                break;
            case "list":
                Audit.Entries = new();
                for (int i = 0; i < Many; i++)
                    Audit.Entries.Add(Piece());
                break;
            case "priorities":
                Scheduler.Jobs = new();
                for (int i = 0; i < Many; i++)
                    Scheduler.Jobs.Enqueue(Piece(), i * 7 % 1000);
                break;
            case "nested":
                Tenants.All = new();
                for (int i = 0; i < Many; i++)
                {
                    if (!Tenants.All.ContainsKey(i % 100))
                        Tenants.All[i % 100] = new();
                    Tenants.All[i % 100][i] = Piece();
                }
                break;
            case "shared":
                ByNumber.Orders = new();
                ByCustomer.Orders = new();
                for (int i = 0; i < Many; i++)
                    ByCustomer.Orders[i * 3] = ByNumber.Orders[i] = new Order();
                break;
            case "threadstatics":
                Start(50);
                break;
            case "stack":
                Stack.Undone = new();
                for (int i = 0; i < Many; i++)
                    Stack.Undone.Push(Piece());
                break;
            default:
                throw new ArgumentException(shape);
        }
    }

    public static int Run()
    {
        Open();
        Console.WriteLine("ready");
        while (Console.ReadLine() is string shape)
        {
            Forget();
            Plant(shape);
            GC.Collect();
            Console.WriteLine("planted " + shape);
        }
        return 0;
    }
}
