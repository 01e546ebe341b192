/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of libFuzzer: gives a fuzz target each input of its kept corpus once. What libFuzzer
 * found in minutes is checked so in a moment, with the sanitizers of the compiler that builds the
 * unit tests.
 *
 *   X_replay DIRECTORY
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static int give(int directory, const char *name)
{
	const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		fprintf(stderr, "%s cannot be read\n", name);
		return 1;
	}
	/* Of its exact size, so that a read beyond the input's end is seen. */
	bytes = malloc((size_t)st.st_size ? (size_t)st.st_size : 1);
	if (!bytes || read(fd, bytes, (size_t)st.st_size) != st.st_size) {
		fprintf(stderr, "%s cannot be read\n", name);
		return 1;
	}
	close(fd);
	/* Before the target sees it: the last name is that of the input that ends it. */
	printf("%s\n", name);
	fflush(stdout);
	LLVMFuzzerTestOneInput(bytes, (size_t)st.st_size);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	size_t inputs = 0;

	if (!directory) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		if (give(dirfd(directory), entry->d_name))
			return 1;
		inputs++;
	}
	closedir(directory);
	printf("%zu inputs\n", inputs);
	return inputs ? 0 : 1;
}
