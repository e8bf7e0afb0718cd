/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a number of a descriptor is its owner's until it is closed, whichever function made it */
#include "slot.h"
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
static _Thread_local int round;
static void init(void)
{
}
static int take(void)
{
	switch (round++ % 8) {
	case 0:
		return eventfd(0, 0);
	case 1:
		return epoll_create1(0);
	case 2:
		return timerfd_create(CLOCK_MONOTONIC, 0);
	case 3:
		return inotify_init();
	case 4:
		return memfd_create("x", 0);
	case 5:
		return socket(AF_UNIX, SOCK_STREAM, 0);
	case 6:
		return fcntl(0, F_DUPFD, 0);
	default:
		return openat(AT_FDCWD, "/dev/null", O_RDWR);
	}
}
static void give(int n)
{
	close(n);
}
