/* Input and output: threads that speak with each other through the kernel.
 *
 * One thread's read returns because another has written: through a pipe, a socket, an eventfd, a file. And one's write returns because
 * another has read, if there was no room. What may let another thread go on is logged before the call, what may have waited for another
 * after it, with whatever result: that there was nothing to read says something, too.
 *
 * These are operations on *channels*. A pipe or a file is one, both of its ends and all that is open on it; which sockets and
 * other descriptors belong together only the kernel knows, so they all are one. There are few channels, for who waits for many descriptors
 * has used them all. Descriptors that were closed meanwhile, by another thread, are nobody's channel for sure.
 * Nothing is held while the real function runs: these are cancellation points, they may block for ever, and handlers run
 * amid them.
 *
 * libc's own calls do not come by here. Of streams, what reads is logged whether or not it had to ask the kernel, since another
 * thread may have filled the stream's buffer; of what writes, only fflush. */

/* Each function under its own name, and no inline function of the headers in its place. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1

#include <errno.h>
#include <sys/stat.h>

#include "runtime/interpose.h"
#include "runtime/sys.h"

#define CHANNELS 16u
static struct {
	uint64_t object; /* only its address is used */
	atomic_bool used;
} channels[CHANNELS]; /* the first: all that is neither a pipe nor a file */

/* A call that is under way. */
struct talk {
	unsigned channel;
	uint32_t site;
};

static unsigned find_channel(int fd)
{
	struct stat stat;
	if (norn_syscall(SYS_fstat, fd, (long)&stat, 0, 0, 0, 0) != 0 || !(S_ISFIFO(stat.st_mode) || S_ISREG(stat.st_mode)))
		return 0;
	return 1 + (stat.st_ino * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (CHANNELS - 1);
}

static void log_channel(enum norn_sync_op op, unsigned channel, enum norn_receive kind, uint32_t site)
{
	norn_log_sync(op, &channels[channel].object, kind, site);
}

/* Before the call. All of these keep errno. */
static struct talk sending(int fd)
{
	struct talk talk = {.site = __norn_call_site};
	if (norn_self) {
		talk.channel = find_channel(fd);
		/* Before the call itself: who is woken by that finds it used. */
		atomic_store_explicit(&channels[talk.channel].used, true, memory_order_relaxed);
		log_channel(NORN_SYNC_SEND, talk.channel, 0, talk.site);
	}
	return talk;
}

static struct talk sending_by(FILE *file)
{
	int error = errno, fd = norn_self ? fileno(file) : -1;
	errno = error;
	return sending(fd);
}

/* After a call that gave something. */
static void received(struct talk talk)
{
	if (norn_self)
		log_channel(NORN_SYNC_RECEIVE, talk.channel, NORN_RECEIVE_INPUT, talk.site);
}

/* After one that only waited for room. */
static void waited(struct talk talk)
{
	if (norn_self)
		log_channel(NORN_SYNC_RECEIVE, talk.channel, NORN_RECEIVE_ROOM, talk.site);
}

/* After one that looked at many. */
static void looked(uint32_t site)
{
	for (unsigned i = 0; norn_self && i < CHANNELS; i++)
		if (i == 0 || atomic_load_explicit(&channels[i].used, memory_order_relaxed))
			log_channel(NORN_SYNC_RECEIVE, i, NORN_RECEIVE_INPUT, site);
}

/* ---- descriptors: receiving ---- */

NORN_EXPORT ssize_t read(int fd, void *to, size_t bytes)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(read)(fd, to, bytes);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t readv(int fd, const struct iovec *to, int count)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(readv)(fd, to, count);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pread)(fd, to, bytes, at);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t pread64(int fd, void *to, size_t bytes, off64_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pread64)(fd, to, bytes, at);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv(int fd, const struct iovec *to, int count, off_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(preadv)(fd, to, count, at);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv64(int fd, const struct iovec *to, int count, off64_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(preadv64)(fd, to, count, at);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv2(int fd, const struct iovec *to, int count, off_t at, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(preadv2)(fd, to, count, at, flags);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv64v2(int fd, const struct iovec *to, int count, off64_t at, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(preadv64v2)(fd, to, count, at, flags);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t recv(int fd, void *to, size_t bytes, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(recv)(fd, to, bytes, flags);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t recvfrom(int fd, void *to, size_t bytes, int flags, __SOCKADDR_ARG from, socklen_t *length)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(recvfrom)(fd, to, bytes, flags, from, length);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(recvmsg)(fd, message, flags);
	received(talk);
	return result;
}

NORN_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	struct talk talk = sending(fd);
	int result = REAL(recvmmsg)(fd, messages, count, flags, timeout);
	received(talk);
	return result;
}

NORN_EXPORT int accept(int fd, __SOCKADDR_ARG peer, socklen_t *length)
{
	struct talk talk = sending(fd);
	int result = REAL(accept)(fd, peer, length);
	received(talk);
	return result;
}

NORN_EXPORT int accept4(int fd, __SOCKADDR_ARG peer, socklen_t *length, int flags)
{
	struct talk talk = sending(fd);
	int result = REAL(accept4)(fd, peer, length, flags);
	received(talk);
	return result;
}

NORN_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	uint32_t site = __norn_call_site;
	int result = REAL(poll)(fds, count, timeout);
	looked(site);
	return result;
}

NORN_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(ppoll)(fds, count, timeout, mask);
	looked(site);
	return result;
}

NORN_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	uint32_t site = __norn_call_site;
	int result = REAL(select)(count, in, out, other, timeout);
	looked(site);
	return result;
}

