/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the kernel answers EFAULT for addresses that are none */
#include "correct.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
T(w)
{
	int f[2], n = 0;
	char *volatile bad = mmap(0, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *half;
	struct stat *volatile st = (void *)bad;
	struct pollfd *volatile pf = (void *)bad;
	struct timespec *volatile ts = (void *)bad;
	mprotect(bad, 4096, PROT_READ | PROT_WRITE);
	half = bad + 4090;
	st = (void *)(bad + 4096);
	pf = (void *)(bad + 4096);
	ts = (void *)(bad + 4096);
	char *volatile none = bad + 4096;
	if (pipe(f) || write(f[1], "0123456789abcdef", 16) != 16)
		abort();
	n += read(f[0], none, 4) == -1 && errno == EFAULT;
	n += (read(f[0], half, 10) == 6) << 1;
	n += (write(f[1], none, 4) == -1 && errno == EFAULT) << 2;
	n += (open(none, O_RDONLY) == -1 && errno == EFAULT) << 3;
	n += (stat(".", st) == -1 && errno == EFAULT) << 4;
	n += (poll(pf, 1, 0) == -1 && errno == EFAULT) << 5;
	n += (nanosleep(ts, 0) == -1 && errno == EFAULT) << 6;
	n += (pipe((int *)none) == -1 && errno == EFAULT) << 7;
	n += (getcwd(none, 100) == 0 && errno == EFAULT) << 8;
	struct iovec v[2] = {{half, 3}, {none, 3}};
	n += (writev(f[1], v, 2) == 3) << 9;
	n += (readlink("/proc/self/exe", none, 4) == -1 && errno == EFAULT) << 10;
	close(f[0]);
	close(f[1]);
	munmap(bad, 8192);
	(void)a;
	return (void *)(intptr_t)n;
}
int main(void)
{
	pthread_t x;
	void *r;
	GO(x, w, 0);
	pthread_join(x, &r);
	printf("%x\n", (int)(intptr_t)r);
	return 0;
}
