/* Input and output: threads that speak with each other through the kernel.
 *
 * One thread's read returns because another has written: through a pipe, a socket, an eventfd, a file. And one's write returns
 * because another has read, if there was no room. A call that may let another thread go on is logged before it, one that may have
 * waited for another after it, with whatever result: that there was nothing to read says something, too.
 *
 * Nothing is held while the real function runs: these are cancellation points, they may block for ever, and handlers run amid them.
 *
 * libc's own calls do not come by here. Of streams, what reads is logged whether or not it had to ask the kernel, since another
 * thread may have filled the stream's buffer; what writes is in stdio.c. */

/* Each function under its own name, and no inline function of the headers in its place. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1

#include "runtime/interpose/kernel_channel.h"
#include "runtime/interpose/interpose.h"

/* ---- descriptors: receiving ---- */

NORN_EXPORT ssize_t read(int fd, void *to, size_t bytes)
{
	struct norn_channel_call talk = norn_channel_call_reads(fd);
	ssize_t result = REAL(read)(fd, to, bytes);
	norn_channel_call_read(talk, result);
	return result;
}

NORN_EXPORT ssize_t readv(int fd, const struct iovec *to, int count)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(readv)(fd, to, count);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	struct norn_channel_call talk = norn_channel_call_at(fd);
	ssize_t result = REAL(pread)(fd, to, bytes, at);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t pread64(int fd, void *to, size_t bytes, off64_t at)
{
	struct norn_channel_call talk = norn_channel_call_at(fd);
	ssize_t result = REAL(pread64)(fd, to, bytes, at);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv(int fd, const struct iovec *to, int count, off_t at)
{
	struct norn_channel_call talk = norn_channel_call_at(fd);
	ssize_t result = REAL(preadv)(fd, to, count, at);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv64(int fd, const struct iovec *to, int count, off64_t at)
{
	struct norn_channel_call talk = norn_channel_call_at(fd);
	ssize_t result = REAL(preadv64)(fd, to, count, at);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv2(int fd, const struct iovec *to, int count, off_t at, int flags)
{
	struct norn_channel_call talk = at == -1 ? norn_channel_call(fd) : norn_channel_call_at(fd);
	ssize_t result = REAL(preadv2)(fd, to, count, at, flags);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t preadv64v2(int fd, const struct iovec *to, int count, off64_t at, int flags)
{
	struct norn_channel_call talk = at == -1 ? norn_channel_call(fd) : norn_channel_call_at(fd);
	ssize_t result = REAL(preadv64v2)(fd, to, count, at, flags);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t recv(int fd, void *to, size_t bytes, int flags)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(recv)(fd, to, bytes, flags);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t recvfrom(int fd, void *to, size_t bytes, int flags, __SOCKADDR_ARG from, socklen_t *length)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(recvfrom)(fd, to, bytes, flags, from, length);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(recvmsg)(fd, message, flags);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	int result = REAL(recvmmsg)(fd, messages, count, flags, timeout);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT int accept(int fd, __SOCKADDR_ARG peer, socklen_t *length)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	int result = REAL(accept)(fd, peer, length);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT int accept4(int fd, __SOCKADDR_ARG peer, socklen_t *length, int flags)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	int result = REAL(accept4)(fd, peer, length, flags);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	uint32_t site = __norn_call_site;
	int result = REAL(poll)(fds, count, timeout);
	norn_channel_call_looked(site);
	return result;
}

NORN_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(ppoll)(fds, count, timeout, mask);
	norn_channel_call_looked(site);
	return result;
}

NORN_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	uint32_t site = __norn_call_site;
	int result = REAL(select)(count, in, out, other, timeout);
	norn_channel_call_looked(site);
	return result;
}

NORN_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pselect)(count, in, out, other, timeout, mask);
	norn_channel_call_looked(site);
	return result;
}

NORN_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout)
{
	uint32_t site = __norn_call_site;
	int result = REAL(epoll_wait)(epoll, events, count, timeout);
	norn_channel_call_looked(site);
	return result;
}

NORN_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(epoll_pwait)(epoll, events, count, timeout, mask);
	norn_channel_call_looked(site);
	return result;
}

NORN_EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *mask)
{
	uint32_t site = __norn_call_site;
	int result = REAL(epoll_pwait2)(epoll, events, count, timeout, mask);
	norn_channel_call_looked(site);
	return result;
}

NORN_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	int result = REAL(eventfd_read)(fd, value);
	norn_channel_call_received(talk);
	return result;
}

/* ---- the same, as programs built with _FORTIFY_SOURCE call them ---- */

ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);
NORN_EXPORT ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(__read_chk)(fd, to, bytes, room);
	norn_channel_call_received(talk);
	return result;
}

ssize_t __pread_chk(int fd, void *to, size_t bytes, off_t at, size_t room);
NORN_EXPORT ssize_t __pread_chk(int fd, void *to, size_t bytes, off_t at, size_t room)
{
	struct norn_channel_call talk = norn_channel_call_at(fd);
	ssize_t result = REAL(__pread_chk)(fd, to, bytes, at, room);
	norn_channel_call_received(talk);
	return result;
}

