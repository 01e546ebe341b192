// SPDX-License-Identifier: BSD-2-Clause
// Programs that know what the collector does to them, and write it down. Programs.dll NAME ARGUMENT…
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

namespace Programs;

static class Program
{
    static int Main(string[] args)
    {
        switch (args.Length > 0 ? args[0] : "")
        {
            case "collections": return Collections.Run(args[1], args[2], int.Parse(args[3]));
            case "blocked": return Blocked.Run(int.Parse(args[1]), int.Parse(args[2]));
            case "together": return Collections.Run(args[1], args[2], int.Parse(args[3]), true);
            case "addresses": return Addresses.Run(args[1], args[2], int.Parse(args[3]));
            case "graph": return Graph.Run();
            case "population": return Population.Run(args[1], args[2], int.Parse(args[3]));
            case "beside": return Population.Run(args[1], args[2], int.Parse(args[3]), null, true);
            case "walk": return Population.Run(args[1], args[2], int.Parse(args[3]), args[4]);
            case "busy": return Busy.Run(int.Parse(args[1]), int.Parse(args[2]));
            case "churn": return Churn.Run(int.Parse(args[1]), double.Parse(args[2]));
            case "leaks": return Leaks.Run();
            case "large": return Large.Run(int.Parse(args[1]));
        }
        Console.Error.WriteLine("Programs: which program, and its arguments");
        return 2;
    }
}

static class Wait
{
    // CLOCK_MONOTONIC, as gctrace's own times.
    public static long Now => (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));

    // Say that all is set up, and wait until that file is there: looking for it allocates.
    public static void For(string file, int milliseconds = 20)
    {
        Console.WriteLine("ready");
        while (!File.Exists(file))
            Thread.Sleep(milliseconds);
    }
}

// Below 4 MB of old objects the runtime collects none in the background.
static class Ballast
{
    static readonly byte[][] old = new byte[8000][];

    public static void Load()
    {
        for (int i = 0; i < old.Length; i++)
            old[i] = new byte[2000];
        GC.Collect();
        GC.Collect();
    }
}
