#include "runtime/observe/observer_link.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/observe/observe.h"
#include "runtime/sys.h"

#define STACK_BYTES (128ul << 10)
#define IDLE_MS 50
#define NAP_NS 300000
#define WHY_BYTES 300u

enum state { CLOSED, OPENING, OPEN, DEAD };

struct lane {
	_Alignas(64) _Atomic uint64_t head; /* bytes ever put in; written under the observer's lock */
	_Alignas(64) _Atomic uint64_t tail; /* bytes ever sent; by the sender */
	char *ring;
	int fd;
};

static struct {
	_Atomic uint32_t state; /* enum state; OPENING → OPEN or DEAD → DEAD, by the sender */
	struct lane lanes[NORN_WIRE_LANES];
	_Atomic(struct norn_link_message *) letters; /* a stack, the newest first */
	_Atomic uint32_t bell; /* counts what there is to do; the sender sleeps on it */
	_Atomic uint32_t asleep;
	_Atomic uint32_t news; /* counts what the sender got done; others sleep on it */
	_Atomic uint32_t waiting; /* how many do */
	_Atomic uint32_t unsent; /* letters posted and not yet sent */
	_Atomic uint32_t ready, answered; /* modules: in the last READY that is waited for; in the last filter */
	_Atomic(struct norn_filter *) filter;
	unsigned patience; /* milliseconds; does not change once the sender runs */

	/* The sender's alone, once it runs. */
	struct sockaddr_storage address;
	socklen_t address_bytes;
	struct norn_wire_hello hello;
	int control;
	struct norn_link_message *out; /* oldest first */
	char *in;
	size_t in_room, in_used;
	char why[WHY_BYTES];
} line;

/* ---- time and waiting ---- */

static uint64_t now_ms(void)
{
	struct timespec t;
	norn_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value, unsigned ms)
{
	const struct timespec limit = {ms / 1000, (long)(ms % 1000) * 1000000};
	norn_syscall(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, (long)&limit, 0, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	norn_syscall(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0);
}

/* The count is changed before the sleeper's flag is looked at, the flag is set before the kernel compares the count: one of the
 * two sees the other. */
void norn_link_ring(void)
{
	atomic_fetch_add(&line.bell, 1);
	if (atomic_load(&line.asleep))
		futex_wake(&line.bell);
}

static void tell_news(void)
{
	atomic_fetch_add(&line.news, 1);
	if (atomic_load(&line.waiting))
		futex_wake(&line.news);
}

/* Sleeps until the sender tells news that came after seen, or ms have passed. */
static void await_news(uint32_t seen, unsigned ms)
{
	atomic_fetch_add(&line.waiting, 1);
	futex_wait(&line.news, seen, ms);
	atomic_fetch_sub(&line.waiting, 1);
}

bool norn_link_dead(void)
{
	return atomic_load_explicit(&line.state, memory_order_relaxed) == DEAD;
}

/* ---- the program's side ---- */

bool norn_link_push(unsigned lane_number, const void *frame, size_t bytes)
{
	struct lane *lane = &line.lanes[lane_number];
	uint64_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&lane->tail, memory_order_acquire); /* pairs with send_lane */
	if (bytes > LINK_RING - (head - tail))
		return false;
	size_t at = head % LINK_RING, first = LINK_RING - at < bytes ? LINK_RING - at : bytes;
	memcpy(lane->ring + at, frame, first);
	memcpy(lane->ring, (const char *)frame + first, bytes - first);
	atomic_store_explicit(&lane->head, head + bytes, memory_order_release); /* pairs with send_lane */
	return true;
}

bool norn_link_half_empty(unsigned lane)
{
	return atomic_load(&line.lanes[lane].head) - atomic_load(&line.lanes[lane].tail) <= LINK_RING / 2;
}

bool norn_link_await_progress(unsigned limit)
{
	uint32_t seen = atomic_load(&line.news);
	norn_link_ring();
	await_news(seen, limit);
	return atomic_load(&line.news) != seen;
}

struct norn_link_message *norn_link_message_new(size_t room)
{
	size_t bytes = sizeof(struct norn_link_message) + room;
	struct norn_link_message *letter = norn_sys_memory(bytes);
	if (letter)
		letter->bytes = bytes;
	return letter;
}

