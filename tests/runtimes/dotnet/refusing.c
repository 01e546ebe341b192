/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library in the agent's place that takes SECONDS, then ends the process (EXITS) or refuses to be
 * loaded, by RESULT. Built by the tests that need one.
 */
#include <stdint.h>
#include <unistd.h>

int32_t DllGetClassObject(const void *class, const void *interface, void **out);

int32_t DllGetClassObject(const void *class, const void *interface, void **out)
{
	(void)class;
	(void)interface;
	*out = 0;
	sleep(SECONDS);
	if (EXITS)
		_exit(0);
	return (int32_t)RESULT;
}
