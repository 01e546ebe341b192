// SPDX-License-Identifier: BSD-2-Clause
// Threads that know where they are, and when: "TID PHASE FROM UNTIL", in ns of CLOCK_MONOTONIC.
//
//	Whereabouts.dll STOP FILE: until there is a file STOP
//
// Three go through phases, one after the other: a loop of managed code, one of native code, a sleep,
// a wait for another thread, and the first of them a method that is compiled, an assembly that is
// loaded, a collection. Two are all the time where they wait: at a lock, for a line from standard
// input. The finalizer's thread is in a finalizer now and then.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Whereabouts {
	static readonly object door = new object();
	static readonly List<string> all = new List<string>();
	static readonly AutoResetEvent turn = new AutoResetEvent(false);
	static readonly List<string> finalized = new List<string>(100000);
	static byte[] assembly;
	static volatile bool over;
	static long until;

	[DllImport("libc")] static extern int gettid();
	[DllImport("libc")] static extern IntPtr memset(IntPtr bytes, int value, IntPtr count);

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int Spin(int count) {
		int sum = 0;
		for (int i = 0; i < count; i++)
			sum = sum * 31 + i;
		return sum;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void CallNative(IntPtr bytes, int count) { memset(bytes, 1, (IntPtr)count); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Sleep() { Thread.Sleep(5); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Collect() { GC.Collect(); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void WaitForTurn() { turn.WaitOne(5); }

	// Compiled when it is called first.
	static DynamicMethod Write(int length) {
		var method = new DynamicMethod("written", typeof(int), new Type[] { typeof(int) });
		ILGenerator code = method.GetILGenerator();
		code.Emit(OpCodes.Ldarg_0);
		for (int i = 0; i < length; i++) {
			code.Emit(OpCodes.Ldc_I4, i);
			code.Emit(i % 3 == 0 ? OpCodes.Xor : i % 3 == 1 ? OpCodes.Add : OpCodes.Mul);
			code.Emit(OpCodes.Ldarg_0);
			code.Emit(OpCodes.Add);
		}
		code.Emit(OpCodes.Ret);
		return method;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Compile(DynamicMethod method) {
		((Func<int, int>)method.CreateDelegate(typeof(Func<int, int>)))(1);
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Load() { Assembly.Load(assembly).GetTypes(); }

	class Last {
		~Last() {
			long from = Now();
			Spin(2000000);
			lock (finalized) Add(finalized, gettid(), "finalize", from, Now());
		}
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Leave() { new Last(); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void WaitAtDoor() { lock (door) { } }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void ReadLine() { Console.In.ReadLine(); }

	static long Now() { return Stopwatch.GetTimestamp(); }

	static void Add(List<string> own, int tid, string phase, long from, long to) {
		own.Add(tid + " " + phase + " " + from + " " + to);
	}

	static void Keep(List<string> own) { lock (all) all.AddRange(own); }

	static void Go(object collects) {
		var own = new List<string>(100000);
		int bytes = 16 << 20, tid = gettid();
		IntPtr memory = Marshal.AllocHGlobal(bytes);
		while (!over) {
			long from = Now(); Spin(10000000); Add(own, tid, "spin", from, Now());
			from = Now(); CallNative(memory, bytes); Add(own, tid, "native", from, Now());
			from = Now(); Sleep(); Add(own, tid, "sleep", from, Now());
			from = Now(); WaitForTurn(); Add(own, tid, "futex", from, Now());
			if (!(bool)collects)
				continue;
			for (int i = 0; i < 4; i++) {
				DynamicMethod method = Write(1000);
				from = Now(); Compile(method); Add(own, tid, "compile", from, Now());
				from = Now(); Load(); Add(own, tid, "load", from, Now());
			}
			Leave();
			from = Now(); Collect(); Add(own, tid, "collect", from, Now());
		}
		Keep(own);
	}

	static void Wait(string phase, Action wait) {
		var own = new List<string>();
		int tid = gettid();
		long from = Now();
		wait();
		// What is awaited happens a moment before it is known.
		own.Add(tid + " " + phase + " " + (from + 200000000) + " " + until);
		Keep(own);
	}

	static void Main(string[] arguments) {
		var threads = new List<Thread>();
		object[] kept = new object[200000];
		for (int i = 0; i < kept.Length; i++)
			kept[i] = new byte[40];
		assembly = File.ReadAllBytes(typeof(Whereabouts).Assembly.Location);
		Spin(100); CallNative(IntPtr.Zero, 0); Sleep(); Collect(); Compile(Write(1)); Load();
		Monitor.Enter(door);
		for (int i = 0; i < 3; i++) {
			int number = i;
			threads.Add(new Thread(() => Go(number == 0)));
		}
		threads.Add(new Thread(() => Wait("lock", WaitAtDoor)) { Name = "waits at the door (\u4f60)" });
		threads.Add(new Thread(() => Wait("read", ReadLine)));
		foreach (var thread in threads)
			thread.Start();
		Console.WriteLine("ready");
		while (!File.Exists(arguments[0]))
			Thread.Sleep(20);
		until = Now();
		over = true;
		Monitor.Exit(door);
		Console.WriteLine("over");
		foreach (var thread in threads)
			thread.Join();
		lock (finalized) all.AddRange(finalized);
		File.WriteAllLines(arguments[1], all);
		GC.KeepAlive(kept);
	}
}
