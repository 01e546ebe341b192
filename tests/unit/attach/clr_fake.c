/* SPDX-License-Identifier: BSD-2-Clause */
#include "clr_fake.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "target/process.h"

/* Listens on argv[1], unless it is "". Each line of its stdin is an answer in hexadecimal. */
static const char program[] =
	"#include <dlfcn.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
	"#include <sys/socket.h>\n#include <sys/un.h>\n"
	"static char line[200000], question[70000];\n"
	"int main(void) {\n"
	"	int s = socket(AF_UNIX, SOCK_STREAM, 0), c, n;\n"
	"	struct sockaddr_un a = { .sun_family = AF_UNIX };\n"
	"	if (!dlopen(\"./libcoreclr.so\", RTLD_NOW)) puts(dlerror());\n"
	"	puts(\"mapped\"); fflush(stdout);\n"
	"	if (!fgets(line, sizeof(line), stdin)) return 1;\n"
	"	line[strcspn(line, \"\\n\")] = 0;\n"
	"	if (*line) { strcpy(a.sun_path, line);\n"
	"		if (bind(s, (void *)&a, sizeof(a)) || listen(s, 9)) return 1; }\n"
	"	puts(\"ready\"); fflush(stdout);\n"
	"	while (fgets(line, sizeof(line), stdin)) {\n"
	"		c = accept(s, 0, 0);\n"
	"		if (recv(c, question, sizeof(question), 0) <= 0) return 0;\n"
	"		if (*line == 'x') return 0;\n"
	"		for (char *p = line; sscanf(p, \"%2x\", &n) == 1; p += 2) {\n"
	"			char b = n; if (write(c, &b, 1) != 1) break; }\n"
	"		close(c);\n"
	"	}\n"
	"	return 0;\n"
	"}\n";

static const char *const *wanted_settings;

static bool set_environment(void)
{
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)) || setenv("TMPDIR", here, 1))
		return false;
	for (const char *const *at = wanted_settings; at && *at; at++)
		if (putenv((char *)*at))
			return false;
	return true;
}

void clr_fake__begin(struct clr_fake *fake, enum clr_fake_name name, const char *const *settings)
{
	struct buf path = BUF_INIT;

	assert_non_null(getcwd(fake->directory, sizeof(fake->directory)));
	fixture__write("fake.c", program);
	fixture__write("clr.c", "");
	fixture__compile("fake.c -o fake -ldl");
	fixture__compile("-shared -fPIC clr.c -o libcoreclr.so");
	wanted_settings = settings;
	fake->child = fixture__start("./fake", NULL, set_environment);
	assert_string_equal(fixture__hear(&fake->child), "mapped");
	assert_int_equal(process__open(fake->child.pid, &fake->process, NULL), 0);
	if (name != CLR_FAKE_NONE)
		buf__printf(&path, "dotnet-diagnostic-%d-%" PRIu64 "-socket", fake->child.pid,
			    fake->process->start_ticks + (name == CLR_FAKE_AGED));
	fixture__say(&fake->child, buf__str(&path));
	assert_string_equal(fixture__hear(&fake->child), "ready");
	buf__free(&path);
}

void clr_fake__end(struct clr_fake *fake)
{
	process__free(fake->process);
	fixture__stop(&fake->child);
}

void clr_fake__say(struct clr_fake *fake, const char *bytes, unsigned int count)
{
	struct buf line = BUF_INIT;

	for (unsigned int i = 0; i < count; i++)
		buf__printf(&line, "%02x", (unsigned char)bytes[i]);
	fixture__say(&fake->child, buf__str(&line));
	buf__free(&line);
}

static void send_reply(struct clr_fake *fake, unsigned int ok, const struct buf *payload)
{
	const size_t bytes = 20 + payload->len;
	struct buf reply = BUF_INIT;

	buf__add(&reply, "DOTNET_IPC_V1", 14);
	buf__add_char(&reply, (char)bytes);
	buf__add_char(&reply, (char)(bytes >> 8));
	buf__add_char(&reply, (char)0xff);
	buf__add_char(&reply, ok ? 0 : (char)0xff);
	buf__add(&reply, "\0", 2);
	buf__add(&reply, payload->data, payload->len);
	clr_fake__say(fake, reply.data, (unsigned int)reply.len);
	buf__free(&reply);
}

void clr_fake__reply(struct clr_fake *fake, unsigned int ok, uint32_t result)
{
	struct buf payload = BUF_INIT;

	buf__add(&payload, &result, sizeof(result));
	send_reply(fake, ok, &payload);
	buf__free(&payload);
}

void clr_fake__say_version(struct clr_fake *fake, const char *version)
{
	struct buf payload = BUF_INIT;
	uint32_t units = (uint32_t)strlen(version) + 1;

	buf__add_repeated(&payload, 0, 8 + 16 + 4 * 4);
	buf__add(&payload, &units, sizeof(units));
	for (uint32_t i = 0; i < units; i++) {
		buf__add_char(&payload, version[i]);
		buf__add_char(&payload, 0);
	}
	send_reply(fake, 1, &payload);
	buf__free(&payload);
}

void clr_fake__exit(struct clr_fake *fake)
{
	fixture__say(&fake->child, "x");
}
