// SPDX-License-Identifier: BSD-2-Clause
// What Graph loads by a loader of its own.
public class Loaded {
	public static Object held;
}
