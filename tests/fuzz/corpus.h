/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeds are made by the fuzz targets themselves, from what the project's own writers write: when
 * the corpus directory (the first argument that is one) is empty, LLVMFuzzerInitialize puts them
 * there. So nothing binary is kept in the repository, and the seeds follow the format.
 */
#ifndef FUZZ_CORPUS_H
#define FUZZ_CORPUS_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The corpus directory if it is empty: its descriptor, or -1. */
static inline int corpus__open(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		DIR *dir = argv[i][0] == '-' ? NULL : opendir(argv[i]);
		struct dirent *entry;
		size_t files = 0;

		if (!dir)
			continue;
		while ((entry = readdir(dir)))
			files += entry->d_name[0] != '.';
		closedir(dir);
		return files ? -1 : open(argv[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return -1;
}

static inline void corpus__add(int dir, unsigned int number, const void *bytes, size_t count)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "seed-%u", number);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
		abort();
	close(fd);
}

/* The target's own messages go nowhere; those of libFuzzer and of the sanitizers stay. */
static inline void corpus__silence(int *argc, char ***argv)
{
	static char flag[] = "-close_fd_mask=2";
	char **more = calloc((size_t)*argc + 2, sizeof(*more));

	if (!more)
		abort();
	memcpy(more, *argv, (size_t)*argc * sizeof(*more));
	more[(*argc)++] = flag;
	*argv = more;
}

#endif
