/* norn cc -g -O1 -pthread double_free_by_changed_pointer.c -o w && norn run ./w      (-O0, -O1, -O2: 15 of 15
 * recordings)
 * reported: race on buf only ("reads 0x55d9… instead of 0x7fae…"); complete.
 * should be: double free: both ioctls read the same old buf before either replaces it, and each frees it (the usual CVE
 * of this kind). main/2's read takes another pointer than recorded; nothing tests it;
 * free(o) of that value is then the second free of main/1's block. Section 15 ("freed pointers: not judged … the verdict
 * is partial") would have it partial: it is complete.
 * (The "consequence" of the race could say it: the value goes straight into free(), and main/1 frees the block that it
 * would be.) */

#include "lucky.h"

/* both ioctls free the same old buffer: pointer is looked at outside of the lock */
static char *buf;
MX(m);
T(setbuf_)
{
	F(L(m);) char *o = buf;
	char *n = malloc(32);
	W(L(m);) buf = n;
	U(m);
	free(o);
	return 0;
} //@
int main(void)
{
	pthread_t a, b;
	buf = malloc(32);
	char *k[2] = {malloc(32), malloc(32)};
	GO(a, setbuf_, 0);
	nap(20);
	GO(b, setbuf_, 0);
	WAIT(a);
	WAIT(b);
	free(buf);
	free(k[0]);
	free(k[1]);
	return 0;
}
