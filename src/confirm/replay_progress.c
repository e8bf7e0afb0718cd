#include "confirm/replay_progress.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/must.h"
#include "trace/record.h"
#include "trace/session.h"

/* All in milliseconds. */
#define PATIENCE 5000u
#define REST 1000u
#define QUIET 120u /* all threads sleep, and only another thread can wake them: since then none has had a processor */
#define STUCK 60000u /* a thread is said to run, and no processor is ever used: a device that does not answer */
#define SLACK (1u << 20) /* units beside the recorded run's */

static void set_bounds(struct norn_replay_progress *p, uint64_t least)
{
	uint64_t processor = 2 * (uint64_t)p->pace.processor, clock = 2 * (uint64_t)p->pace.clock;
	p->busy = processor > least ? processor : least;
	p->sleepy = clock > least ? clock : least;
}

void norn_replay_progress_init(struct norn_replay_progress *p, const struct norn_schedule_file_pace *pace)
{
	const char *told = getenv("NORN_PATIENCE");
	/* A record is of one to three units. */
	*p = (struct norn_replay_progress){.pace = *pace,
	        .most_units = 6 * (uint64_t)pace->records + SLACK,
	        .slots = norn_must_calloc(NORN_SLOTS, sizeof *p->slots)};
	set_bounds(p, told && atoi(told) > 0 ? (uint64_t)atoi(told) : PATIENCE);
}

void norn_replay_progress_hurry(struct norn_replay_progress *p)
{
	set_bounds(p, REST);
}

void norn_replay_progress_done(struct norn_replay_progress *p)
{
	free(p->slots);
	p->slots = NULL;
}

/* ---- threads of the program, as the kernel sees them ---- */

enum sleep { AWAKE, ASLEEP, DOZING }; /* DOZING: may wake by himself */

static bool read_file(const char *path, char *text, size_t room)
{
	FILE *from = fopen(path, "re");
	if (!from)
		return false;
	size_t n = fread(text, 1, room - 1, from);
	text[n] = 0;
	fclose(from);
	return n > 0;
}

static enum sleep sleep_of(pid_t pid, long tid, bool reads)
{
	char text[256], path[96];
	long number;
	unsigned long args[4];
	snprintf(path, sizeof path, "/proc/%d/task/%ld/syscall", (int)pid, tid);
	if (!read_file(path, text, sizeof text))
		return DOZING;
	if (strncmp(text, "running", 7) == 0)
		return AWAKE;
	if (sscanf(text, "%ld %lx %lx %lx %lx", &number, &args[0], &args[1], &args[2], &args[3]) < 5)
		return DOZING;
	return (number == SYS_futex && args[3] == 0) || (number == SYS_read && reads) ? ASLEEP : DOZING;
}

/* State and time, in milliseconds, of what a stat file is of; 0: unknown. */
static char read_stat(const char *path, uint64_t *ret_time)
{
	char text[1024], state = 0;
	unsigned long user, system;
	const char *rest = read_file(path, text, sizeof text) ? strrchr(text, ')') : NULL;
	if (!rest || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user, &system) != 3)
		return 0;
	*ret_time = (user + system) * 1000 / (unsigned long)sysconf(_SC_CLK_TCK);
	return state;
}

char norn_replay_progress_thread(pid_t pid, uint32_t tid)
{
	char path[96];
	uint64_t time;
	snprintf(path, sizeof path, "/proc/%d/task/%u/stat", (int)pid, tid);
	return read_stat(path, &time);
}

/* How often it left a processor, by itself or not; 0: unknown. */
static uint64_t switches_of(pid_t pid, long tid)
{
	char text[4096], path[96];
	unsigned long own = 0, other = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%ld/status", (int)pid, tid);
	const char *rest = read_file(path, text, sizeof text) ? strstr(text, "voluntary_ctxt_switches:") : NULL;
	return rest && sscanf(rest, "voluntary_ctxt_switches: %lu nonvoluntary_ctxt_switches: %lu", &own, &other) == 2 ? own + other
	                                                                                                               : 0;
}

