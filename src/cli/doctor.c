/* norn doctor: looks at the machine before it matters. Each line says ok, or what to do. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/printable.h"
#include "cli/cc/clang.h"
#include "cli/commands.h"
#include "jobs/paths.h"
#include "jobs/say.h"
#include "recorder/session_directory.h"

#define SHARED_MEMORY "/dev/shm"
#define SHARED_BYTES_WANTED (64ull << 20) /* a few dozen threads' buffers */
#define DISK_BYTES_WANTED (256ull << 20)
#define MAPS_WANTED 65530u /* Linux's own setting */

static int cmd_doctor(int argc, char **argv);

const struct norn_command norn_command_doctor = {
        .name = "doctor",
        .run = cmd_doctor,
        .operands = "",
        .summary = "Check that this machine has what recording needs",
        .description = "Prints one line per check: ok, or fix and what to do. The exit status is 2 if anything is to be fixed.",
};

static bool fixes; /* some check found something to fix */

static void verdict(bool ok, const char *what, const char *remedy)
{
	bool coloured = norn_colour(stdout);
	const char *mark = ok ? "ok " : "fix", *colour = ok ? "\033[32m" : "\033[1;31m";
	char *shown = norn_printable(what, false), *shown_remedy = norn_printable(remedy, false); /* paths may have anything */
	printf("%s%s%s  %s%s%s\n", coloured ? colour : "", mark, coloured ? "\033[0m" : "", shown, ok ? "" : ": ",
	        ok ? "" : shown_remedy);
	free(shown);
	free(shown_remedy);
	fixes |= !ok;
}

