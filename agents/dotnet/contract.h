/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gctrace and its library for .NET have agreed on: gctrace names these when it asks a runtime
 * to load the library, and reads these back.
 */
#ifndef GCTRACE_DOTNET_CONTRACT_H
#define GCTRACE_DOTNET_CONTRACT_H

/* The file, beside gctrace or in the installed library folder; no client data is given to it. */
#define GCTRACE_DOTNET_LIBRARY "libgctrace-dotnet.so"

/* The class that the runtime asks the library for; as text, and as an initialiser of a GUID. */
#define GCTRACE_DOTNET_CLSID "{67637472-6163-6500-8000-646f746e6574}"
#define GCTRACE_DOTNET_CLSID_FIELDS                                                               \
	{ 0x67637472, 0x6163, 0x6500, { 0x80, 0x00, 0x64, 0x6f, 0x74, 0x6e, 0x65, 0x74 } }

/*
 * What the library answers, beside the runtime's own (0x80131xxx): the attach's result.
 *
 *   ALREADY_THERE   the library is loaded and at work in this process: attach to its probes. The
 *                   runtime itself would initialise one library twice.
 *   TOO_OLD         the runtime has no ICorProfilerInfo12 (it is older than .NET 5)
 *   NO_MEMORY       not even a buffer or a thread could be had
 */
#define GCTRACE_DOTNET_ALREADY_THERE 0xA0040001u
#define GCTRACE_DOTNET_TOO_OLD 0xA0040002u
#define GCTRACE_DOTNET_NO_MEMORY 0xA0040003u

#endif
