/* SPDX-License-Identifier: BSD-2-Clause */
/* A library in a process's view: where it may be put, for whom, and that nothing of it remains. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/agent_file.h"
#include "base/files.h"
#include "target/process.h"
#include "unit/target/fixture.h"

#define OTHER 65534 /* nobody */

struct scene {
	struct child child;
	struct process *process;
	char here[PATH_MAX];
	char library[PATH_MAX + 64];
	struct agent_file file;
	struct buf why;
};

static const char program[] = "#include <stdio.h>\n"
			      "int main(void) { puts(\"ready\"); fflush(stdout);"
			      " getchar(); return 0; }\n";

/* The process that it is for; enter: before it becomes that program. */
static void begin(struct scene *scene, bool (*enter)(void))
{
	*scene = (struct scene){ .why = BUF_INIT };
	assert_non_null(getcwd(scene->here, sizeof(scene->here)));
	snprintf(scene->library, sizeof(scene->library), "%s/libx.so", scene->here);
	fixture__write("libx.so", "a library");
	fixture__write("main.c", program);
	fixture__compile("main.c -o program");
	assert_int_equal(mkdir("temporary", 01777), 0);
	assert_int_equal(chmod("temporary", 01777), 0);
	scene->child = fixture__start("./program", NULL, enter);
	assert_string_equal(fixture__hear(&scene->child), "ready");
	assert_int_equal(process__open(scene->child.pid, &scene->process, NULL), 0);
}

static void end(struct scene *scene)
{
	process__free(scene->process);
	fixture__stop(&scene->child);
	buf__free(&scene->why);
}

static int place(struct scene *scene, enum agent_way way)
{
	char temporary[PATH_MAX + 64];

	buf__reset(&scene->why);
	snprintf(temporary, sizeof(temporary), "%s/temporary", scene->here);
	return agent_file__place(&scene->file, scene->process, scene->library, way, temporary,
				 &scene->why);
}

static void assert_why(const struct scene *scene, const char *word)
{
	if (!strstr(buf__str(&scene->why), word))
		fail_msg("%s: not in: %s", word, buf__str(&scene->why));
}

/* As the process sees it: the library, for everybody to read. */
static void assert_is_there(const struct scene *scene)
{
	struct buf text = BUF_INIT;
	int fd = process__open_file(scene->process, scene->file.path, O_RDONLY);
	char bytes[32];
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0444);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), strlen("a library"));
	assert_memory_equal(bytes, "a library", strlen("a library"));
	close(fd);
	buf__free(&text);
}

static bool is_gone(const struct scene *scene)
{
	int fd = process__open_file(scene->process, scene->file.path, O_PATH);

	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

/* ---------------------------------------------------------------- its own path */

static void what_it_can_read_stays_where_it_is(void **state)
{
	struct buf text = BUF_INIT;
	struct scene scene;

	(void)state;
	begin(&scene, NULL);
	assert_int_equal(place(&scene, AGENT_BY_ITS_PATH), 0);
	assert_string_equal(scene.file.path, scene.library);
	agent_file__describe(&scene.file, &text);
	assert_string_equal(buf__str(&text), "");
	assert_int_equal(agent_file__remove(&scene.file), 0);
	assert_int_equal(access("libx.so", F_OK), 0);
	buf__free(&text);
	end(&scene);
}

static bool become_other(void)
{
	return setgid(OTHER) == 0 && setuid(OTHER) == 0;
}

static void what_its_user_cannot_read_does_not(void **state)
{
	struct scene scene;

	(void)state;
	if (!fixture__is_root())
		skip();
	begin(&scene, become_other);
	assert_int_equal(chmod("libx.so", 0600), 0);
	assert_int_equal(place(&scene, AGENT_BY_ITS_PATH), -EACCES);
	assert_why(&scene, "libx.so: its user may not read it");
	end(&scene);
}

static void what_is_not_there_is_said(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, NULL);
	assert_int_equal(unlink("libx.so"), 0);
	for (int way = 0; way < AGENT_WAYS; way++) {
		assert_int_equal(place(&scene, (enum agent_way)way), -ENOENT);
		assert_why(&scene, "libx.so: No such file");
	}
	end(&scene);
}

