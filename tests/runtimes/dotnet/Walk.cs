// SPDX-License-Identifier: BSD-2-Clause
// What is in the heap by another way than gctrace's, walker.c, a library that the runtime has loaded
// at the start; and the names of the classes by reflection. Writes
//
//   class OBJECTS BYTES NAME
//   walked ROOM HEAP FREE        bytes of the objects with what is between them for alignment;
//                                GetGCMemoryInfo's heap and what is free of it
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Programs;

static unsafe class Walk
{
    struct Counted
    {
        public nint Class;
        public ulong Objects, Bytes, Room;
    }

    public static void Run(string library, string go, string truth)
    {
        nint walker = NativeLibrary.Load(library);
        var walk = (delegate* unmanaged<byte*, int>)NativeLibrary.GetExport(walker, "walker_walk");
        var next = (delegate* unmanaged<int, Counted*, int>)NativeLibrary.GetExport(walker, "walker_class");
        byte[] path = Encoding.UTF8.GetBytes(go + "\0");
        int result;

        Console.WriteLine("ready");
        fixed (byte* file = path)
            result = walk(file);
        GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.FullBlocking);
        Marshal.ThrowExceptionForHR(result);

        var lines = new List<string>();
        ulong room = 0;
        Counted counted;
        for (int at = 0; (at = next(at, &counted)) >= 0; room += counted.Room)
        {
            Type type = Type.GetTypeFromHandle(RuntimeTypeHandle.FromIntPtr(counted.Class));
            lines.Add($"class {counted.Objects} {counted.Bytes} {Name(type)}");
        }
        lines.Add($"walked {room} {info.HeapSizeBytes} {info.FragmentedBytes}");
        File.AppendAllLines(truth, lines);
    }

    // Outer<A>+Inner<B>[]: arguments are listed for all levels together, the outermost first.
    static string Name(Type type)
    {
        if (type.IsArray)
            return $"{Name(type.GetElementType())}[{new string(',', type.GetArrayRank() - 1)}]";
        Type[] arguments = type.GetGenericArguments();
        int used = 0;
        var name = new StringBuilder(type.Namespace is { Length: > 0 } space ? space + "." : "");
        var levels = new Stack<Type>();
        for (Type level = type; level != null; level = level.DeclaringType)
            levels.Push(level);
        foreach (Type level in levels)
        {
            string[] parts = level.Name.Split('`');
            name.Append(level.IsNested ? "+" : "").Append(parts[0]);
            int own = parts.Length > 1 ? int.Parse(parts[1]) : 0;
            if (own > 0)
                name.Append('<').AppendJoin(", ", Array.ConvertAll(arguments[used..(used + own)], Name))
                    .Append('>');
            used += own;
        }
        return name.ToString();
    }
}
