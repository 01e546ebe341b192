// SPDX-License-Identifier: BSD-2-Clause
// A heap of which the program knows what is in it: counts of its own types, each of them held, and
// what the runtime says of the heap after a full collection. Writes
//
//   type NAME OBJECTS
//   heap SIZE FRAGMENTED COLLECTIONS
//
// and then waits until the file `go` is there; it ends with the line "collections N" of how many
// there have been. If it is to, it has background collections made meanwhile, one after another.
// With a library of walker.c it waits in that, walks the heap then, and adds what
// Walk.cs writes.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;

namespace Programs;

class Customer { public string Name; public List<Order> Orders = new(); }
class Order { public Customer By; public OrderLine[] Lines; public decimal Sum; }
class OrderLine { public string Article; public int Count; public Order Of; }
class Tag<T> { public T Value; }

static class Population
{
    static readonly List<Customer> customers = new();
    static readonly List<object> tags = new();
    static int orders, lines;

    public static int Run(string go, string truth, int count, string walker = null,
        bool beside = false)
    {
        for (int i = 0; i < count; i++)
            Add(i);
        GC.Collect(2, GCCollectionMode.Forced, true, true);
        GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.FullBlocking);
        File.WriteAllLines(truth, new[] {
            $"type Programs.Customer {customers.Count}",
            $"type Programs.Order {orders}",
            $"type Programs.OrderLine {lines}",
            $"type Programs.OrderLine[] {orders}",
            $"type Programs.Tag<System.Int32> {count / 2}",
            $"type Programs.Tag<System.String> {count - count / 2}",
            $"heap {info.HeapSizeBytes} {info.FragmentedBytes} {GC.CollectionCount(0)}",
        });
        if (beside)
            new Thread(() => Busy.Collect(1)) { IsBackground = true }.Start();
        if (walker != null)
            Walk.Run(walker, go, truth);
        else
            Wait.For(go, 200);
        Console.WriteLine($"collections {GC.CollectionCount(0)}");
        return 0;
    }

    static void Add(int i)
    {
        var customer = new Customer { Name = "customer " + i };
        for (int j = 0; j < i % 5; j++)
            customer.Orders.Add(NewOrder(customer, 1 + (i + j) % 4));
        customers.Add(customer);
        tags.Add(i % 2 == 1 ? new Tag<int> { Value = i } : new Tag<string> { Value = customer.Name });
    }

    static Order NewOrder(Customer by, int count)
    {
        var order = new Order { By = by, Lines = new OrderLine[count] };
        for (int i = 0; i < count; i++)
            order.Lines[i] = new OrderLine { Article = by.Name, Count = i, Of = order };
        orders++;
        lines += count;
        return order;
    }
}