void norn_link_message_post(struct norn_link_message *letter)
{
	atomic_fetch_add(&line.unsent, 1);
	letter->next = atomic_load(&line.letters);
	while (!atomic_compare_exchange_weak(&line.letters, &letter->next, letter))
		;
	norn_link_ring();
}

bool norn_link_await_filter(uint32_t modules)
{
	uint64_t end = now_ms() + line.patience, now;
	atomic_store(&line.ready, modules);
	norn_link_ring();
	for (;;) {
		uint32_t seen = atomic_load(&line.news);
		bool answered = atomic_load(&line.answered) >= modules;
		if (answered || norn_link_dead() || (now = now_ms()) >= end) {
			atomic_store(&line.ready, 0);
			return answered;
		}
		await_news(seen, (unsigned)(end - now));
	}
}

struct norn_filter *norn_link_filter(void)
{
	if (!atomic_load_explicit(&line.filter, memory_order_relaxed))
		return NULL;
	return atomic_exchange(&line.filter, NULL);
}

static bool all_sent(void)
{
	for (unsigned i = 0; i < NORN_WIRE_LANES; i++)
		if (atomic_load(&line.lanes[i].head) != atomic_load(&line.lanes[i].tail))
			return false;
	return !atomic_load(&line.unsent);
}

bool norn_link_drain(unsigned stall, unsigned total)
{
	uint64_t start = now_ms(), moved = start, now = start;
	norn_link_ring();
	for (;;) {
		uint32_t seen = atomic_load(&line.news);
		if (all_sent())
			return true;
		if (norn_link_dead() || now - moved >= stall || now - start >= total)
			return false;
		await_news(seen, stall);
		now = now_ms();
		if (atomic_load(&line.news) != seen)
			moved = now;
	}
}

void norn_link_forget(void)
{
	atomic_store(&line.state, DEAD);
}

/* ---- the sender: sockets ---- */

static int give_up(int error, const char *why)
{
	if (!line.why[0])
		strncpy(line.why, why, sizeof line.why - 1);
	return error;
}

static int wait_for(int fd, short events, uint64_t end)
{
	uint64_t now = now_ms();
	struct pollfd p = {.fd = fd, .events = events};
	if (now >= end)
		return -ETIMEDOUT;
	long n = norn_syscall(SYS_poll, (long)&p, 1, (long)(end - now), 0, 0, 0);
	return n > 0 || n == -EINTR ? 0 : n < 0 ? (int)n : -ETIMEDOUT;
}

static int connected(int fd, uint64_t end)
{
	int error = wait_for(fd, POLLOUT, end);
	socklen_t bytes = sizeof error;
	if (error)
		return error;
	norn_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, (long)&error, (long)&bytes, 0);
	return -error;
}

/* The token and the events go to no third user who made a socket of this name. */
static bool is_trusted(int fd)
{
	struct ucred peer;
	socklen_t bytes = sizeof peer;
	return norn_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&bytes, 0) == 0 &&
	       (peer.uid == 0 || peer.uid == getauxval(AT_EUID));
}

