// SPDX-License-Identifier: BSD-2-Clause
// What Unloading loads by a loader of its own: its objects live longer than it does.
public class Making {
	public static Object make() {
		return new byte[1000];
	}
}
