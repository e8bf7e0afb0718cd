/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_external.prop
 * no-finding: yes
 */
/* The kernel writes ready. It is read before go is set, so its value is known there. */
#include <sys/uio.h>
#include <unistd.h>

int ready, go, seen;

int main(void)
{
	int ends[2], one = 1;
	struct iovec to = {&ready, sizeof ready};
	if (pipe(ends) || write(ends[1], &one, sizeof one) != sizeof one)
		return 1;
#ifndef UNNOTICED
	if (readv(ends[0], &to, 1) != sizeof ready)
		return 1;
#ifdef BAD
	ready = 0;
#endif
	seen = ready;
	go = 1;
#else
	seen = ready;
	if (readv(ends[0], &to, 1) != sizeof ready)
		return 1;
	go = 1;
#endif
	seen = ready;
	return 0;
}
