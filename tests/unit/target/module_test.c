/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real processes with probes in all the places where files can be: found, opened, and their
 * addresses compared with what the processes say themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "target/module.h"
#include "target/note_cache.h"
#include "target/process.h"
#include "target/semaphore.h"

/* Two source files of one library: alpha has sites in both, beta no semaphore raised. */
static const char first_source[] =
	"#define _SDT_HAS_SEMAPHORES 1\n"
	"#include <sys/sdt.h>\n"
	"unsigned short gctrace_alpha_semaphore __attribute__((section(\".probes\"))) = 7;\n"
	"unsigned short other_thing_semaphore __attribute__((section(\".probes\")));\n"
	"void fire_first(long i) { STAP_PROBE1(gctrace, alpha, i); }\n"
	"void fire_other(long i) { STAP_PROBE2(other, thing, i, i); }\n"
	"extern unsigned short python_beta_semaphore;\n"
	"void fire_second(long i);\n"
	"void say(int (*print)(const char *, ...)) {\n"
	"	print(\"%p %p %p %p\\n\", (void *)&gctrace_alpha_semaphore,\n"
	"	      (void *)&python_beta_semaphore, (void *)fire_first, (void *)fire_second);\n"
	"}\n";
static const char second_source[] =
	"#define _SDT_HAS_SEMAPHORES 1\n"
	"#include <sys/sdt.h>\n"
	"extern unsigned short gctrace_alpha_semaphore;\n"
	"unsigned short python_beta_semaphore __attribute__((section(\".probes\")));\n"
	"void fire_second(long i) { STAP_PROBE1(gctrace, alpha, i);"
	" STAP_PROBE(python, beta); }\n";

/* Says its addresses; then loads each library that it is told, until its input ends. */
static const char main_source[] =
	"#include <stdio.h>\n#include <string.h>\n"
	"#ifdef LOADS\n#include <dlfcn.h>\n#endif\n"
	"void say(int (*print)(const char *, ...));\n"
	"int main(void) {\n"
	"	char line[8192];\n"
	"	setvbuf(stdout, NULL, _IOLBF, 0);\n"
	"#ifndef LOADS\n"
	"	say(printf);\n"
	"#else\n"
	"	puts(\"ready\");\n"
	"#endif\n"
	"	while (fgets(line, sizeof(line), stdin)) {\n"
	"		line[strcspn(line, \"\\n\")] = 0;\n"
	"#ifdef LOADS\n"
	"		for (char *c = line; *c; c++) if (*c == 1) *c = '\\n';\n"
	"		puts(dlopen(line, RTLD_NOW) ? \"loaded\" : dlerror());\n"
	"#endif\n"
	"	}\n"
	"	return 0;\n"
	"}\n";

struct addresses {
	uint64_t alpha, beta, first, second;
};

struct scanned {
	struct child child;
	struct process *process;
	struct note_cache *cache;
	struct modules modules;
};

static void write_sources(void)
{
	fixture__write("first.c", first_source);
	fixture__write("second.c", second_source);
	fixture__write("main.c", main_source);
}

static struct addresses hear_addresses(struct child *child)
{
	struct addresses a;
	const char *line = fixture__hear(child);

	if (sscanf(line, "0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64, &a.alpha, &a.beta,
		   &a.first, &a.second) != 4)
		fail_msg("expected four addresses, found: %s", line);
	return a;
}

static void open_process(struct scanned *scanned, pid_t pid)
{
	struct buf why = BUF_INIT;

	if (process__open(pid, &scanned->process, &why))
		fail_msg("%s", buf__str(&why));
	scanned->cache = note_cache__new();
	assert_non_null(scanned->cache);
}

static void scan(struct scanned *scanned)
{
	struct buf why = BUF_INIT;

	if (modules__scan(&scanned->modules, scanned->process, scanned->cache, &why))
		fail_msg("%s", buf__str(&why));
}

static void start(struct scanned *scanned, const char *program)
{
	*scanned = (struct scanned){ .modules = MODULES_INIT };
	scanned->child = fixture__start(program, NULL, NULL);
}