NORN_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pselect)(count, in, out, other, timeout, mask);
	looked(site);
	return result;
}

NORN_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout)
{
	uint32_t site = __norn_call_site;
	int result = REAL(epoll_wait)(epoll, events, count, timeout);
	looked(site);
	return result;
}

NORN_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(epoll_pwait)(epoll, events, count, timeout, mask);
	looked(site);
	return result;
}

NORN_EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(epoll_pwait2)(epoll, events, count, timeout, mask);
	looked(site);
	return result;
}

NORN_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	struct talk talk = sending(fd);
	int result = REAL(eventfd_read)(fd, value);
	received(talk);
	return result;
}

/* ---- the same, as programs built with _FORTIFY_SOURCE call them ---- */

ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);
NORN_EXPORT ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(__read_chk)(fd, to, bytes, room);
	received(talk);
	return result;
}

ssize_t __pread_chk(int fd, void *to, size_t bytes, off_t at, size_t room);
NORN_EXPORT ssize_t __pread_chk(int fd, void *to, size_t bytes, off_t at, size_t room)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(__pread_chk)(fd, to, bytes, at, room);
	received(talk);
	return result;
}

ssize_t __pread64_chk(int fd, void *to, size_t bytes, off64_t at, size_t room);
NORN_EXPORT ssize_t __pread64_chk(int fd, void *to, size_t bytes, off64_t at, size_t room)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(__pread64_chk)(fd, to, bytes, at, room);
	received(talk);
	return result;
}

ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags);
NORN_EXPORT ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(__recv_chk)(fd, to, bytes, room, flags);
	received(talk);
	return result;
}

ssize_t __recvfrom_chk(int fd, void *to, size_t bytes, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *length);
NORN_EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t bytes, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *length)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(__recvfrom_chk)(fd, to, bytes, room, flags, from, length);
	received(talk);
	return result;
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
NORN_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
	uint32_t site = __norn_call_site;
	int result = REAL(__poll_chk)(fds, count, timeout, room);
	looked(site);
	return result;
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room);
NORN_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room)
{
	uint32_t site = __norn_call_site;
	int result = REAL(__ppoll_chk)(fds, count, timeout, mask, room);
	looked(site);
	return result;
}

/* ---- descriptors: sending ---- */