/* ---------------------------------------------------------------- a copy */

static void a_copy_is_made_and_removed(void **state)
{
	struct buf text = BUF_INIT;
	struct scene scene;

	(void)state;
	begin(&scene, NULL);
	assert_int_equal(place(&scene, AGENT_BY_COPY), 0);
	assert_non_null(strstr(scene.file.path, "/temporary/libx."));
	assert_int_equal(strlen(files__base_name(scene.file.path)),
			 strlen("libx.0123456789abcdef.so"));
	assert_is_there(&scene);
	agent_file__describe(&scene.file, &text);
	assert_non_null(strstr(buf__str(&text), "/temporary of its own view"));
	assert_int_equal(agent_file__remove(&scene.file), 0);
	assert_true(is_gone(&scene));
	assert_int_equal(rmdir("temporary"), 0);
	buf__free(&text);
	end(&scene);
}

static void a_copy_is_its_users(void **state)
{
	struct scene scene;
	struct stat st;

	(void)state;
	if (!fixture__is_root())
		skip();
	begin(&scene, become_other);
	assert_int_equal(place(&scene, AGENT_BY_COPY), 0);
	assert_int_equal(stat(scene.file.path, &st), 0);
	assert_int_equal(st.st_uid, OTHER);
	assert_int_equal(st.st_gid, OTHER);
	assert_is_there(&scene);
	assert_int_equal(agent_file__remove(&scene.file), 0);
	assert_true(is_gone(&scene));
	assert_int_equal(geteuid(), 0);
	end(&scene);
}

/* Where its user may not write, it is in the next directory. */
static void the_next_directory_is_tried(void **state)
{
	struct scene scene;

	(void)state;
	if (!fixture__is_root())
		skip();
	begin(&scene, become_other);
	assert_int_equal(chmod("temporary", 0755), 0);
	assert_int_equal(place(&scene, AGENT_BY_COPY), 0);
	assert_memory_equal(scene.file.path, "/tmp/libx.", strlen("/tmp/libx."));
	assert_int_equal(agent_file__remove(&scene.file), 0);
	assert_true(is_gone(&scene));
	end(&scene);
}

/* Killed: as who has placed it does not come back to remove it. */
static void a_copy_does_not_outlive_who_made_it(void **state)
{
	struct scene scene;
	int pipes[2], status;
	pid_t pid;

	(void)state;
	begin(&scene, NULL);
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		if (place(&scene, AGENT_BY_COPY) ||
		    write(pipes[1], scene.file.path, sizeof(scene.file.path)) < 0)
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipes[0], scene.file.path, sizeof(scene.file.path)),
			 sizeof(scene.file.path));
	assert_is_there(&scene);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	for (int i = 0; i < 1000 && !is_gone(&scene); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	assert_true(is_gone(&scene));
	close(pipes[0]);
	close(pipes[1]);
	end(&scene);
}

/* ---------------------------------------------------------------- what is left */

#define LEFT "temporary/libgctrace-x.0123456789abcdef.so"

static unsigned int clean(const struct scene *scene)
{
	char temporary[PATH_MAX + 64];

	snprintf(temporary, sizeof(temporary), "%s/temporary", scene->here);
	return agent_file__clean(scene->process, temporary);
}

static void set_age(const char *path, time_t seconds)
{
	const struct timespec times[2] = {
		{ .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) - seconds },
	};

	assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

/* As a tracer leaves it that is killed with its helpers. */
static void leave(const char *path, time_t age)
{
	fixture__write(path, "a library");
	set_age(path, age);
}

static void assert_stays(const struct scene *scene, const char *path)
{
	struct stat st;

	clean(scene);
	if (lstat(path, &st))
		fail_msg("%s was removed", path);
}

