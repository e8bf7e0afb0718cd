/* Watch mode: how it begins. By a plan that `norn watch` hands over, or, without it (NORN_OPTIONS=prop=FILE), one that is made
 * now. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/heap.h"
#include "runtime/record/shadow.h"
#include "runtime/sys.h"
#include "runtime/watch/watch_state.h"
#include "runtime/watch/watch_words.h"

#define VALUE_BYTES 1024u

static bool complain(const char *why)
{
	char sentence[1400];
	int length = snprintf(sentence, sizeof sentence, "norn: %s; the program runs unwatched\n", why);
	norn_syscall(SYS_write, STDERR_FILENO, (long)sentence, length < (int)sizeof sentence ? length : (int)sizeof sentence - 1, 0,
	        0, 0);
	return false;
}

/* The n-th value of name=value among the options, which commas separate; false if there is none that fits. */
static bool find_option(const char *options, const char *name, unsigned n, char to[VALUE_BYTES])
{
	size_t length = strlen(name);
	for (const char *at = options; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
		size_t whole = strcspn(at, ",");
		if (whole <= length || strncmp(at, name, length) != 0 || at[length] != '=' || whole - length - 1 >= VALUE_BYTES ||
		        n--)
			continue;
		memcpy(to, at + length + 1, whole - length - 1);
		to[whole - length - 1] = 0;
		return true;
	}
	return false;
}

/* Copies memory that may not be there. */
static bool peek(const void *context, uint64_t address, void *to, size_t bytes)
{
	(void)context;
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};
	long n = norn_syscall(SYS_process_vm_readv, norn_sys_pid(), (long)&here, 1, (long)&there, 1, 0);
	return n == (long)bytes;
}

/* ---- what is wanted ---- */

static void note_wishes(const struct norn_watch_props *props)
{
	const struct norn_spec *spec = props->event_match.spec;
	bool accesses = props->event_match.accesses.count > 0;
	for (uint32_t i = 0; i < spec->place_count; i++)
		accesses |= props->has_machines &&
		            (spec->places[i].kind == NORN_PLACE_OBJECT || spec->places[i].kind == NORN_PLACE_FIELD);
	norn_watch.wants_memory |= accesses;
	for (uint32_t i = 0; i < props->event_match.locks.count; i++) {
		const struct norn_event_selector *candidate = &props->event_match.locks.list[i];
		bool acquires = spec->events[candidate->event].selectors[candidate->selector].kind == NORN_POINT_LOCK;
		*(acquires ? &norn_watch.wants_locks : &norn_watch.wants_unlocks) = true;
	}
	norn_watch.wants_marks |= props->event_match.notes.count > 0 || props->event_match.has_sets;
	norn_watch.wants_threads |= props->event_match.starts.count > 0 || props->event_match.joins.count > 0;
	norn_watch.wants_blocks |=
	        props->has_machines && (props->event_match.has_keys || props->event_match.place_index.has_pointers);
	for (unsigned i = 0; i < NORN_ENGINES; i++) {
		if (!props->engines[i])
			continue;
		bool follows = !norn_online_engines[i]->follows || norn_online_engines[i]->follows(props->engines[i]);
		norn_watch.wants_sync |= follows && (norn_online_engines[i]->sync || norn_online_engines[i]->forget);
		norn_watch.wants_orders |= follows && norn_online_engines[i]->sync && !norn_online_engines[i]->access;
		norn_watch.wants_words |= norn_online_engines[i]->access != NULL;
		norn_watch.wants_threads = true;
	}
}

static bool open_engines(struct norn_watch_props *props, struct norn_plan_props *plan)
{
	for (unsigned i = 0; i < NORN_ENGINES; i++) {
		struct norn_error err = {0};
		if (!norn_online_engines[i] || !plan->parts[i].length)
			continue;
		const uint8_t *part = (const uint8_t *)plan->parts[i].bytes;
		struct norn_unpack in = {part, part + plan->parts[i].length, false};
		if (norn_online_engines[i]->open(&plan->spec, &in, &props->engines[i], &err) != 0)
			return complain(err.message[0] ? err.message : "a monitor cannot be set up");
	}
	return true;
}

static bool open_props(void)
{
	struct norn_plan *plan = &norn_watch.plan;
	if (plan->props_count > NORN_WATCH_PROPS_MAX)
		return complain("there are too many files of properties");
	norn_watch.props = norn_heap_calloc(plan->props_count + 1ul, sizeof *norn_watch.props);
	if (!norn_watch.props || norn_modules_init(&norn_watch.modules) != 0)
		return complain("there is not enough memory");
	for (uint32_t l = 0; l < plan->props_count; l++) {
		struct norn_watch_props *props = &norn_watch.props[l];
		if (norn_event_match_init(&props->event_match, plan, &plan->props[l].spec, &norn_watch.modules) != 0 ||
		        norn_live_monitors_new(&plan->props[l], plan->mode, &props->event_match, peek, &props->machines) != 0)
			return complain("there is not enough memory");
		props->has_machines = norn_live_monitors_any(props->machines);
		if (!open_engines(props, &plan->props[l]))
			return false;
		note_wishes(props);
	}
	norn_quick_open();
	norn_watch.props_count = plan->props_count;
	if (norn_watch_words_open() != 0)
		return complain(
		        "mttl needs 80 TiB of address space (of which little is used): is there a limit on it (ulimit -v)?");
	return true;
}

