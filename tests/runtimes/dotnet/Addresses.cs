// SPDX-License-Identifier: BSD-2-Clause
// Knows where its own objects lie. After each collection, and now and then beside a background one,
// it reads the addresses of all objects it has handles to, pinned ones and such as move, and writes
// those that are new or have changed:
//
//   look   u64 time (CLOCK_MONOTONIC), u32 collections so far, u32 entries
//   entry  u32 key, u32 bytes of the object, u64 address; 0: the runtime has cleared its handle
//
// All little endian. An address is that of the object's type pointer, as gctrace's are. A reading
// counts only if no collection began or ended meanwhile; its time is that of its beginning. Objects
// are dropped and made all the time; what is dropped has a weak handle until it is dead, so that its
// address can be read until then.
//
// Beside a background collection it makes objects of the sizes of others, that they may get the very
// places of such as have just been freed, or nearly: it is then that a tool may take one for the
// other.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Programs;

sealed class Link
{
    public Link Next;
    public object Payload;
    public long Number;
}

static class Addresses
{
    const int Slots = 2000;

    struct Slot
    {
        public object Held;        // null: dropped
        public GCHandle Weak, Pin;
        public uint Key, Bytes;
        public ulong Address;      // as written last
    }

    static readonly Slot[] slots = new Slot[Slots];
    static readonly ulong[] reading = new ulong[Slots];
    static readonly byte[] buffer = new byte[16 + 16 * Slots];
    static readonly Random random = new(1);
    static FileStream file;
    static uint keys;
    static long reads, repeated, background, lastBackground;
    static bool beside; // a background collection may run

    public static int Run(string go, string truth, int rounds)
    {
        using (file = new FileStream(truth, FileMode.Create, FileAccess.Write, FileShare.Read, 0))
        {
            Ballast.Load();
            for (int i = 0; i < Slots; i++)
                Fill(ref slots[i], random.Next(40));
            Wait.For(go);
            Look();
            for (int round = 0; round < rounds; round++)
            {
                Change();
                Collect(round);
                Crowd();
                Look();
                CountBackground();
            }
        }
        Console.WriteLine($"{reads} readings, {repeated} of them repeated, {keys} objects, " +
            $"{GC.CollectionCount(0)} collections, {GC.CollectionCount(1)} of generation 1 and " +
            $"{GC.CollectionCount(2)} of generation 2, {background} in the background");
        while (File.Exists(go)) // a dump may be on its way
            System.Threading.Thread.Sleep(50);
        return 0;
    }

    // Every kind that there is, compacting ones and such beside which the program runs on.
    static void Collect(int round)
    {
        if (round % 50 == 49)
            GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
        switch (round % 20)
        {
            case 5: GC.Collect(1); break;
            case 9: GC.Collect(2, GCCollectionMode.Forced, true, true); beside = false; break;
            case 12: GC.Collect(1, GCCollectionMode.Forced, true, true); break;
            case 14: beside = true; GC.Collect(2, GCCollectionMode.Default, false, false); break;
            case 15: GC.Collect(0); break; // while that one runs, perhaps
            case 19: beside = true; GC.Collect(2, GCCollectionMode.Forced, true, false); break;
            default: GC.Collect(0); break;
        }
    }

    static void CountBackground()
    {
        long index = GC.GetGCMemoryInfo(GCKind.Background).Index;
        background += index == lastBackground ? 0 : 1;
        beside &= index == lastBackground;
        lastBackground = index;
    }

    static void Change()
    {
        for (int i = 0; i < 60; i++)
        {
            ref Slot slot = ref slots[random.Next(Slots)];
            if (slot.Held != null)
                Drop(ref slot);
            else if (slot.Address == 0)
                Fill(ref slot, random.Next(40));
            Garbage();
        }
    }

    // The program goes on beside a background collection, until that ends or a while has passed.
    static void Crowd()
    {
        for (int i = 0; i < 200 && beside; i++)
        {
            ref Slot slot = ref slots[random.Next(Slots)];
            if (slot.Held == null && slot.Address == 0)
                Fill(ref slot, random.Next(3));
            Garbage();
            if (i % 20 == 19)
                Look();
            CountBackground();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Garbage()
    {
        for (int i = random.Next(8); i > 0; i--)
            GC.KeepAlive(new byte[random.Next(300)]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Drop(ref Slot slot)
    {
        if (slot.Pin.IsAllocated)
            slot.Pin.Free();
        slot.Held = null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fill(ref Slot slot, int which)
    {
        (slot.Held, slot.Bytes) = Make(which);
        slot.Weak = GCHandle.Alloc(slot.Held, GCHandleType.Weak);
        slot.Key = ++keys;
        if (slot.Held is byte[] && keys % 16 == 0)
            slot.Pin = GCHandle.Alloc(slot.Held, GCHandleType.Pinned);
    }

    // An object and its size: its header, type pointer and what it has.
    static (object, uint) Make(int which)
    {
        int length = random.Next(400);
        switch (which)
        {
            case 0: length = 85000 + length % 4 * 8; break; // large
            case 1:
                length = length % 4 * 8;
                return (GC.AllocateArray<byte>(length, true), 24 + (uint)length);
            case 2: length = length % 4 * 8; break;
            case < 10: return (new string('x', length + 1), 22 + 2 * (uint)(length + 1));
            case < 15: return (new object[length], 24 + 8 * (uint)length);
            case < 25:
                var next = slots[random.Next(Slots)].Held as Link;
                return (new Link { Next = random.Next(4) == 0 ? next : null, Payload = new byte[length] }, 40);
        }
        return (new byte[length], 24 + (uint)length);
    }

    static void Look()
    {
        (int, long) before, after;
        long time;
        do
        {
            before = Progress();
            time = Wait.Now;
            for (int i = 0; i < Slots; i++)
                reading[i] = AddressOf(slots[i].Weak);
            after = Progress();
            reads++;
            repeated += before == after ? 0 : 1;
        } while (before != after);
        Write(time, after.Item1);
    }

    // Collections that were begun, and the background one that was finished last.
    static (int, long) Progress() =>
        (GC.CollectionCount(0), GC.GetGCMemoryInfo(GCKind.Background).Index);

    static unsafe ulong AddressOf(GCHandle weak)
    {
        object o = weak.IsAllocated ? weak.Target : null;
        return *(ulong*)Unsafe.AsPointer(ref o);
    }

    static void Write(long time, int collections)
    {
        int entries = 0;
        for (int i = 0; i < Slots; i++)
        {
            ref Slot slot = ref slots[i];
            if (!slot.Weak.IsAllocated || reading[i] == slot.Address)
                continue;
            Span<byte> at = buffer.AsSpan(16 + 16 * entries++);
            BinaryPrimitives.WriteUInt32LittleEndian(at, slot.Key);
            BinaryPrimitives.WriteUInt32LittleEndian(at[4..], slot.Bytes);
            BinaryPrimitives.WriteUInt64LittleEndian(at[8..], reading[i]);
            slot.Address = reading[i];
            if (slot.Address == 0)
                slot.Weak.Free();
        }
        BinaryPrimitives.WriteInt64LittleEndian(buffer, time);
        BinaryPrimitives.WriteInt32LittleEndian(buffer.AsSpan(8), collections);
        BinaryPrimitives.WriteInt32LittleEndian(buffer.AsSpan(12), entries);
        file.Write(buffer, 0, 16 + 16 * entries);
    }
}