static void a_copy_that_was_left_is_removed(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, NULL);
	leave(LEFT, 3600);
	assert_int_equal(chmod(LEFT, 0444), 0);
	assert_true(clean(&scene) >= 1);
	assert_int_equal(access(LEFT, F_OK), -1);
	leave("temporary/libgctrace-dotnet.fedcba9876543210.so", 3600);
	leave("temporary/libgctrace-hotspot.0000000000000000.so", 3600);
	assert_true(clean(&scene) >= 2);
	assert_int_equal(rmdir("temporary"), 0);
	end(&scene);
}

static void other_names_and_young_ones_stay(void **state)
{
	static const char *const names[] = {
		"libgctrace-x.0123456789abcde.so", "libgctrace-x.0123456789abcdef0.so",
		"libgctrace-x.0123456789ABCDEF.so", "libgctrace-x.0123456789abcdef.so.1",
		"libgctrace-.0123456789abcdef.so", "libgctrace-x0123456789abcdef.so",
		"xlibgctrace-x.0123456789abcdef.so", "libgctrace-x.so", "gctrace.log",
	};
	struct scene scene;
	char path[128];

	(void)state;
	begin(&scene, NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "temporary/%s", names[i]);
		leave(path, 3600);
		assert_stays(&scene, path);
	}
	leave(LEFT, 30);
	assert_stays(&scene, LEFT);
	set_age(LEFT, -3600);
	assert_stays(&scene, LEFT);
	end(&scene);
}

/* A name of ours leads to nothing but a plain file that has no other. */
static void what_is_no_such_file_stays(void **state)
{
	struct scene scene;
	struct stat st;

	(void)state;
	begin(&scene, NULL);
	leave("victim", 3600);
	assert_int_equal(symlink("../victim", LEFT), 0);
	set_age(LEFT, 3600);
	assert_stays(&scene, LEFT);
	assert_stays(&scene, "victim");
	assert_int_equal(unlink(LEFT), 0);

	assert_int_equal(link("victim", LEFT), 0);
	assert_stays(&scene, LEFT);
	assert_stays(&scene, "victim");
	assert_int_equal(unlink(LEFT), 0);

	assert_int_equal(mkdir(LEFT, 0700), 0);
	set_age(LEFT, 3600);
	assert_stays(&scene, LEFT);
	assert_int_equal(rmdir(LEFT), 0);

	/* Nobody waits for its other end. */
	assert_int_equal(mkfifo(LEFT, 0600), 0);
	set_age(LEFT, 3600);
	assert_stays(&scene, LEFT);
	assert_int_equal(unlink(LEFT), 0);

	leave(LEFT, 0);
	assert_int_equal(truncate(LEFT, ((off_t)64 << 20) + 1), 0);
	set_age(LEFT, 3600);
	assert_stays(&scene, LEFT);
	assert_int_equal(lstat("victim", &st), 0);
	assert_int_equal(st.st_size, strlen("a library"));
	end(&scene);
}

static void another_users_file_stays(void **state)
{
	struct scene scene;

	(void)state;
	if (!fixture__is_root())
		skip();
	begin(&scene, become_other);
	leave(LEFT, 3600);
	assert_stays(&scene, LEFT); /* root's, and the process is not */
	assert_int_equal(chown(LEFT, OTHER, OTHER), 0);
	set_age(LEFT, 3600);
	assert_true(clean(&scene) >= 1);
	assert_int_equal(access(LEFT, F_OK), -1);
	assert_int_equal(geteuid(), 0);
	end(&scene);
	assert_int_equal(rmdir("temporary"), 0);
	assert_int_equal(unlink("program"), 0);

	begin(&scene, NULL);
	leave(LEFT, 3600);
	if (chown(LEFT, OTHER, OTHER) == 0)
		assert_stays(&scene, LEFT);
	end(&scene);
}

