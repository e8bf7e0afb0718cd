/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^null-dereference user.session predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: the first pointer is set before the second (in the manner of CVE-2013-1792) */
#include "alone.h"
struct keyring {
	int usage;
	int key;
};
struct user {
	struct keyring *uid, *session;
};
static struct user user;
MUTEX(mu);
static int install(void)
{
	if (user.uid RIGHT(&&user.session))
		return 0;
	L(mu);
	if (!user.uid) {
#ifndef FIXED
		user.uid = calloc(1, sizeof *user.uid);
#else
		struct keyring *u = calloc(1, sizeof *u);
#endif
		user.session = calloc(1, sizeof *user.session);
#ifdef FIXED
		user.uid = u;
#endif
	}
	U(mu);
	return 0;
}
static int install_fixed(void)
{
	L(mu);
	if (!user.uid) {
		user.uid = calloc(1, sizeof *user.uid);
		user.session = calloc(1, sizeof *user.session);
	}
	U(mu);
	return 0;
}
T(login)
{
#ifdef FIXED
	install_fixed();
#else
	install();
#endif

	return (void *)(intptr_t)user.session->usage;
}
int main(void)
{
	pthread_t t, u;
	(void)install;
	(void)install_fixed;
	GO(t, login, 0);
	settle();
	GO(u, login, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
