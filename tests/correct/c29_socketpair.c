/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
#include <sys/socket.h>
static int s[2], d;
T(w)
{
	char c;
	for (int i = 0; i < 3; i++) {
		if (recv(s[1], &c, 1, 0) != 1)
			abort();
		d++;
		if (send(s[1], &c, 1, 0) != 1)
			abort();
	}
	return 0;
}
int main()
{
	pthread_t x;
	char c = 1;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		return 1;
	GO(x, w, 0);
	for (int i = 0; i < 3; i++) {
		d++;
		if (send(s[0], &c, 1, 0) != 1)
			abort();
		if (recv(s[0], &c, 1, 0) != 1)
			abort();
		d++;
	}
	WAIT(x);
	return d != 9;
}