static void what_is_open_or_mapped_stays(void **state)
{
	struct scene scene;
	void *at;
	int fd;

	(void)state;
	begin(&scene, NULL);
	leave(LEFT, 3600);
	fd = open(LEFT, O_RDONLY);
	assert_true(fd >= 0);
	assert_stays(&scene, LEFT);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	assert_stays(&scene, LEFT);
	munmap(at, 4096);
	assert_true(clean(&scene) >= 1);
	assert_int_equal(access(LEFT, F_OK), -1);
	end(&scene);
}

/* Placed, and not loaded for however long: its keeper holds it. */
static void a_copy_that_will_be_loaded_stays(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, NULL);
	assert_int_equal(rename("libx.so", "libgctrace-x.so"), 0);
	snprintf(scene.library, sizeof(scene.library), "%s/libgctrace-x.so", scene.here);
	assert_int_equal(place(&scene, AGENT_BY_COPY), 0);
	set_age(scene.file.path, 3600);
	assert_stays(&scene, scene.file.path);
	assert_int_equal(agent_file__remove(&scene.file), 0);
	assert_true(is_gone(&scene));
	end(&scene);
}

/* ---------------------------------------------------------------- a mount */

static bool have_own_mounts(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool have_nothing_to_write_to(void)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	return have_own_mounts() && mount("tmpfs", "/tmp", "tmpfs", flags, NULL) == 0 &&
	       mount("tmpfs", "/var/tmp", "tmpfs", flags, NULL) == 0 &&
	       mount("tmpfs", "/dev/shm", "tmpfs", flags | MS_RDONLY, NULL) == 0;
}

static size_t count_mounts(const struct process *process)
{
	struct buf text = BUF_INIT;
	size_t count = 0;

	assert_int_equal(process__read(process, "mountinfo", &text), 0);
	for (size_t i = 0; i < text.len; i++)
		count += text.data[i] == '\n';
	buf__free(&text);
	return count;
}

static void a_mount_is_made_and_removed(void **state)
{
	struct scene scene;
	size_t before;

	(void)state;
	if (!fixture__is_root())
		skip();
	begin(&scene, have_own_mounts);
	assert_int_equal(place(&scene, AGENT_BY_ITS_PATH), -EXDEV);
	assert_why(&scene, "not in its view");
	before = count_mounts(scene.process);
	assert_int_equal(place(&scene, AGENT_BY_MOUNT), 0);
	assert_int_equal(count_mounts(scene.process), before + 1);
	assert_is_there(&scene);
	assert_int_equal(access(scene.file.path, F_OK), -1); /* nor in our own view */
	assert_int_equal(agent_file__remove(&scene.file), 0);
	assert_int_equal(count_mounts(scene.process), before);
	assert_true(is_gone(&scene));
	end(&scene);
}

static void places_where_nothing_can_be_executed_are_named(void **state)
{
	struct scene scene;

	(void)state;
	if (!fixture__is_root())
		skip();
	begin(&scene, have_nothing_to_write_to);
	/* "temporary" is below a /tmp that it doesn't see. */
	assert_true(place(&scene, AGENT_BY_COPY) < 0);
	assert_why(&scene, "/tmp: mounted noexec; /var/tmp: mounted noexec; /dev/shm: read-only");
	assert_int_equal(place(&scene, AGENT_BY_MOUNT), 0);
	assert_is_there(&scene);
	assert_int_equal(agent_file__remove(&scene.file), 0);
	end(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture__enter, fixture__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_it_can_read_stays_where_it_is),
		TEST(what_its_user_cannot_read_does_not),
		TEST(what_is_not_there_is_said),
		TEST(a_copy_is_made_and_removed),
		TEST(a_copy_is_its_users),
		TEST(the_next_directory_is_tried),
		TEST(a_copy_does_not_outlive_who_made_it),
		TEST(a_copy_that_was_left_is_removed),
		TEST(other_names_and_young_ones_stay),
		TEST(what_is_no_such_file_stays),
		TEST(another_users_file_stays),
		TEST(what_is_open_or_mapped_stays),
		TEST(a_copy_that_will_be_loaded_stays),
		TEST(a_mount_is_made_and_removed),
		TEST(places_where_nothing_can_be_executed_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
