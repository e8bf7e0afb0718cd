#include "runtime/interpose/kernel_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "effects/effects.h"
#include "runtime/interpose/interpose.h"
#include "runtime/replay/replay.h"
#include "runtime/hooks.h"
#include "runtime/self.h"
#include "runtime/sys.h"

#define CHANNELS 16u
#define MEMORY_DEVICES 1u /* null, zero and other memory devices: major number */

static struct {
	uint64_t object; /* only its address is used */
	atomic_bool used;
	_Atomic ino_t pipe; /* the only one that uses it, made by this process; 0: none, or not the only one */
} channels[CHANNELS]; /* the first: all that is neither a pipe nor a file */

static struct {
	dev_t device;
	ino_t inode;
	mode_t mode; /* 0: closed */
} inherited[3];

static dev_t processes; /* the file system of /proc, where memory is a file, too */

/* Another process may pass on what it reads from one channel to another one. */
static atomic_bool outsiders;

void norn_channel_call_outside(void)
{
	atomic_store_explicit(&outsiders, true, memory_order_relaxed);
}

/* True if there is such a process, or was: children that fork has not told of are from posix_spawn, popen and similar calls. */
static bool have_outsiders(void)
{
	if (!atomic_load_explicit(&outsiders, memory_order_relaxed) &&
	        norn_syscall(SYS_waitid, P_ALL, 0, 0, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0)
		norn_channel_call_outside();
	return atomic_load_explicit(&outsiders, memory_order_relaxed);
}

static bool look(int fd, struct stat *ret_stat)
{
	return fd >= 0 && norn_syscall(SYS_fstat, fd, (long)ret_stat, 0, 0, 0, 0) == 0;
}

/* A pipe that has a name is there for other processes. */
static void look_for_name(int fd, const struct stat *stat)
{
	struct statfs system;
	if (S_ISFIFO(stat->st_mode) && !atomic_load_explicit(&outsiders, memory_order_relaxed) &&
	        norn_syscall(SYS_fstatfs, fd, (long)&system, 0, 0, 0, 0) == 0 && system.f_type != PIPEFS_MAGIC)
		norn_channel_call_outside();
}

__attribute__((constructor(102))) static void note_inherited(void)
{
	struct stat stat;
	if (norn_syscall(SYS_stat, (long)"/proc", (long)&stat, 0, 0, 0, 0) == 0)
		processes = stat.st_dev;
	for (int i = 0; i < 3; i++)
		if (look(i, &stat)) {
			inherited[i].device = stat.st_dev;
			inherited[i].inode = stat.st_ino;
			inherited[i].mode = stat.st_mode;
		}
}

static bool is_inherited(int i, const struct stat *stat)
{
	return inherited[i].mode && inherited[i].device == stat->st_dev && inherited[i].inode == stat->st_ino;
}

/* The program cannot read what is written there: it was there before the program, which does not read from it, unless
 * it is a terminal. */
static bool is_world(const struct stat *stat)
{
	if (S_ISCHR(stat->st_mode) && major(stat->st_rdev) == MEMORY_DEVICES)
		return true;
	if (is_inherited(0, stat) && !S_ISCHR(stat->st_mode))
		return false;
	return is_inherited(1, stat) || is_inherited(2, stat);
}

static uint8_t find_channel(const struct stat *stat)
{
	if (!S_ISFIFO(stat->st_mode) && !S_ISREG(stat->st_mode))
		return 0;
	return (uint8_t)(1 + (stat->st_ino * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (CHANNELS - 1));
}

/* A channel that something else uses, too, is no pipe's any more. */
static bool is_own_pipe(const struct stat *stat, unsigned channel)
{
	ino_t pipe = atomic_load_explicit(&channels[channel].pipe, memory_order_relaxed);
	if (pipe && (pipe != stat->st_ino || !S_ISFIFO(stat->st_mode)))
		atomic_store_explicit(&channels[channel].pipe, 0, memory_order_relaxed);
	return pipe && pipe == stat->st_ino && S_ISFIFO(stat->st_mode);
}

/* flags: of pipe2. One that does not wait, or has packets, is not counted. */
void norn_channel_call_piped(const int *ends, int flags)
{
	struct stat stat;
	if (!norn_self || flags & ~O_CLOEXEC || !look(ends[0], &stat))
		return;
	unsigned channel = find_channel(&stat);
	bool used = atomic_load_explicit(&channels[channel].used, memory_order_relaxed) || have_outsiders();
	atomic_store_explicit(&channels[channel].pipe, used ? 0 : stat.st_ino, memory_order_relaxed);
}

static void send_to(unsigned channel, enum norn_send kind, uint32_t site)
{
	norn_step_end(norn_step_begin(NORN_OPERATION_SEND, site, NULL));
	/* Before the call itself: a thread that is woken by it finds it used. */
	atomic_store_explicit(&channels[channel].used, true, memory_order_relaxed);
	norn_log_sync(NORN_SYNC_SEND, &channels[channel].object, kind, site);
}

static void receive_from(unsigned channel, unsigned kind, uint32_t site)
{
	norn_step_end(norn_step_begin(NORN_OPERATION_RECEIVE, site, NULL));
	norn_log_sync(NORN_SYNC_RECEIVE, &channels[channel].object, kind, site);
}

static int number_of(FILE *file)
{
	int error = errno, fd = fileno(file);
	errno = error;
	return fd;
}

/* ---- input, and output whose contents are known ---- */

static struct norn_channel_call find(int fd)
{
	struct norn_channel_call talk = {.site = __norn_call_site};
	struct stat stat;
	if (norn_self && look(fd, &stat)) {
		talk.channel = find_channel(&stat);
		talk.file = S_ISREG(stat.st_mode);
		talk.anywhere = talk.file && (stat.st_dev == processes || norn_is_mapped(&stat));
		look_for_name(fd, &stat);
		talk.counted = is_own_pipe(&stat, talk.channel);
	}
	return talk;
}

static struct norn_channel_call begin(int fd, enum norn_send kind)
{
	struct norn_channel_call talk = find(fd);
	if (norn_self)
		send_to(talk.channel, kind, talk.site);
	return talk;
}

struct norn_channel_call norn_channel_call(int fd)
{
	return begin(fd, NORN_SEND_KNOWN);
}

struct norn_channel_call norn_channel_call_loose(int fd)
{
	return begin(fd, NORN_SEND_LOOSE);
}

struct norn_channel_call norn_channel_call_at(int fd)
{
	struct norn_channel_call talk = find(fd);
	if (norn_self && !talk.file)
		send_to(talk.channel, NORN_SEND_KNOWN, talk.site);
	return talk;
}

struct norn_channel_call norn_channel_call_by(FILE *file)
{
	return norn_channel_call(norn_self ? number_of(file) : -1);
}

static void receive_from_all(unsigned kind, uint32_t site)
{
	for (unsigned i = 0; i < CHANNELS; i++)
		if (i == 0 || atomic_load_explicit(&channels[i].used, memory_order_relaxed))
			receive_from(i, kind, site);
}

static void receive(struct norn_channel_call talk, enum norn_receive kind)
{
	if (!norn_self)
		return;
	if (kind == NORN_RECEIVE_INPUT)
		norn_resource_looked(1u << NORN_EFFECTS_FILES, talk.site);
	if (talk.anywhere)
		norn_call_unknown();
	if (have_outsiders())
		receive_from_all(kind, talk.site);
	else
		receive_from(talk.channel, kind, talk.site);
}

void norn_channel_call_received(struct norn_channel_call talk)
{
	receive(talk, NORN_RECEIVE_INPUT);
}

void norn_channel_call_waited(struct norn_channel_call talk, bool failed)
{
	if (failed && norn_self)
		norn_resource_looked(1u << NORN_EFFECTS_FILES, talk.site);
	receive(talk, talk.file ? NORN_RECEIVE_LOOKED : NORN_RECEIVE_ROOM);
}

/* ---- pipes whose contents are counted ---- */

/* In a replay a read that will wait for ever waits in the call itself: so its receive has its turn before it. */
struct norn_channel_call norn_channel_call_reads(int fd)
{
	struct norn_channel_call talk = norn_channel_call(fd);
	talk.counted = talk.counted && !have_outsiders();
	if (talk.counted)
		talk.step = norn_step_begin_blocking(NORN_OPERATION_RECEIVE, talk.site, NULL);
	return talk;
}

static void log_bytes(struct norn_channel_call talk, enum norn_receive kind, ssize_t bytes)
{
	uint64_t argument = bytes < 0 ? kind : norn_receive_argument(kind, bytes);
	norn_log_sync(NORN_SYNC_RECEIVE, &channels[talk.channel].object, argument, talk.site);
}

void norn_channel_call_read(struct norn_channel_call talk, ssize_t result)
{
	if (!talk.counted) {
		receive(talk, NORN_RECEIVE_INPUT);
		return;
	}
	norn_step_end(talk.step);
	log_bytes(talk, NORN_RECEIVE_INPUT, result);
	norn_resource_looked(1u << NORN_EFFECTS_FILES, talk.site);
	if (have_outsiders()) /* meanwhile */
		receive_from_all(NORN_RECEIVE_INPUT, talk.site);
}

void norn_channel_call_wrote(struct norn_channel_call talk, ssize_t result)
{
	if (!talk.counted || have_outsiders()) {
		norn_channel_call_waited(talk, result < 0);
		return;
	}
	norn_step_end(norn_step_begin(NORN_OPERATION_RECEIVE, talk.site, NULL));
	log_bytes(talk, NORN_RECEIVE_ROOM, result);
}

void norn_channel_call_looked(uint32_t site)
{
	if (!norn_self)
		return;
	norn_resource_looked(1u << NORN_EFFECTS_FILES, site);
	receive_from_all(NORN_RECEIVE_INPUT, site);
}

void norn_channel_call_sized(bool sizes, uint32_t site)
{
	for (unsigned i = 0; norn_self && i < CHANNELS; i++)
		if (atomic_load_explicit(&channels[i].used, memory_order_relaxed))
			receive_from(i, sizes ? NORN_RECEIVE_ROOM : NORN_RECEIVE_LOOKED, site);
}

void norn_channel_call_sends(bool shared)
{
	if (__builtin_expect(shared, 0) && norn_self)
		norn_channel_call(-1);
}

void norn_channel_call_receives(bool shared, uint32_t site)
{
	if (__builtin_expect(!shared, 1) || !norn_self)
		return;
	norn_resource_looked(1u << NORN_EFFECTS_FILES, site);
	receive_from_all(NORN_RECEIVE_INPUT | NORN_RECEIVE_BETWEEN, site);
}

/* ---- other output ---- */

struct norn_channel_call norn_channel_call_prints_to(int fd)
{
	struct norn_channel_call talk = {.site = __norn_call_site};
	struct stat stat;
	if (!norn_self)
		return talk;
	if (!look(fd, &stat)) {
		talk.ends = NORN_OUTPUT_END_OWN;
	} else if (!is_world(&stat)) {
		talk.ends = S_ISREG(stat.st_mode) ? NORN_OUTPUT_END_FILE : NORN_OUTPUT_END_OWN;
		talk.channel = find_channel(&stat);
	}
	if (talk.ends != NORN_OUTPUT_END_WORLD)
		send_to(talk.channel, NORN_SEND_LOOSE, talk.site);
	return talk;
}

struct norn_channel_call norn_channel_call_prints(FILE *file)
{
	return norn_channel_call_prints_to(norn_self ? number_of(file) : -1);
}

void norn_channel_call_printed(struct norn_channel_call talk)
{
	if (norn_self && talk.ends == NORN_OUTPUT_END_OWN)
		norn_channel_call_waited(talk, false);
}

struct norn_channel_call norn_channel_call_flushes(void)
{
	struct norn_channel_call talk = {.site = __norn_call_site};
	for (unsigned i = 0; norn_self && i < CHANNELS; i++)
		if (i == 0 || atomic_load_explicit(&channels[i].used, memory_order_relaxed))
			send_to(i, NORN_SEND_LOOSE, talk.site);
	return talk;
}