/* Runs argv with input, its first line of output (stdout and stderr) kept in line. Returns whether it exited with 0. */
static bool run(char *const argv[], const char *input, char *line, size_t bytes)
{
	int out[2], in[2];
	if (pipe2(out, O_CLOEXEC) < 0)
		return false;
	if (pipe2(in, O_CLOEXEC) < 0) {
		close(out[0]), close(out[1]);
		return false;
	}
	pid_t child = fork();
	if (child == 0) {
		dup2(in[0], 0), dup2(out[1], 1), dup2(out[1], 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(in[0]), close(out[1]);
	ssize_t ignored =
	        write(in[1], input, strlen(input)); /* shorter than any pipe; a child that is gone says so by its status */
	(void)ignored;
	close(in[1]);
	FILE *from = fdopen(out[0], "r");
	char rest[4096];
	line[0] = 0;
	if (from) {
		if (fgets(line, (int)bytes, from))
			line[strcspn(line, "\n")] = 0;
		while (fgets(rest, sizeof rest, from))
			;
		fclose(from);
	}
	int status = -1;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool check_clang(void)
{
	char *argv[NORN_CLANG_WORDS + 2], line[256], what[512];
	struct norn_clang clang;
	norn_clang_find(false, &clang);
	unsigned n = norn_clang_words(&clang, argv);
	argv[n++] = "--version";
	argv[n] = NULL;
	bool ok = run(argv, "", line, sizeof line) && strstr(line, "version 19.");
	snprintf(what, sizeof what, "the compiler, %s: %s", clang.text, line[0] ? line : "not found");
	verdict(ok, what, "install clang 19 (apt-get install clang-19), or name it in NORN_CC");
	return ok;
}

static void check_build(void)
{
	struct norn_paths paths;
	struct norn_error err = {0};
	bool found = norn_paths_find(&paths, &err) == 0;
	verdict(found, "Norn's pass and runtime", err.message);
	if (!found)
		return;
	char directory[] = "/tmp/norn-doctor-XXXXXX", program[64], line[256], remedy[512];
	if (!mkdtemp(directory)) {
		verdict(false, "a directory in /tmp", strerror(errno));
		return;
	}
	snprintf(program, sizeof program, "%s/program", directory);
	char *compile[] = {"/proc/self/exe", "cc", "-x", "c", "-", "-pthread", "-o", program, NULL};
	bool ok = run(compile, "#include <pthread.h>\n#include <norn.h>\nint main(void) { norn_set(\"x\", 1); return 0; }\n", line,
	        sizeof line);
	snprintf(remedy, sizeof remedy, "%s; are libc6-dev, libgcc-12-dev and binutils installed?", line);
	verdict(ok, "norn cc compiles and links a program", remedy);
	if (ok) {
		char *start[] = {program, NULL};
		ok = run(start, "", line, sizeof line);
		verdict(ok, "a program with Norn's runtime starts", line[0] ? line : "it failed without a word");
	}
	unlink(program);
	rmdir(directory);
}

static void check_shared_memory(void)
{
	char path[] = SHARED_MEMORY "/norn-doctor-XXXXXX";
	int fd = mkstemp(path);
	verdict(fd >= 0, SHARED_MEMORY " can be written", "mount a tmpfs there that this user may write");
	if (fd < 0)
		return;
	unlink(path);
	close(fd);
	struct statvfs fs;
	bool known = statvfs(SHARED_MEMORY, &fs) == 0;
	unsigned long long available = known ? (unsigned long long)fs.f_bavail * fs.f_frsize : 0;
	char what[128];
	snprintf(what, sizeof what, SHARED_MEMORY " has room: %llu MiB", available >> 20);
	verdict(available >= SHARED_BYTES_WANTED, what,
	        "every thread's buffer takes 128 KiB of it; mount -o remount,size=1G " SHARED_MEMORY
	        ", or docker run --shm-size=1g");
}

/* The folder in which norn record and norn run write traces, unless told otherwise. */
static void check_disk(void)
{
	char here[PATH_MAX] = ".", path[] = "norn-doctor-XXXXXX", what[PATH_MAX + 128];
	struct statvfs fs;
	if (!getcwd(here, sizeof here))
		strcpy(here, ".");
	int fd = mkstemp(path);
	snprintf(what, sizeof what, "traces can be written in %s", here);
	verdict(fd >= 0, what, "change to a directory that this user may write, or name one: norn record -o FILE");
	if (fd < 0)
		return;
	unlink(path);
	close(fd);
	unsigned long long available = statvfs(".", &fs) == 0 ? (unsigned long long)fs.f_bavail * fs.f_frsize : 0;
	snprintf(what, sizeof what, "%s has room: %llu MiB", here, available >> 20);
	verdict(available >= DISK_BYTES_WANTED, what,
	        "a million events take some 3 MiB of trace; make room, or name another place: norn record -o FILE");
}

static void check_clock(void)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	bool invariant = false;
	char *line = NULL;
	size_t bytes = 0;
	while (f && getline(&line, &bytes, f) > 0)
		if (strncmp(line, "flags", 5) == 0) {
			invariant = strstr(line, " constant_tsc") && strstr(line, " nonstop_tsc");
			break;
		}
	free(line);
	if (f)
		fclose(f);
	verdict(invariant, "the processor's time stamp counter is invariant",
	        "times in traces may be wrong on this machine (orders are not); a newer processor or hypervisor helps");
}

static void name_left(void *count, const char *path)
{
	++*(unsigned *)count;
	char *shown = norn_printable(path, false);
	printf("     left behind: %s\n", shown);
	free(shown);
}

/* Sessions that are left are removed by the next recording; they take memory until then. */
static void check_left(void)
{
	unsigned count = 0;
	norn_session_directories_left(name_left, &count);
	char what[128];
	snprintf(what, sizeof what, "%u sessions of recordings that were killed", count);
	verdict(count == 0, count ? what : "no session of a recording that was killed is left",
	        "the next `norn record` removes them");
}

/* The first line of a file of the kernel's, "" if it cannot be read. */
static void read_setting(const char *path, char *text, size_t room)
{
	FILE *from = fopen(path, "re");
	if (!from || !fgets(text, (int)room, from))
		text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	if (from)
		fclose(from);
}

/* gdb starts the program, which is its child: that is allowed but for scope 3. With 1, it cannot attach to others. */
static void check_ptrace(void)
{
	char scope[32], what[96];
	read_setting("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
	snprintf(what, sizeof what, "debuggers may be used (kernel.yama.ptrace_scope = %s)", *scope ? scope : "not there");
	verdict(strcmp(scope, "3") != 0, what,
	        "norn replay --gdb cannot work; scope 3 stays until the next start: set kernel.yama.ptrace_scope = 1 in "
	        "/etc/sysctl.d, and start the machine anew");
	errno = 0;
	pid_t child = fork();
	if (child == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno == EPERM ? 1 : 2);
	int status = -1;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	verdict(child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a process can be traced (for norn replay --gdb)",
	        strcmp(scope, "2") == 0 ? "only root may: sysctl -w kernel.yama.ptrace_scope=1"
	                                : "a seccomp filter or a container forbids ptrace: docker run --cap-add=SYS_PTRACE");
}

/* Each thread of a recorded program maps its buffer and shadow memory. */
static void check_memory_settings(void)
{
	char text[32], what[96];
	read_setting("/proc/sys/vm/max_map_count", text, sizeof text);
	unsigned long most = strtoul(text, NULL, 10);
	snprintf(what, sizeof what, "enough memory can be mapped (vm.max_map_count = %s)", *text ? text : "unknown");
	verdict(!*text || most >= MAPS_WANTED, what,
	        "programs of thousands of threads need more: sysctl -w vm.max_map_count=262144");
	read_setting("/proc/sys/vm/overcommit_memory", text, sizeof text);
	snprintf(what, sizeof what, "memory may be reserved (vm.overcommit_memory = %s)", *text ? text : "unknown");
	verdict(strcmp(text, "2") != 0, what,
	        "shadow memory is reserved before it is used, and counts in full: sysctl -w vm.overcommit_memory=0");
	struct rlimit room;
	bool known = getrlimit(RLIMIT_AS, &room) == 0;
	verdict(!known || room.rlim_cur == RLIM_INFINITY, "the size of processes is not limited",
	        "shadow memory takes room in the address space: ulimit -v unlimited");
}

static int cmd_doctor(int argc, char **argv)
{
	struct norn_args args;
	norn_args_init(&args, &norn_command_doctor, argc, argv);
	if (norn_args_next(&args) == NORN_OPERAND)
		return norn_fail("doctor takes no argument %s", args.value);
	if (check_clang())
		check_build();
	check_shared_memory();
	check_left();
	check_disk();
	check_clock();
	check_ptrace();
	check_memory_settings();
	return fixes ? NORN_EXIT_USAGE : NORN_EXIT_OK;
}
