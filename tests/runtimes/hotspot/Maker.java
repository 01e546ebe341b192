// SPDX-License-Identifier: BSD-2-Clause
class Maker {
	static Object make() {
		return new Before();
	}
}