ssize_t __pread64_chk(int fd, void *to, size_t bytes, off64_t at, size_t room);
NORN_EXPORT ssize_t __pread64_chk(int fd, void *to, size_t bytes, off64_t at, size_t room)
{
	struct norn_channel_call talk = norn_channel_call_at(fd);
	ssize_t result = REAL(__pread64_chk)(fd, to, bytes, at, room);
	norn_channel_call_received(talk);
	return result;
}

ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags);
NORN_EXPORT ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(__recv_chk)(fd, to, bytes, room, flags);
	norn_channel_call_received(talk);
	return result;
}

ssize_t __recvfrom_chk(int fd, void *to, size_t bytes, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *length);
NORN_EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t bytes, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *length)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(__recvfrom_chk)(fd, to, bytes, room, flags, from, length);
	norn_channel_call_received(talk);
	return result;
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
NORN_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
	uint32_t site = __norn_call_site;
	int result = REAL(__poll_chk)(fds, count, timeout, room);
	norn_channel_call_looked(site);
	return result;
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room);
NORN_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room)
{
	uint32_t site = __norn_call_site;
	int result = REAL(__ppoll_chk)(fds, count, timeout, mask, room);
	norn_channel_call_looked(site);
	return result;
}

/* ---- descriptors: sending ---- */

NORN_EXPORT ssize_t write(int fd, const void *from, size_t bytes)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(write)(fd, from, bytes);
	norn_channel_call_wrote(talk, result);
	return result;
}

NORN_EXPORT ssize_t writev(int fd, const struct iovec *from, int count)
{
	struct norn_channel_call talk = norn_channel_call_loose(fd);
	ssize_t result = REAL(writev)(fd, from, count);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(pwrite)(fd, from, bytes, at);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(pwrite64)(fd, from, bytes, at);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t pwritev(int fd, const struct iovec *from, int count, off_t at)
{
	struct norn_channel_call talk = norn_channel_call_loose(fd);
	ssize_t result = REAL(pwritev)(fd, from, count, at);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t pwritev64(int fd, const struct iovec *from, int count, off64_t at)
{
	struct norn_channel_call talk = norn_channel_call_loose(fd);
	ssize_t result = REAL(pwritev64)(fd, from, count, at);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t pwritev2(int fd, const struct iovec *from, int count, off_t at, int flags)
{
	struct norn_channel_call talk = norn_channel_call_loose(fd);
	ssize_t result = REAL(pwritev2)(fd, from, count, at, flags);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t pwritev64v2(int fd, const struct iovec *from, int count, off64_t at, int flags)
{
	struct norn_channel_call talk = norn_channel_call_loose(fd);
	ssize_t result = REAL(pwritev64v2)(fd, from, count, at, flags);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t send(int fd, const void *from, size_t bytes, int flags)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(send)(fd, from, bytes, flags);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t sendto(int fd, const void *from, size_t bytes, int flags, __CONST_SOCKADDR_ARG to, socklen_t length)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	ssize_t result = REAL(sendto)(fd, from, bytes, flags, to, length);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct norn_channel_call talk = norn_channel_call_loose(fd);
	ssize_t result = REAL(sendmsg)(fd, message, flags);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	struct norn_channel_call talk = norn_channel_call_loose(fd);
	int result = REAL(sendmmsg)(fd, messages, count, flags);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG peer, socklen_t length)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	int result = REAL(connect)(fd, peer, length);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

NORN_EXPORT int shutdown(int fd, int how)
{
	norn_channel_call(fd);
	return REAL(shutdown)(fd, how);
}

/* ---- pipes ---- */

NORN_EXPORT int pipe(int *ends)
{
	int result = REAL(pipe)(ends);
	if (result == 0)
		norn_channel_call_piped(ends, 0);
	return result;
}

NORN_EXPORT int pipe2(int *ends, int flags)
{
	int result = REAL(pipe2)(ends, flags);
	if (result == 0)
		norn_channel_call_piped(ends, flags);
	return result;
}

NORN_EXPORT int close(int fd)
{
	norn_channel_call(fd);
	return REAL(close)(fd);
}

NORN_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	int result = REAL(eventfd_write)(fd, value);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

/* ---- streams ---- */

NORN_EXPORT size_t fread(void *to, size_t size, size_t count, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	size_t result = REAL(fread)(to, size, count, file);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT char *fgets(char *to, int room, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	char *result = REAL(fgets)(to, room, file);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t getline(char **line, size_t *room, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	ssize_t result = REAL(getline)(line, room, file);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t getdelim(char **line, size_t *room, int end, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	ssize_t result = REAL(getdelim)(line, room, end, file);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT ssize_t __getdelim(char **line, size_t *room, int end, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	ssize_t result = REAL(__getdelim)(line, room, end, file);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT int fgetc(FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	int result = REAL(fgetc)(file);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT int getc(FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	int result = REAL(getc)(file);
	norn_channel_call_received(talk);
	return result;
}

NORN_EXPORT int getchar(void)
{
	struct norn_channel_call talk = norn_channel_call_by(stdin);
	int result = REAL(getchar)();
	norn_channel_call_received(talk);
	return result;
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
NORN_EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	size_t result = REAL(__fread_chk)(to, room, size, count, file);
	norn_channel_call_received(talk);
	return result;
}

char *__fgets_chk(char *to, size_t bytes, int room, FILE *file);
NORN_EXPORT char *__fgets_chk(char *to, size_t bytes, int room, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_by(file);
	char *result = REAL(__fgets_chk)(to, bytes, room, file);
	norn_channel_call_received(talk);
	return result;
}