static bool read_plan(int fd)
{
	struct norn_error err = {0};
	struct stat st;
	if (norn_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 || st.st_size <= 0 || st.st_size > (off_t)NORN_PLAN_BYTES_MAX)
		return complain("there is no plan of norn watch");
	long mapped = norn_syscall(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped < 0 && mapped > -4096)
		return complain("there is no plan of norn watch");
	if (norn_plan_read((const void *)mapped, (size_t)st.st_size, &norn_watch.plan, &err) != 0)
		return complain(err.message);
	return open_props();
}

/* ---- handed over ---- */

/* It tells the command that it is there. */
static void stay_unwatched(int command, int ring)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", command, ring);
	int fd = norn_sys_open(path, O_RDWR | O_CLOEXEC, 0);
	struct norn_watch_ring *shared = fd < 0 || !norn_sys_is_own(fd, true) || norn_sys_size(fd) < sizeof *shared
	                                         ? NULL
	                                         : norn_sys_map(fd, sizeof *shared);
	if (fd >= 0)
		norn_sys_close(fd);
	if (!shared)
		return;
	if (shared->magic == NORN_WATCH_MAGIC && shared->bytes == sizeof *shared)
		atomic_fetch_add(&shared->unwatched, 1);
	norn_sys_unmap(shared, sizeof *shared);
}

/* watch=PLAN:RING:PID:COMMAND. Another process that inherits the environment is not the one that was meant. */
static bool start_handed(const char *value)
{
	int plan, ring, pid, command;
	if (sscanf(value, "%d:%d:%d:%d", &plan, &ring, &pid, &command) != 4)
		return false;
	if (pid != norn_sys_pid()) {
		stay_unwatched(command, ring);
		return false;
	}
	if (!norn_sys_is_own(plan, true) || !norn_sys_is_own(ring, true) || norn_sys_size(ring) < sizeof(struct norn_watch_ring))
		return complain("the plan of norn watch is another user's");
	int failed = norn_watch_connect(ring, NULL);
	bool started = !failed && read_plan(plan);
	norn_sys_close(plan);
	if (started)
		norn_watch_hello();
	return started;
}

/* ---- without a command ---- */

/* The command beside this library: in a build tree, or installed. */
static bool find_command(char to[PATH_MAX])
{
	static const char *const places[] = {"/../../norn", "/../../bin/norn"};
	Dl_info own;
	if (!dladdr(&norn_watching, &own) || !own.dli_fname)
		return false;
	const char *slash = strrchr(own.dli_fname, '/');
	for (unsigned i = 0; slash && i < 2; i++) {
		int n = snprintf(to, PATH_MAX, "%.*s%s", (int)(slash - own.dli_fname), own.dli_fname, places[i]);
		if (n < PATH_MAX && norn_syscall(SYS_faccessat, AT_FDCWD, (long)to, X_OK, 0, 0, 0) == 0)
			return true;
	}
	return false;
}

static bool run_command(const char *options, int plan)
{
	char command[PATH_MAX], number[16], mode[VALUE_BYTES], program[PATH_MAX], files[NORN_WATCH_PROPS_MAX][VALUE_BYTES];
	const char *argv[2 * NORN_WATCH_PROPS_MAX + 8];
	unsigned n = 0, count = 0;
	if (!find_command(command))
		return complain("the norn command is not beside libnorn.so");
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	if (length < 0)
		return complain("/proc/self/exe cannot be read");
	program[length] = 0;
	snprintf(number, sizeof number, "%d", plan);
	argv[n++] = command;
	argv[n++] = "watch";
	argv[n++] = "--plan";
	argv[n++] = number;
	if (find_option(options, "mode", 0, mode)) {
		argv[n++] = "--mode";
		argv[n++] = mode;
	}
	for (; count < NORN_WATCH_PROPS_MAX && find_option(options, "prop", count, files[count]); count++) {
		argv[n++] = "--prop";
		argv[n++] = files[count];
	}
	argv[n++] = program;
	argv[n] = NULL;
	/* The command must not be watched itself. */
	char *environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
	pid_t pid;
	int status = 0;
	if (posix_spawn(&pid, command, NULL, NULL, (char *const *)(uintptr_t)argv, environment) != 0)
		return complain("the norn command cannot be started");
	while (norn_syscall(SYS_wait4, pid, (long)&status, 0, 0, 0, 0) == -EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? true : complain("its properties cannot be watched");
}

static bool start_alone(const char *options)
{
	char json[VALUE_BYTES];
	bool has_json = find_option(options, "json", 0, json);
	int plan = (int)norn_syscall(SYS_memfd_create, (long)"norn-plan", 0, 0, 0, 0, 0);
	if (plan < 0)
		return complain("there is no memory for a plan");
	if (norn_watch_connect(-1, has_json ? json : NULL) != 0)
		return complain("the file of json= cannot be written");
	bool started = run_command(options, plan) && read_plan(plan);
	norn_sys_close(plan);
	return started;
}

bool norn_watch_start(void)
{
	char value[VALUE_BYTES];
	const char *options = secure_getenv("NORN_OPTIONS");
	bool started = false;
	if (!options)
		return false;
	if (find_option(options, "watch", 0, value))
		started = start_handed(value);
	else if (find_option(options, "prop", 0, value))
		started = start_alone(options);
	if (!started)
		return false;
	norn_shadow_share();
	norn_watching = true;
	return true;
}
