/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * embed LIBRARY SCRIPT ARGUMENT…: loads LIBRARY, a libpython, when it is running already, and runs
 * SCRIPT with it.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int (*main_of_python)(int, char **);
	void *library;

	if (argc < 3)
		return 2;
	library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	*(void **)&main_of_python = library ? dlsym(library, "Py_BytesMain") : NULL;
	if (!main_of_python) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	/* Its arguments are from SCRIPT on, behind a name for itself. */
	return main_of_python(argc - 1, argv + 1);
}
