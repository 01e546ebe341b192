// SPDX-License-Identifier: BSD-2-Clause
class Maker {
	static Object make() {
		// Its line is another one, its place in the bytecode is not.
		return new After();
	}
}