NORN_EXPORT ssize_t write(int fd, const void *from, size_t bytes)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(write)(fd, from, bytes);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t writev(int fd, const struct iovec *from, int count)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(writev)(fd, from, count);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pwrite)(fd, from, bytes, at);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pwrite64)(fd, from, bytes, at);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t pwritev(int fd, const struct iovec *from, int count, off_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pwritev)(fd, from, count, at);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t pwritev64(int fd, const struct iovec *from, int count, off64_t at)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pwritev64)(fd, from, count, at);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t pwritev2(int fd, const struct iovec *from, int count, off_t at, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pwritev2)(fd, from, count, at, flags);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t pwritev64v2(int fd, const struct iovec *from, int count, off64_t at, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(pwritev64v2)(fd, from, count, at, flags);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t send(int fd, const void *from, size_t bytes, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(send)(fd, from, bytes, flags);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t sendto(int fd, const void *from, size_t bytes, int flags, __CONST_SOCKADDR_ARG to, socklen_t length)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(sendto)(fd, from, bytes, flags, to, length);
	waited(talk);
	return result;
}

NORN_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct talk talk = sending(fd);
	ssize_t result = REAL(sendmsg)(fd, message, flags);
	waited(talk);
	return result;
}

NORN_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	struct talk talk = sending(fd);
	int result = REAL(sendmmsg)(fd, messages, count, flags);
	waited(talk);
	return result;
}

NORN_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG peer, socklen_t length)
{
	struct talk talk = sending(fd);
	int result = REAL(connect)(fd, peer, length);
	waited(talk);
	return result;
}

NORN_EXPORT int shutdown(int fd, int how)
{
	sending(fd);
	return REAL(shutdown)(fd, how);
}

NORN_EXPORT int close(int fd)
{
	sending(fd);
	return REAL(close)(fd);
}

NORN_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	struct talk talk = sending(fd);
	int result = REAL(eventfd_write)(fd, value);
	waited(talk);
	return result;
}

/* ---- streams ---- */

NORN_EXPORT size_t fread(void *to, size_t size, size_t count, FILE *file)
{
	struct talk talk = sending_by(file);
	size_t result = REAL(fread)(to, size, count, file);
	received(talk);
	return result;
}

NORN_EXPORT char *fgets(char *to, int room, FILE *file)
{
	struct talk talk = sending_by(file);
	char *result = REAL(fgets)(to, room, file);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t getline(char **line, size_t *room, FILE *file)
{
	struct talk talk = sending_by(file);
	ssize_t result = REAL(getline)(line, room, file);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t getdelim(char **line, size_t *room, int end, FILE *file)
{
	struct talk talk = sending_by(file);
	ssize_t result = REAL(getdelim)(line, room, end, file);
	received(talk);
	return result;
}

NORN_EXPORT ssize_t __getdelim(char **line, size_t *room, int end, FILE *file)
{
	struct talk talk = sending_by(file);
	ssize_t result = REAL(__getdelim)(line, room, end, file);
	received(talk);
	return result;
}

NORN_EXPORT int fgetc(FILE *file)
{
	struct talk talk = sending_by(file);
	int result = REAL(fgetc)(file);
	received(talk);
	return result;
}

NORN_EXPORT int getc(FILE *file)
{
	struct talk talk = sending_by(file);
	int result = REAL(getc)(file);
	received(talk);
	return result;
}

NORN_EXPORT int getchar(void)
{
	struct talk talk = sending_by(stdin);
	int result = REAL(getchar)();
	received(talk);
	return result;
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
NORN_EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file)
{
	struct talk talk = sending_by(file);
	size_t result = REAL(__fread_chk)(to, room, size, count, file);
	received(talk);
	return result;
}

char *__fgets_chk(char *to, size_t bytes, int room, FILE *file);
NORN_EXPORT char *__fgets_chk(char *to, size_t bytes, int room, FILE *file)
{
	struct talk talk = sending_by(file);
	char *result = REAL(__fgets_chk)(to, bytes, room, file);
	received(talk);
	return result;
}

static int flush_all(uint32_t site)
{
	for (unsigned i = 0; norn_self && i < CHANNELS; i++) {
		atomic_store_explicit(&channels[i].used, true, memory_order_relaxed);
		log_channel(NORN_SYNC_SEND, i, 0, site);
	}
	int result = REAL(fflush)(NULL);
	looked(site);
	return result;
}

NORN_EXPORT int fflush(FILE *file)
{
	if (!file) /* all streams that write */
		return flush_all(__norn_call_site);
	struct talk talk = sending_by(file);
	int result = REAL(fflush)(file);
	waited(talk);
	return result;
}
