/* See effects.h. */
#include "base/bisect.h"
#include "effects/effects.h"

#include <string.h>

static const char *const resources[NORN_EFFECTS_RESOURCES][2] = {
        [NORN_EFFECTS_CLOCK] = {"clock", "the time: each reading moves it on, as no later reading is earlier"},
        [NORN_EFFECTS_DESCRIPTORS] = {"descriptors",
                "the table of file descriptors: which numbers are open, for what, their offsets and flags"},
        [NORN_EFFECTS_DIRECTORY] = {"directory", "the current directory, the root directory and the umask"},
        [NORN_EFFECTS_ENVIRONMENT] = {"environment", "the list of environment variables"},
        [NORN_EFFECTS_EXITS] = {"exits", "functions that run when the process ends or forks"},
        [NORN_EFFECTS_FENV] = {"fenv", "rounding mode and exceptions of floating point; each thread has its own"},
        [NORN_EFFECTS_FILES] = {"files",
                "the file system: names, contents and attributes of files, and what pipes and sockets hold"},
        [NORN_EFFECTS_HEAP] = {"heap", "the state of malloc: its parameters and statistics, not the memory that it hands out"},
        [NORN_EFFECTS_IPC] = {"ipc", "message queues, shared memory and semaphores that have names or keys"},
        [NORN_EFFECTS_LIMITS] = {"limits", "limits and use of resources (getrlimit, sysconf)"},
        [NORN_EFFECTS_LINKER] = {"linker", "which libraries are loaded, and the last error of dlopen"},
        [NORN_EFFECTS_LOCALE] = {"locale", "the locale of the process or of the thread, and catalogues of messages"},
        [NORN_EFFECTS_MAPPINGS] = {"mappings", "which pages are mapped, protected and locked"},
        [NORN_EFFECTS_NAMES] = {"names",
                "databases of users, groups, hosts, services and mounts, and the place of those that read them one by one"},
        [NORN_EFFECTS_OBJECT] = {"object", "what a library keeps behind a pointer that the program does not look into"},
        [NORN_EFFECTS_PROCESSES] = {"processes", "children, process groups and sessions"},
        [NORN_EFFECTS_RANDOM] = {"random", "the state of rand, random and drand48"},
        [NORN_EFFECTS_SIGNALS] = {"signals", "what signals do: their handlers; and those that are pending"},
        [NORN_EFFECTS_SIGNAL_MASK] = {"signal-mask", "signals that are blocked; each thread has its own"},
        [NORN_EFFECTS_STATICS] = {"statics", "state that a function of a library keeps for itself between calls"},
        [NORN_EFFECTS_STREAMS] = {"streams", "stdio streams: their buffers, positions and modes"},
        [NORN_EFFECTS_SYSLOG] = {"syslog", "the connection to the system log, and its options"},
        [NORN_EFFECTS_SYSTEM] = {"system", "the machine as other processes see it, too: its name, mounts, modules, swap"},
        [NORN_EFFECTS_TERMINAL] = {"terminal", "modes and foreground group of terminals"},
        [NORN_EFFECTS_THREADS] = {"threads", "names, scheduling and processors of threads, keys of thread-specific data"},
        [NORN_EFFECTS_TIMERS] = {"timers", "alarms and timers"},
        [NORN_EFFECTS_TIMEZONE] = {"timezone", "the rules of the time zone that tzset has read"},
        [NORN_EFFECTS_USERS] = {"users", "user and group ids, and capabilities, of the process"},
};

const char *norn_effects_resource_name(unsigned resource)
{
	return resource < NORN_EFFECTS_RESOURCES ? resources[resource][0] : "?";
}

const char *norn_effects_resource_text(unsigned resource)
{
	return resource < NORN_EFFECTS_RESOURCES ? resources[resource][1] : "?";
}

/* The first entry of this name. */
static unsigned first(const char *name)
{
	return NORN_BISECT(0, norn_effects_table_count, i, strcmp(norn_effects_table[i].name, name) < 0);
}

const struct norn_effects *norn_effects_find(const char *name, const char *type)
{
	for (unsigned i = name ? first(name) : norn_effects_table_count; i < norn_effects_table_count; i++) {
		const struct norn_effects *e = norn_effects_table + i;
		if (strcmp(e->name, name) != 0)
			break;
		if (!type || !e->type || strcmp(e->type, type) == 0)
			return e;
	}
	return NULL;
}

bool norn_effects_is_pure(const struct norn_effects *e)
{
	return !(e->flags & ~(unsigned)(NORN_EFFECTS_ERRNO | NORN_EFFECTS_PREFIX)) && !e->waits && !e->calls && !e->keeps &&
	       !e->frees && !e->use_count && !e->part_count;
}
