/* SPDX-License-Identifier: BSD-2-Clause */
/* Only the socket that the process itself listens on is its own, wherever it lies. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/clr_socket.h"
#include "clr_fake.h"
#include "target/process.h"

static void assert_answer(const struct clr_fake *fake, int want)
{
	int fd = clr_socket__connect(fake->process, fake->directory);

	if (fd >= 0)
		close(fd);
	if (want ? fd != want : fd < 0)
		fail_msg("%d (%s), not %d", fd, fd < 0 ? strerror(-fd) : "connected", want);
}

static void own_name(const struct clr_fake *fake, char name[96])
{
	snprintf(name, 96, "dotnet-diagnostic-%d-%llu-socket", fake->child.pid,
		 (unsigned long long)fake->process->start_ticks);
}

static void its_own_is_found(void **state)
{
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	assert_answer(&fake, 0);
	clr_fake__end(&fake);
}

/* Its start time may be counted otherwise in its time namespace. */
static void one_by_another_start_time_is_found_if_it_listens(void **state)
{
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_AGED, NULL);
	assert_answer(&fake, 0);
	clr_fake__end(&fake);
}

static void none_is_none(void **state)
{
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_NONE, NULL);
	assert_answer(&fake, -ENOENT);
	strcat(fake.directory, "/nowhere");
	assert_answer(&fake, -ENOTDIR);
	clr_fake__end(&fake);
}

/* A name longer than the address of a socket: bound from its own directory, as here. */
static void the_length_of_a_path_does_not_matter(void **state)
{
	const char *deep = "a-directory-with-a-very-long-name-so-that-the-whole-path-of-what-is-in"
			   "-there-is-longer-than-107-bytes";
	struct clr_fake fake;

	(void)state;
	assert_int_equal(mkdir(deep, 0755), 0);
	assert_int_equal(chdir(deep), 0);
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	assert_true(strlen(fake.directory) > 107);
	assert_answer(&fake, 0);
	clr_fake__end(&fake);
	assert_int_equal(chdir(".."), 0);
}

static int listen_as_somebody_else(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static void others_are_not_taken_for_it(void **state)
{
	struct clr_fake fake;
	char name[96];
	int fd;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_NONE, NULL);
	own_name(&fake, name);
	fd = listen_as_somebody_else(name);
	assert_answer(&fake, -EXDEV);
	close(fd); /* dead now */
	assert_answer(&fake, -ECONNREFUSED);
	assert_int_equal(unlink(name), 0);
	fixture__write(name, "no socket");
	assert_answer(&fake, -EXDEV);
	clr_fake__end(&fake);
}

/* A link may lead out of its root, to whatever we can reach. */
static void no_link_is_followed(void **state)
{
	struct clr_fake fake;
	char name[96];

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	own_name(&fake, name);
	assert_int_equal(rename(name, "elsewhere"), 0);
	assert_int_equal(symlink("elsewhere", name), 0);
	assert_answer(&fake, -EXDEV);
	clr_fake__end(&fake);
}

static void who_is_gone_has_none(void **state)
{
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	fixture__stop(&fake.child);
	assert_true(clr_socket__connect(fake.process, fake.directory) < 0);
	process__free(fake.process);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture__enter, fixture__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(its_own_is_found),
		TEST(one_by_another_start_time_is_found_if_it_listens),
		TEST(none_is_none),
		TEST(the_length_of_a_path_does_not_matter),
		TEST(others_are_not_taken_for_it),
		TEST(no_link_is_followed),
		TEST(who_is_gone_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