static void end(struct scanned *scanned)
{
	modules__free(&scanned->modules);
	note_cache__free(scanned->cache);
	process__free(scanned->process);
	fixture__stop(&scanned->child);
}

/* The module's path leads to a file with these numbers, while it is open. */
static void assert_file(const struct scanned *scanned, dev_t dev, ino_t inode)
{
	struct module *module = scanned->modules.first;
	struct stat st;

	assert_int_equal(module->fd, -1);
	assert_int_equal(module__open(module, scanned->process, NULL), 0);
	assert_int_equal(module__open(module, scanned->process, NULL), 0);
	assert_int_equal(stat(module->path, &st), 0);
	module__close(module);
	assert_int_equal(module->fd, -1);
	assert_int_equal(st.st_dev, dev);
	assert_int_equal(st.st_ino, inode);
	assert_int_equal(module->dev, dev);
	assert_int_equal(module->inode, inode);
}

static void assert_near(uint64_t function, uint64_t site)
{
	assert_in_range(site, function, function + 64);
}

static void assert_probes(const struct scanned *scanned, const struct addresses *a)
{
	const struct note_probe *alpha, *beta;
	struct module *module = modules__find(&scanned->modules, "gctrace", "alpha", &alpha);
	uint64_t one, other;
	uint16_t value;
	int memory;

	assert_non_null(module);
	assert_int_equal(module->providers, 1 << PROVIDER_GCTRACE | 1 << PROVIDER_PYTHON);
	assert_int_equal(alpha->site_count, 2);
	assert_int_equal(alpha->sites[0].semaphore + module->bias, a->alpha);
	assert_int_equal(alpha->sites[1].semaphore + module->bias, a->alpha);
	one = alpha->sites[0].address + module->bias;
	other = alpha->sites[1].address + module->bias;
	assert_near(a->first < a->second ? a->first : a->second, one);
	assert_near(a->first < a->second ? a->second : a->first, other);
	assert_non_null(modules__find(&scanned->modules, "python", "beta", &beta));
	assert_int_equal(beta->sites[0].semaphore + module->bias, a->beta);
	assert_null(modules__find(&scanned->modules, "gctrace", "beta", NULL));

	memory = semaphore__open_memory(scanned->process);
	assert_true(memory >= 0);
	assert_int_equal(semaphore__read(getpid(), memory, module, alpha, &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(semaphore__read(getpid(), memory, module, beta, &value), 0);
	assert_int_equal(value, 0);
	close(memory);
}

/* Compiled with these flags, probes are in this file. */
static void check_program(const char *flags, const char *file)
{
	struct scanned scanned;
	struct addresses a;
	struct stat st;

	fixture__compile("%s", flags);
	start(&scanned, "./program");
	a = hear_addresses(&scanned.child);
	open_process(&scanned, scanned.child.pid);
	scan(&scanned);
	assert_string_equal(buf__str(&scanned.modules.skipped), "");
	assert_int_equal(scanned.modules.count, 1);
	assert_int_equal(stat(file, &st), 0);
	assert_file(&scanned, st.st_dev, st.st_ino);
	assert_false(scanned.modules.first->deleted);
	assert_probes(&scanned, &a);
	end(&scanned);
}

static void in_a_position_independent_program(void **state)
{
	(void)state;
	write_sources();
	check_program("-fPIE -pie main.c first.c second.c -o program", "program");
}

static void in_a_program_at_a_fixed_address(void **state)
{
	(void)state;
	write_sources();
	check_program("-fno-pie -no-pie main.c first.c second.c -o program", "program");
}

static void in_a_library(void **state)
{
	(void)state;
	write_sources();
	fixture__compile("-fPIC -shared first.c second.c -o libfire.so");
	check_program("main.c -L. -lfire -Wl,-rpath,. -o program", "libfire.so");
}

/* Large pages between segments, as some linkers like them. */
static void in_a_library_with_wide_segments(void **state)
{
	(void)state;
	write_sources();
	fixture__compile("-fPIC -shared -Wl,-z,max-page-size=0x200000 first.c second.c"
			 " -o libfire.so");
	check_program("main.c -L. -lfire -Wl,-rpath,. -o program", "libfire.so");
}

static void in_a_deleted_library(void **state)
{
	struct scanned scanned;
	struct addresses a;
	struct stat st;

	(void)state;
	if (!fixture__is_root())
		skip();
	write_sources();
	fixture__compile("-fPIC -shared first.c second.c -o libfire.so");
	fixture__compile("main.c -L. -lfire -Wl,-rpath,. -o program");
	start(&scanned, "./program");
	a = hear_addresses(&scanned.child);
	assert_int_equal(stat("libfire.so", &st), 0);
	assert_int_equal(unlink("libfire.so"), 0);
	/* Another file in its place is not taken for it. */
	fixture__compile("-fPIC -shared second.c -o libfire.so");
	open_process(&scanned, scanned.child.pid);
	scan(&scanned);
	assert_int_equal(scanned.modules.count, 1);
	assert_true(scanned.modules.first->deleted);
	assert_non_null(strstr(scanned.modules.first->name, "/libfire.so"));
	assert_file(&scanned, st.st_dev, st.st_ino);
	assert_probes(&scanned, &a);
	end(&scanned);
}

static void keep_only(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	data[capability / 32].effective = data[capability / 32].permitted = 1U << capability % 32;
	if (syscall(SYS_capset, &header, data))
		_exit(99);
}

/*
 * Without CAP_CHECKPOINT_RESTORE there are paths alone: what stands at a mapped file's is taken
 * if it is that file, and refused with the reason if it is another, or if nothing is there.
 */
static int scan_by_paths(pid_t pid, const char *reason)
{
	struct scanned scanned = { .modules = MODULES_INIT };
	const char *skipped;

	keep_only(CAP_SYS_PTRACE);
	open_process(&scanned, pid);
	scan(&scanned);
	skipped = buf__str(&scanned.modules.skipped);
	if (!reason)
		return scanned.modules.count == 1 && !*skipped ? 0 : 1;
	return scanned.modules.count == 0 && strstr(skipped, "/libfire.so") &&
	       strstr(skipped, reason) ? 0 : 2;
}

static void assert_by_paths(pid_t pid, const char *reason)
{
	pid_t tester = fork();
	int status;

	assert_true(tester >= 0);
	if (tester == 0)
		_exit(scan_by_paths(pid, reason));
	assert_int_equal(waitpid(tester, &status, 0), tester);
	assert_int_equal(status, 0);
}

static void with_fewer_capabilities(void **state)
{
	struct child child;

	(void)state;
	if (!fixture__is_root())
		skip();
	write_sources();
	fixture__compile("-fPIC -shared first.c second.c -o libfire.so");
	fixture__compile("main.c -L. -lfire -Wl,-rpath,. -o program");
	child = fixture__start("./program", NULL, NULL);
	hear_addresses(&child);
	assert_by_paths(child.pid, NULL);
	/* Under another name it is still there, but nothing leads to it. */
	assert_int_equal(rename("libfire.so", "old.so"), 0);
	assert_int_equal(system("cp old.so libfire.so"), 0);
	assert_int_equal(rename("old.so", "libfire.so.old"), 0);
	assert_int_equal(unlink("libfire.so.old"), 0);
	assert_by_paths(child.pid, "CAP_CHECKPOINT_RESTORE");
	assert_int_equal(unlink("libfire.so"), 0);
	assert_by_paths(child.pid, "CAP_CHECKPOINT_RESTORE");
	fixture__stop(&child);
}

static void load(struct scanned *scanned, const char *path)
{
	fixture__say(&scanned->child, path);
	assert_string_equal(fixture__hear(&scanned->child), "loaded");
	scan(scanned);
}

static void a_library_that_comes_later(void **state)
{
	struct scanned scanned;
	struct module *module;
	size_t reads;

	(void)state;
	write_sources();
	fixture__compile("-fPIC -shared first.c second.c -o libfire.so");
	fixture__compile("-DLOADS main.c -ldl -o program");
	start(&scanned, "./program");
	fixture__hear(&scanned.child);
	open_process(&scanned, scanned.child.pid);
	scan(&scanned);
	assert_int_equal(scanned.modules.count, 0);
	assert_int_equal(modules__providers(&scanned.modules), 0);
	reads = note_cache__reads(scanned.cache);
	assert_true(reads > 1);

	load(&scanned, "./libfire.so");
	module = scanned.modules.first;
	assert_int_equal(scanned.modules.count, 1);
	assert_int_equal(modules__providers(&scanned.modules),
			 1 << PROVIDER_GCTRACE | 1 << PROVIDER_PYTHON);
	assert_int_equal(note_cache__reads(scanned.cache), reads + 1);

	/* Looked at again, nothing is read again, and the module stays what it was. */
	scan(&scanned);
	assert_ptr_equal(scanned.modules.first, module);
	assert_int_equal(scanned.modules.count, 1);
	assert_int_equal(note_cache__reads(scanned.cache), reads + 1);

	assert_int_equal(system("cp libfire.so libmore.so"), 0);
	load(&scanned, "./libmore.so");
	assert_int_equal(scanned.modules.count, 2);
	assert_ptr_equal(scanned.modules.first, module);
	end(&scanned);
}

/* A name with a newline and a terminal's escape; dlopen() is told it with \1 for \n. */
static void a_hostile_name(void **state)
{
	struct scanned scanned;

	(void)state;
	write_sources();
	fixture__compile("-fPIC -shared first.c second.c -o libfire.so");
	fixture__compile("-DLOADS main.c -ldl -o program");
	assert_int_equal(rename("libfire.so", "lib\n1000-2000 r-xp 0 0:1 1 \x1b[31m \xff.so"), 0);
	start(&scanned, "./program");
	fixture__hear(&scanned.child);
	open_process(&scanned, scanned.child.pid);
	load(&scanned, "./lib\0011000-2000 r-xp 0 0:1 1 \x1b[31m \xff.so");
	assert_int_equal(scanned.modules.count, 1);
	assert_non_null(strstr(scanned.modules.first->name, "/lib\n1000-2000 r-xp"));
	assert_string_equal(buf__str(&scanned.modules.skipped), "");
	end(&scanned);
}

/* A path of 64 KiB, which no system call takes in one piece. */
/* The program itself and no library: dlopen() of glibc 2.41 never returns in such a place. */
static void a_path_without_end(void **state)
{
	struct scanned scanned;
	char name[251];

	(void)state;
	if (!fixture__is_root())
		skip();
	write_sources();
	fixture__compile("main.c first.c second.c -o program");
	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 262; i++) {
		assert_int_equal(mkdir(name, 0755), 0);
		if (i == 0)
			assert_int_equal(system("cp program d*/"), 0);
		assert_int_equal(chdir(name), 0);
		if (i == 0)
			continue;
		assert_int_equal(rename("../program", "program"), 0);
	}
	start(&scanned, "./program");
	hear_addresses(&scanned.child);
	open_process(&scanned, scanned.child.pid);
	scan(&scanned);
	assert_int_equal(scanned.modules.count, 1);
	assert_true(strlen(scanned.modules.first->name) > 65536);
	assert_string_equal(buf__str(&scanned.modules.skipped), "");
	end(&scanned);
	assert_int_equal(chdir(*state), 0);
}

/* The child's root is the test's directory, in namespaces of its own where it is process 1. */
static bool enter_container(void)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWNS | CLONE_NEWPID) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	pid = fork();
	if (pid < 0)
		return false;
	if (pid > 0) {
		/* When we are killed, a pipe end fewer is open, and it ends. */
		close(0);
		close(1);
		waitpid(pid, &status, 0);
		_exit(0);
	}
	return mount("tmpfs", "inside", "tmpfs", 0, NULL) == 0 &&
	       system("cp program inside") == 0 && chroot("inside") == 0 && chdir("/") == 0;
}