/* The sleepiest thing that can be said of all of them. *ret_switches: of all threads, each mixed with its number. */
static enum sleep look_at_all(pid_t pid, bool reads, uint64_t *ret_switches)
{
	char path[64];
	enum sleep all = ASLEEP;
	*ret_switches = 0;
	if (pid == 0)
		return DOZING; /* it has not begun yet */
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; all != AWAKE && dir && (e = readdir(dir));) {
		long tid = strtol(e->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		char state = norn_replay_progress_thread(pid, (uint32_t)tid);
		enum sleep one = state == 'S' ? sleep_of(pid, tid, reads) : state == 'Z' || state == 'X' ? ASLEEP : AWAKE;
		if (one == AWAKE || (one == DOZING && all == ASLEEP))
			all = one;
		if (all == ASLEEP)
			*ret_switches += ((uint64_t)tid + 1) * (switches_of(pid, tid) + 1);
	}
	if (dir)
		closedir(dir);
	return all;
}

uint64_t norn_replay_progress_asleep(pid_t pid, bool reads)
{
	uint64_t switches;
	return look_at_all(pid, reads, &switches) == ASLEEP ? switches : 0;
}

/* ---- progress ---- */

static uint64_t count_met(const struct norn_replay_area_parts *area)
{
	uint64_t met = atomic_load(&area->head->ticks);
	for (uint32_t i = 0; i < area->head->threads; i++)
		met += atomic_load_explicit(&area->threads[i].met, memory_order_relaxed);
	return met;
}

/* The records since the last look. A thread that came and went in between is not seen, nor what a thread did last. */
static void count_units(struct norn_replay_progress *p, const struct norn_session *session)
{
	uint32_t used = atomic_load(&session->used_slots);
	for (uint32_t i = 0; i < used && i < NORN_SLOTS; i++) {
		const struct norn_slot *slot = &session->slot[i];
		uint32_t thread = __atomic_load_n(&slot->thread, __ATOMIC_RELAXED);
		uint64_t *pos = __atomic_load_n(&slot->pos, __ATOMIC_RELAXED),
		         *base = __atomic_load_n(&slot->base, __ATOMIC_RELAXED);
		if (thread == NORN_NO_THREAD || !base || pos < base || pos - base > (ptrdiff_t)session->slot_units)
			continue;
		uint64_t units = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED) * session->slot_units + (uint64_t)(pos - base);
		bool same = p->slots[i].thread == thread && p->slots[i].units <= units;
		p->units += same ? units - p->slots[i].units : units;
		p->slots[i] = (struct norn_replay_progress_slot){thread, units};
	}
}

static bool has_moved(struct norn_replay_progress *p, const struct norn_replay_area_parts *area, const struct norn_session *session)
{
	uint64_t met = count_met(area), units = p->units;
	count_units(p, session);
	bool moved = met != p->met || (p->units != units && p->units <= p->most_units);
	p->met = met;
	return moved;
}

enum norn_replay_progress_state norn_replay_progress_check(struct norn_replay_progress *p, pid_t pid, uint64_t now,
        const struct norn_replay_area_parts *area, const struct norn_session *session)
{
	char path[64];
	uint64_t ticks = p->ticks, since = p->now ? now - p->now : 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	read_stat(path, &ticks);
	uint64_t switches;
	enum sleep all = look_at_all(pid, false, &switches);
	bool first = p->now == 0, slept_on = all == ASLEEP && switches == p->switches;
	p->switches = switches;
	if (has_moved(p, area, session) || first) {
		p->moved = now;
		p->moved_ticks = ticks;
		p->slept = 0;
	}
	if (ticks != p->ticks || first)
		p->ticked = now;
	if (all != AWAKE && ticks == p->ticks && !first)
		p->slept += since;
	p->ticks = ticks;
	p->now = now;
	if (!slept_on)
		p->still = now;
	if (slept_on && now - (p->still > p->moved ? p->still : p->moved) >= QUIET)
		return NORN_REPLAY_PROGRESS_STILL;
	if (p->slept >= p->sleepy)
		return NORN_REPLAY_PROGRESS_WAITS;
	return ticks - p->moved_ticks >= p->busy || (all == AWAKE && now - p->ticked >= STUCK) ? NORN_REPLAY_PROGRESS_SPINS
	                                                                                       : NORN_REPLAY_PROGRESS_GOES_ON;
}
