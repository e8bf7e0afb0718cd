/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: null pointers where the functions allow them */
#include "correct.h"
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <wchar.h>
static int cmp(const void *a, const void *b)
{
	return a > b ? 1 : a < b;
}
T(w)
{
	int n = 0, f[2], s[2];
	struct timespec t = {0, 1000};
	if (pipe(f) || socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		abort();
	n += (int)read(f[0], 0, 0) + (int)write(f[1], 0, 0) + poll(0, 0, 0) + select(0, 0, 0, 0, &(struct timeval){0, 1});
	n += (int)writev(f[1], 0, 0) + sigaction(SIGUSR1, 0, 0) + pthread_sigmask(SIG_BLOCK, 0, 0) + sigprocmask(SIG_BLOCK, 0, 0);
	n += nanosleep(&t, 0) + clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0) + (time(0) > 5) + gettimeofday(&(struct timeval){0}, 0);
	n += (waitpid(-1, 0, WNOHANG) < 0) + (int)strtol("7x", 0, 10) + snprintf(0, 0, "%d", 12345) + (int)mbrtowc(0, 0, 0, 0);
	char *c = getcwd(0, 0), *r = realpath(".", 0);
	n += strcmp(c, r);
	free(c);
	free(r);
	int e = epoll_create1(0);
	epoll_ctl(e, EPOLL_CTL_ADD, f[0], &(struct epoll_event){.events = EPOLLIN});
	n += epoll_ctl(e, EPOLL_CTL_DEL, f[0], 0) + (setlocale(LC_ALL, 0) == 0);
	n += (int)send(s[0], 0, 0, 0) + (int)sendto(s[0], "x", 1, 0, 0, 0) + (int)recvfrom(s[1], &(char){0}, 1, 0, 0, 0);
	qsort(0, 0, 4, cmp);
	n += bsearch(&n, 0, 0, 4, cmp) != 0;
	free(0);
	free(realloc(0, 5));
	n += (int)mbsrtowcs(0, &(const char *){"abc"}, 0, &(mbstate_t){0}) + utimensat(AT_FDCWD, ".", 0, 0) + fflush(0);
	close(e);
	close(f[0]);
	close(f[1]);
	close(s[0]);
	close(s[1]);
	(void)a;
	return (void *)(intptr_t)n;
}
int main(void)
{
	pthread_t x, y;
	void *r, *s;
	GO(x, w, 0);
	GO(y, w, 0);
	pthread_join(x, &r);
	pthread_join(y, &s);
	printf("%d %d\n", (int)(intptr_t)r, (int)(intptr_t)s);
	return 0;
}