/* The child of a process, by the list that the kernel keeps. */
static pid_t child_of(pid_t pid)
{
	char name[64];
	int child = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(name, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &child) != 1)
		child = 0;
	fclose(file);
	return child;
}

static void in_a_container(void **state)
{
	struct scanned scanned = { .modules = MODULES_INIT };
	struct addresses a;
	char name[64];
	pid_t inner;

	(void)state;
	if (!fixture__is_root())
		skip();
	write_sources();
	fixture__compile("-static -no-pie main.c first.c second.c -o program");
	assert_int_equal(mkdir("inside", 0755), 0);
	scanned.child = fixture__start("/program", NULL, enter_container);
	a = hear_addresses(&scanned.child);
	inner = child_of(scanned.child.pid);
	if (!inner)
		SKIP("this kernel does not list a process's children");
	open_process(&scanned, inner);
	assert_true(scanned.process->other_mount_ns);
	assert_true(scanned.process->other_pid_ns);
	assert_false(scanned.process->other_user_ns);
	assert_int_equal(process__inner_pid(scanned.process), 1);
	assert_int_equal(scanned.process->nspid_count, 2);
	scan(&scanned);
	assert_int_equal(scanned.modules.count, 1);
	assert_string_equal(scanned.modules.first->name, "/program");
	assert_int_not_equal(access("/program", F_OK), 0);
	assert_int_equal(module__open(scanned.modules.first, scanned.process, NULL), 0);
	assert_int_equal(access(scanned.modules.first->path, R_OK), 0);
	assert_probes(&scanned, &a);

	/* The same with what it runs deleted. */
	modules__free(&scanned.modules);
	snprintf(name, sizeof(name), "/proc/%d/root/program", inner);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(process__open_file(scanned.process, "/program", O_RDONLY), -ENOENT);
	scan(&scanned);
	assert_true(scanned.modules.first->deleted);
	assert_probes(&scanned, &a);
	end(&scanned);
}

