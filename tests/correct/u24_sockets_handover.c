/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a connection is accepted and handed to a worker by its number; the answer tells the client's thread that the worker is done */
#include "correct.h"
#include <netinet/in.h>
#include <sys/socket.h>
static int listener, f[2], log_of[8], total;
static struct sockaddr_in at = {.sin_family = AF_INET};
T(worker)
{
	int c;
	while (read(f[0], &c, sizeof c) == sizeof c) {
		unsigned char n;
		if (recv(c, &n, 1, 0) == 1) {
			log_of[n] = 1;
			send(c, &n, 1, MSG_NOSIGNAL);
		}
		close(c);
	}
	return a;
}
T(server)
{
	for (int i = 0; i < 4; i++) {
		int c = accept(listener, 0, 0);
		if (c < 0)
			abort();
		write(f[1], &c, sizeof c);
	}
	close(f[1]);
	return a;
}
T(client)
{
	for (unsigned char n = 0; n < 4; n++) {
		unsigned char back = 9;
		int s = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(s, (struct sockaddr *)&at, sizeof at))
			abort();
		send(s, &n, 1, MSG_NOSIGNAL);
		if (recv(s, &back, 1, MSG_WAITALL) == 1 && back == n)
			total += log_of[n];
		close(s);
	}
	return a;
}
int main(void)
{
	pthread_t t[3];
	socklen_t n = sizeof at;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (pipe(f) || bind(listener, (struct sockaddr *)&at, n) || listen(listener, 5) ||
	        getsockname(listener, (struct sockaddr *)&at, &n))
		return 2;
	GO(t[0], worker, 0);
	GO(t[1], server, 0);
	GO(t[2], client, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", total);
	return total != 4;
}