static int connect_once(uint64_t end)
{
	int family = line.address.ss_family, one = 1;
	int fd = (int)norn_syscall(SYS_socket, family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
	if (fd < 0)
		return fd;
	long r = norn_syscall(SYS_connect, fd, (long)&line.address, line.address_bytes, 0, 0, 0);
	if (r == -EINPROGRESS)
		r = connected(fd, end);
	if (r >= 0 && family == AF_UNIX && !is_trusted(fd))
		r = give_up(-EPERM, "it belongs to another user");
	if (r < 0) {
		norn_sys_close(fd);
		return (int)r;
	}
	if (family != AF_UNIX)
		norn_syscall(SYS_setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, (long)&one, sizeof one, 0);
	return fd;
}

/* A Unix socket whose queue is full says so at once. */
static int connect_lane(uint64_t end)
{
	int fd;
	for (unsigned waits = 0; (fd = connect_once(end)) == -EAGAIN && now_ms() < end; waits++)
		norn_sys_yield(waits);
	return fd;
}

static long send_some(int fd, const char *from, size_t bytes)
{
	long n;
	do
		n = norn_syscall(SYS_sendto, fd, (long)from, (long)bytes, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
	while (n == -EINTR);
	return n;
}

static int send_all(int fd, const char *from, size_t bytes, uint64_t end)
{
	while (bytes) {
		long n = send_some(fd, from, bytes);
		if (n == -EAGAIN)
			n = wait_for(fd, POLLOUT, end);
		if (n < 0)
			return (int)n;
		from += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* More bytes at to: how many, 0 if there are none yet, -EPIPE at the end. */
static long receive_some(int fd, char *to, size_t room)
{
	long n;
	do
		n = norn_syscall(SYS_recvfrom, fd, (long)to, (long)room, MSG_DONTWAIT, 0, 0);
	while (n == -EINTR);
	return n == -EAGAIN ? 0 : n == 0 ? -EPIPE : n;
}

/* ---- the sender: hello ---- */

static void note_refusal(struct norn_wire_text payload)
{
	struct norn_wire_refused refused;
	size_t used = strlen(strcpy(line.why, "the observer refused: "));
	if (norn_wire_get_refused(payload, &refused) < 0)
		return;
	for (size_t i = 0; i < refused.why.length && used < sizeof line.why - 1; i++) {
		char c = refused.why.bytes[i];
		line.why[used++] = c < ' ' || c == 0x7f ? '?' : c; /* it goes to a terminal */
	}
	line.why[used] = 0;
}

/* No byte more than the frame: what the observer may have said already comes after it. */
static size_t frame_lacks(const char *bytes, size_t used)
{
	uint32_t length;
	if (used < NORN_WIRE_HEADER)
		return NORN_WIRE_HEADER - used;
	memcpy(&length, bytes, sizeof length);
	return NORN_WIRE_OVERHEAD + (size_t)length - used;
}

static int read_welcome(int fd, uint64_t end)
{
	static char answer[NORN_WIRE_OVERHEAD + NORN_WIRE_SMALL];
	unsigned type;
	struct norn_wire_text payload;
	for (size_t used = 0;;) {
		long frame = norn_wire_frame(answer, used, NORN_WIRE_SMALL, &type, &payload);
		if (frame < 0)
			return give_up((int)frame, "what answers there is no observer of Norn");
		if (frame > 0)
			break;
		long n = receive_some(fd, answer + used, frame_lacks(answer, used));
		if (n == 0 && (n = wait_for(fd, POLLIN, end)) == -ETIMEDOUT)
			return give_up((int)n, "the observer does not answer");
		if (n < 0)
			return give_up((int)n, "the observer closed the connection");
		used += (size_t)n;
	}
	if (type == NORN_WIRE_WELCOME)
		return 0;
	if (type != NORN_WIRE_REFUSED)
		return give_up(-EBADMSG, "what answers there is no observer of Norn");
	note_refusal(payload);
	return -EACCES;
}

static int open_connection(enum norn_wire_role role, unsigned lane, uint64_t end, int *ret_fd)
{
	char frame[12 * 1024];
	int fd = connect_lane(end);
	if (fd < 0)
		return give_up(fd, "there is no observer");
	line.hello.role = role;
	line.hello.lane = lane;
	size_t bytes = norn_wire_put_hello(frame, sizeof frame, &line.hello);
	int r = bytes ? send_all(fd, frame, bytes, end) : -EMSGSIZE;
	/* If it was refused before all was read, the reason is still there to be read. */
	int answer = read_welcome(fd, end);
	*ret_fd = fd;
	return r < 0 && answer == 0 ? r : answer;
}

static int open_all(void)
{
	uint64_t end = now_ms() + line.patience;
	int r = open_connection(NORN_WIRE_CONTROL, 0, end, &line.control);
	for (unsigned i = 0; r == 0 && i < NORN_WIRE_LANES; i++)
		r = open_connection(NORN_WIRE_EVENTS, i, end, &line.lanes[i].fd);
	return r;
}

/* ---- the sender: at work. Each of these says whether it got something done, or a negative errno; *blocked: not all, the socket
 * was full ---- */

static int send_lane(struct lane *lane, bool *blocked)
{
	uint64_t tail = atomic_load_explicit(&lane->tail, memory_order_relaxed), start = tail;
	uint64_t head = atomic_load_explicit(&lane->head, memory_order_acquire); /* pairs with norn_link_push */
	while (tail != head) {
		size_t at = tail % LINK_RING, bytes = head - tail < LINK_RING - at ? head - tail : LINK_RING - at;
		long n = send_some(lane->fd, lane->ring + at, bytes);
		if (n == -EAGAIN) {
			*blocked = true;
			break;
		}
		if (n < 0)
			return (int)n;
		tail += (uint64_t)n;
		atomic_store_explicit(&lane->tail, tail, memory_order_release); /* pairs with norn_link_push */
	}
	return tail != start;
}

static void take_letters(void)
{
	struct norn_link_message *newest = atomic_exchange(&line.letters, NULL), *oldest = NULL, **last = &line.out;
	while (newest) {
		struct norn_link_message *next = newest->next;
		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	while (*last)
		last = &(*last)->next;
	*last = oldest;
}

static int send_letters(bool *blocked)
{
	int done = 0;
	take_letters();
	for (struct norn_link_message *letter; (letter = line.out); done = 1) {
		long n = send_some(line.control, letter->frame + letter->sent, letter->length - letter->sent);
		if (n == -EAGAIN) {
			*blocked = true;
			break;
		}
		if (n < 0)
			return (int)n;
		letter->sent += (size_t)n;
		if (letter->sent < letter->length)
			continue;
		line.out = letter->next;
		norn_sys_unmap(letter, letter->bytes);
		atomic_fetch_sub(&line.unsent, 1);
	}
	return done;
}

static int take_filter(struct norn_wire_text payload)
{
	struct norn_filter *filter = norn_filter_new(payload);
	if (!filter)
		return -EBADMSG;
	uint32_t modules = norn_filter_modules(filter);
	norn_filter_free(atomic_exchange(&line.filter, filter));
	atomic_store(&line.answered, modules ? modules : atomic_load(&line.ready));
	return 0;
}

static int make_room(size_t bytes)
{
	if (bytes <= line.in_room)
		return 0;
	char *bigger = norn_sys_memory(bytes);
	if (!bigger)
		return -ENOMEM;
	memcpy(bigger, line.in, line.in_used);
	norn_sys_unmap(line.in, line.in_room);
	line.in = bigger;
	line.in_room = bytes;
	return 0;
}

static int take_frames(void)
{
	int done = 0;
	for (;; done = 1) {
		unsigned type;
		struct norn_wire_text payload;
		long frame = norn_wire_frame(line.in, line.in_used, NORN_WIRE_MAX, &type, &payload);
		if (frame == 0)
			return done;
		int r = frame < 0 ? (int)frame : type == NORN_WIRE_FILTER ? take_filter(payload) : -EBADMSG;
		if (r < 0)
			return r;
		line.in_used -= (size_t)frame;
		memmove(line.in, line.in + frame, line.in_used);
	}
}

static int receive_control(void)
{
	int done = take_frames();
	while (done >= 0) {
		uint32_t length = 0;
		if (line.in_used >= sizeof length)
			memcpy(&length, line.in, sizeof length); /* take_frames has found it reasonable */
		if (make_room(NORN_WIRE_OVERHEAD + (size_t)length) < 0)
			return -ENOMEM;
		long n = receive_some(line.control, line.in + line.in_used, line.in_room - line.in_used);
		if (n <= 0)
			return n < 0 ? (int)n : done;
		line.in_used += (size_t)n;
		int more = take_frames();
		done = more < 0 ? more : done | more;
	}
	return done;
}

/* Lanes are for what the program says: to listen there is only to notice an end. */
static int work(bool *blocked)
{
	int done = send_letters(blocked);
	for (unsigned i = 0; done >= 0 && i < NORN_WIRE_LANES; i++) {
		int r = send_lane(&line.lanes[i], blocked);
		done = r < 0 ? r : done | r;
	}
	if (done >= 0) {
		int r = receive_control();
		done = r < 0 ? r : done | r;
	}
	return done;
}

static void await_sockets(unsigned ms)
{
	struct pollfd p[NORN_WIRE_LANES + 1];
	for (unsigned i = 0; i < NORN_WIRE_LANES; i++) {
		struct lane *lane = &line.lanes[i];
		p[i] = (struct pollfd){
		        .fd = lane->fd, .events = atomic_load(&lane->head) != atomic_load(&lane->tail) ? POLLOUT : 0};
	}
	p[NORN_WIRE_LANES] = (struct pollfd){.fd = line.control, .events = (short)(POLLIN | (line.out ? POLLOUT : 0))};
	norn_syscall(SYS_poll, (long)p, NORN_WIRE_LANES + 1, (long)ms, 0, 0, 0);
}

/* All threads of the program are gone, each by a system call of its own: the process must end with them. The first one stays as a
 * zombie until then, and its status is to be the process's. Its fields are counted as proc(5) does. */
static bool is_alone(int *ret_status)
{
	char text[1024];
	int fd = norn_sys_open("/proc/self/stat", O_RDONLY, 0);
	long n = fd < 0 ? 0 : norn_syscall(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
	if (fd >= 0)
		norn_sys_close(fd);
	text[n < 0 ? 0 : n] = 0;
	const char *field = strrchr(text, ')');
	if (!field || field[1] != ' ' || field[2] != 'Z')
		return false;
	unsigned number = 2;
	for (; field && number < 20; number++)
		field = strchr(field + 1, ' ');
	if (!field || field[1] != '2' || field[2] != ' ') /* threads: the first, and this one */
		return false;
	for (; field && number < 52; number++)
		field = strchr(field + 1, ' ');
	*ret_status = 0;
	for (const char *p = field ? field + 1 : ""; *p >= '0' && *p <= '9'; p++)
		*ret_status = *ret_status * 10 + (*p - '0');
	return true;
}

static void end_alone(int status)
{
	if (status & 0x7f)
		norn_syscall(SYS_kill, norn_sys_pid(), status & 0x7f, 0, 0, 0, 0);
	norn_syscall(SYS_exit, status >> 8 & 0xff, 0, 0, 0, 0, 0);
}

static void rest(uint32_t bell)
{
	norn_observe_tick();
	atomic_store(&line.asleep, 1);
	futex_wait(&line.bell, bell, IDLE_MS);
	atomic_store(&line.asleep, 0);
}

/* Much may be coming: threads that push need not wake the sender for each message. */
static void nap(void)
{
	const struct timespec while_ = {.tv_nsec = NAP_NS};
	norn_syscall(SYS_nanosleep, (long)&while_, 0, 0, 0, 0, 0);
}

static void serve(void)
{
	for (;;) {
		bool blocked = false;
		uint32_t bell = atomic_load(&line.bell);
		int done = work(&blocked), status;
		if (done < 0)
			return;
		if (done > 0)
			tell_news();
		if (done > 0 && !blocked && !atomic_load(&line.waiting))
			nap();
		else if (done > 0)
			continue;
		else if (blocked)
			await_sockets(5);
		else if (atomic_load(&line.ready))
			await_sockets(1);
		else if (is_alone(&status))
			end_alone(status);
		else
			rest(bell);
	}
}

/* ---- the sender: beginning and end ---- */

/* The table of descriptors is a copy of the program's: nothing of that may stay open here. */
static void close_all(void)
{
	if (norn_syscall(SYS_close_range, 0, UINT32_MAX, 0, 0, 0, 0) == 0)
		return;
	for (int fd = 0; fd < 65536; fd++)
		norn_sys_close(fd);
}

static void sender(void)
{
	close_all();
	norn_syscall(SYS_prctl, PR_SET_NAME, (long)"norn-observer", 0, 0, 0, 0);
	int r = open_all();
	atomic_store(&line.state, r < 0 ? DEAD : OPEN);
	tell_news();
	if (r >= 0)
		serve();
	atomic_store(&line.state, DEAD);
	tell_news();
	close_all();
}

static long start_sender(char *stack, void (*run)(void))
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	long result;
	register long parent_tid __asm__("r10") = 0;
	register long tls __asm__("r8") = 0;
	register void (*entry)(void) __asm__("r12") = run;
	__asm__ volatile("syscall\n\t"
	                 "testq %%rax, %%rax\n\t"
	                 "jnz 1f\n\t"
	                 "xorl %%ebp, %%ebp\n\t"
	                 "callq *%%r12\n\t"
	                 "movl %[exit], %%eax\n\t"
	                 "xorl %%edi, %%edi\n\t"
	                 "syscall\n"
	                 "1:"
	        : "=a"(result)
	        : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(parent_tid), "r"(tls), "r"(entry), [exit] "i"(SYS_exit)
	        : "rcx", "r11", "memory");
	return result;
}

/* ---- opening ---- */

static int find_unix(const char *path)
{
	struct sockaddr_un *to = (struct sockaddr_un *)&line.address;
	if (!*path || strlen(path) >= sizeof to->sun_path)
		return give_up(-EINVAL, "the path of the socket is empty or too long");
	to->sun_family = AF_UNIX;
	strcpy(to->sun_path, path);
	line.address_bytes = sizeof *to;
	return 0;
}

static int find_tcp(const char *where)
{
	char host[256];
	const char *colon = strrchr(where, ':');
	size_t length = colon ? (size_t)(colon - where) : 0;
	if (!length || length >= sizeof host || !colon[1])
		return give_up(-EINVAL, "the address must be tcp:HOST:PORT");
	size_t brackets = where[0] == '[' && where[length - 1] == ']' ? 1 : 0;
	memcpy(host, where + brackets, length - 2 * brackets);
	host[length - 2 * brackets] = 0;
	struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found;
	if (getaddrinfo(host, colon + 1, &wanted, &found) != 0)
		return give_up(-EINVAL, "there is no such host or port");
	memcpy(&line.address, found->ai_addr, found->ai_addrlen);
	line.address_bytes = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

static int find_address(const char *where)
{
	if (strncmp(where, "unix:", 5) == 0)
		return find_unix(where + 5);
	if (strncmp(where, "tcp:", 4) == 0)
		return find_tcp(where + 4);
	return give_up(-EINVAL, "the address must be unix:PATH or tcp:HOST:PORT");
}

static struct norn_wire_text read_text(char *buffer, ssize_t length)
{
	return (struct norn_wire_text){buffer, length > 0 ? (size_t)length : 0};
}

static void fill_hello(const char *token)
{
	static char program[4096], directory[4096];
	line.hello =
	        (struct norn_wire_hello){.version = NORN_WIRE_VERSION, .pid = (uint32_t)norn_sys_pid(), .lanes = NORN_WIRE_LANES};
	if (norn_syscall(SYS_getrandom, (long)&line.hello.session, sizeof line.hello.session, 0, 0, 0, 0) < 0)
		line.hello.session = now_ms();
	line.hello.token = (struct norn_wire_text){token, strlen(token)};
	line.hello.program = read_text(program, readlink("/proc/self/exe", program, sizeof program));
	line.hello.directory = read_text(directory, getcwd(directory, sizeof directory) ? (ssize_t)strlen(directory) : 0);
}

static int run_sender(void)
{
	uint64_t all = ~0ull, mask = 0;
	char *stack = norn_sys_memory(STACK_BYTES);
	if (!stack)
		return give_up(-ENOMEM, "there is not enough memory");
	atomic_store(&line.state, OPENING);
	norn_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&mask, sizeof mask, 0, 0);
	long r = start_sender(stack + STACK_BYTES, sender);
	norn_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
	if (r < 0)
		return give_up((int)r, "the thread that would talk to it cannot be made");
	for (;;) { /* the sender keeps the time */
		uint32_t seen = atomic_load(&line.news);
		if (atomic_load(&line.state) != OPENING)
			break;
		await_news(seen, line.patience);
	}
	return norn_link_dead() ? -ECONNREFUSED : 0;
}

/* But for the stack of a sender that may be on it still. */
static void give_memory_back(void)
{
	for (unsigned i = 0; i < NORN_WIRE_LANES; i++) {
		if (line.lanes[i].ring)
			norn_sys_unmap(line.lanes[i].ring, LINK_RING);
		line.lanes[i].ring = NULL;
	}
}

int norn_link_open(const char *where, const char *token, unsigned patience, char *ret_why, size_t why_room)
{
	line.patience = patience;
	int r = strlen(token) > NORN_WIRE_TOKEN ? give_up(-EINVAL, "the token is too long") : find_address(where);
	line.in_room = (size_t)2 * NORN_WIRE_SMALL;
	if (r == 0 && !(line.in = norn_sys_memory(line.in_room)))
		r = give_up(-ENOMEM, "there is not enough memory");
	for (unsigned i = 0; r == 0 && i < NORN_WIRE_LANES; i++)
		if (!(line.lanes[i].ring = norn_sys_memory(LINK_RING)))
			r = give_up(-ENOMEM, "there is not enough memory");
	if (r == 0) {
		fill_hello(token);
		r = run_sender();
	}
	if (r < 0) {
		snprintf(ret_why, why_room, "%s", line.why);
		give_memory_back();
	}
	return r;
}