static void mapped_files_that_are_no_programs(void **state)
{
	static const char source[] =
		"#include <fcntl.h>\n#include <stdio.h>\n#include <sys/mman.h>\n"
		"int main(int argc, char **argv) {\n"
		"	for (int i = 1; i < argc; i++)\n"
		"		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,\n"
		"			 open(argv[i], O_RDONLY), 0) == MAP_FAILED) "
		"perror(argv[i]);\n"
		"	puts(\"ready\"); fflush(stdout); getchar(); return 0; }\n";
	const char *const arguments[] = { "text", "old\x1b[1m", "cut", NULL };
	struct scanned scanned = { .modules = MODULES_INIT };
	const char *skipped;

	(void)state;
	fixture__write("map.c", source);
	fixture__compile("map.c -o map");
	fixture__write("text", "no program\n");
	fixture__write("old\x1b[1m", "\x7f" "ELF\x01\x01\x01"
		       ".........................................."
		       "..............................................................");
	assert_int_equal(system("head -c 2000 map > cut"), 0);
	scanned.child = fixture__start("./map", arguments, NULL);
	assert_string_equal(fixture__hear(&scanned.child), "ready");
	open_process(&scanned, scanned.child.pid);
	scan(&scanned);
	skipped = buf__str(&scanned.modules.skipped);
	assert_int_equal(scanned.modules.count, 0);
	assert_null(strstr(skipped, "/text"));
	assert_non_null(strstr(skipped, "/old\\x1b[1m is a 32-bit program"));
	assert_non_null(strstr(skipped, "/cut has a table of sections that is not in the file"));
	assert_null(strchr(skipped, '\x1b'));
	end(&scanned);
}

