/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses a runtime that is a library; has no probes itself. */
int collect(void);

int main(void)
{
	return collect();
}
