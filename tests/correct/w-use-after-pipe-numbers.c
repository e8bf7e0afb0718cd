/* norn-test
 * silent:
 */
/* A pointer goes through a pipe as eight bytes, and comes back by a socket; the block is freed by whoever holds the number. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
struct message {
	size_t length;
	char *text;
	struct message *reply;
};
static int to[2], from[2];
static void *server(void *arg)
{
	struct message *m;
	while (read(to[0], &m, sizeof m) == sizeof m) {
		struct message *r = malloc(sizeof *r);
		r->length = m->length;
		r->text = malloc(m->length + 1);
		for (size_t i = 0; i < m->length; i++)
			r->text[i] = m->text[m->length - 1 - i];
		r->text[m->length] = 0;
		r->reply = NULL;
		free(m->text);
		m->text = NULL;
		m->reply = r;
		struct iovec v[2] = {{&m, 4}, {(char *)&m + 4, 4}};
		struct msghdr h = {.msg_iov = v, .msg_iovlen = 2};
		if (sendmsg(from[0], &h, 0) != 8)
			abort();
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	if (pipe(to) || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, from))
		abort();
	pthread_create(&t, NULL, server, NULL);
	for (int i = 0; i < 4; i++) {
		struct message *m = calloc(1, sizeof *m), *same;
		m->text = strdup("stressed" + i);
		m->length = strlen(m->text);
		if (write(to[1], &m, sizeof m) != sizeof m)
			abort();
		if (recv(from[1], &same, sizeof same, 0) != sizeof same)
			abort();
		assert(same->text == NULL && same->reply->length == same->length);
		puts(same->reply->text);
		free(same->reply->text);
		free(same->reply);
		free(same);
	}
	close(to[1]);
	pthread_join(t, NULL);
	return 0;
}