static void a_process_that_has_gone(void **state)
{
	struct scanned scanned;
	struct buf why = BUF_INIT;
	const struct note_probe *alpha;
	struct module *module;
	uint16_t value;
	int memory;

	(void)state;
	write_sources();
	fixture__compile("-fPIE -pie main.c first.c second.c -o program");
	start(&scanned, "./program");
	hear_addresses(&scanned.child);
	open_process(&scanned, scanned.child.pid);
	scan(&scanned);
	module = modules__find(&scanned.modules, "gctrace", "alpha", &alpha);
	memory = semaphore__open_memory(scanned.process);
	assert_true(memory >= 0);
	assert_true(process__alive(scanned.process));
	fixture__stop(&scanned.child);
	assert_false(process__alive(scanned.process));
	assert_int_equal(modules__scan(&scanned.modules, scanned.process, scanned.cache, &why),
			 -ESRCH);
	assert_true(why.len > 0);
	assert_int_equal(semaphore__read(getpid(), memory, module, alpha, &value), -ESRCH);
	assert_int_equal(scanned.modules.count, 1);
	close(memory);
	buf__free(&why);
	modules__free(&scanned.modules);
	note_cache__free(scanned.cache);
	process__free(scanned.process);
}

/* Of more libraries than we may have files open none is overlooked, and each can be opened. */
static void more_files_than_descriptors(void **state)
{
	enum { LIBRARIES = 100 };
	struct rlimit before;
	struct scanned scanned;
	char name[32];

	(void)state;
	write_sources();
	fixture__compile("-fPIC -shared first.c second.c -o libfire.so");
	fixture__compile("-DLOADS main.c -ldl -o program");
	start(&scanned, "./program");
	fixture__hear(&scanned.child);
	for (int i = 0; i < LIBRARIES; i++) {
		snprintf(name, sizeof(name), "cp libfire.so %d.so", i);
		assert_int_equal(system(name), 0);
		snprintf(name, sizeof(name), "./%d.so", i);
		fixture__say(&scanned.child, name);
		assert_string_equal(fixture__hear(&scanned.child), "loaded");
	}
	open_process(&scanned, scanned.child.pid);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 32, before.rlim_max }), 0);
	scan(&scanned);
	assert_int_equal(scanned.modules.count, LIBRARIES);
	assert_string_equal(buf__str(&scanned.modules.skipped), "");
	for (struct module *m = scanned.modules.first; m; m = m->next) {
		assert_int_equal(module__open(m, scanned.process, NULL), 0);
		module__close(m);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	end(&scanned);
}

/* The oldest files are forgotten; whoever has their notes keeps them. */
static void a_cache_has_an_end(void **state)
{
	struct note_cache *cache = note_cache__new();
	struct notes *first = NULL, *notes;
	size_t reads;
	int fd;

	(void)state;
	assert_non_null(cache);
	write_sources();
	fixture__compile("-fPIC -shared first.c second.c -o libfire.so");
	fd = open("libfire.so", O_RDONLY | O_CLOEXEC);
	assert_int_equal(note_cache__read(cache, fd, &first, NULL), 0);
	assert_non_null(first);
	notes__share(first);
	for (int i = 0; i < NOTE_CACHE_FILES; i++) {
		int other = memfd_create("no program", MFD_CLOEXEC);

		assert_int_equal(note_cache__read(cache, other, &notes, NULL), 0);
		assert_null(notes);
		close(other);
	}
	reads = note_cache__reads(cache);
	assert_int_equal(note_cache__read(cache, fd, &notes, NULL), 0);
	assert_int_equal(note_cache__reads(cache), reads + 1);
	assert_ptr_not_equal(notes, first);
	assert_true(notes__has_provider(first, "gctrace"));
	notes__free(first);
	close(fd);
	note_cache__free(cache);
}

static void knows_its_providers(void **state)
{
	(void)state;
	assert_int_equal(provider__find("hs_private"), PROVIDER_HS_PRIVATE);
	assert_int_equal(provider__find("hs"), PROVIDER_COUNT);
	for (int i = 0; i < PROVIDER_COUNT; i++)
		assert_int_equal(provider__find(provider__name((enum provider)i)), i);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture__enter, fixture__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(in_a_position_independent_program),
		TEST(in_a_program_at_a_fixed_address),
		TEST(in_a_library),
		TEST(in_a_library_with_wide_segments),
		TEST(in_a_deleted_library),
		TEST(with_fewer_capabilities),
		TEST(a_library_that_comes_later),
		TEST(more_files_than_descriptors),
		TEST(a_cache_has_an_end),
		TEST(a_hostile_name),
		TEST(a_path_without_end),
		TEST(in_a_container),
		TEST(mapped_files_that_are_no_programs),
		TEST(a_process_that_has_gone),
		cmocka_unit_test(knows_its_providers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
