#include "jobs/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/must.h"
#include "jobs/prop_load.h"
#include "jobs/say.h"
#include "observer/server.h"
#include "property/property.h"
#include "recorder/session_directory.h"
#include "report/json.h"
#include "report/finding_text.h"
#include "finding/printable_findings.h"

#define TOKEN_BYTES 16u
#define MAX_CUTS 2000000u
#define MAX_MEMORY (UINT64_C(2) << 30)
#define BUFFERS_LEAST (UINT64_C(2) << 20) /* without which no program could say anything */

struct watch {
	struct norn_observing *observing;
	struct norn_host host;
	struct norn_server *server;
	char token[NORN_WIRE_TOKEN + 1];
	struct norn_session_directory directory; /* of a socket of its own */
	unsigned reports;
	bool found, cut, refused;
};

static volatile pid_t child;
static struct norn_server *volatile stoppable;

/* ---- what the observer asks for, and tells ---- */

static void close_case(void *context, struct norn_observed_properties *c)
{
	(void)context;
	for (uint32_t i = 0; i < c->props_count; i++) {
		norn_spec_free(c->props[i].spec);
		norn_tree_free(c->props[i].tree);
		norn_sources_free(c->props[i].sources);
	}
	free(c->props);
	norn_program_free(c->program);
	*c = (struct norn_observed_properties){0};
}

static int open_case(void *context, struct norn_trace *trace, struct norn_observed_properties *ret_case, struct norn_error *err)
{
	struct watch *w = context;
	const struct norn_checking *c = &w->observing->checking;
	struct norn_observed_properties properties = {.props = norn_must_calloc(c->prop_count, sizeof *properties.props)};
	int status = norn_checker_program(c, trace, &properties.program);
	if (status != NORN_EXIT_OK) {
		free(properties.props);
		return norn_error_set(err, -EINVAL, "the observer could not read what the program consists of");
	}
	for (uint32_t i = 0; i < c->prop_count && status == NORN_EXIT_OK; i++) {
		struct norn_prop_file file;
		status = norn_prop_load_for(&file, c->props[i], properties.program);
		if (status == NORN_EXIT_OK)
			properties.props[properties.props_count++] =
			        (struct norn_observed_props){.sources = file.sources, .tree = file.tree, .spec = file.spec};
	}
	if (status != NORN_EXIT_OK) {
		close_case(w, &properties);
		return norn_error_set(err, -EINVAL, "the observer's properties do not fit this program");
	}
	*ret_case = properties;
	return 0;
}

static bool shows_text(const struct watch *w)
{
	return !norn_outputs_take_stdout(&w->observing->checking.outputs);
}

static void show_finding(void *context, const struct norn_observed_program *session, const struct norn_finding *finding)
{
	struct watch *w = context;
	(void)session;
	w->found = true;
	if (!shows_text(w))
		return;
	struct norn_finding shown = *finding;
	struct norn_findings texts;
	norn_findings_init(&texts);
	norn_finding_printable(&texts, &shown);
	norn_report_finding(&shown, norn_colour(stdout), norn_width(stdout), stdout);
	norn_findings_done(&texts);
	fflush(stdout);
}

static void say(void *context, const struct norn_observed_program *session, const char *sentence)
{
	(void)context;
	(void)session;
	norn_note("%s", sentence);
}

/* The first report is FILE, the others are FILE.2 and so on: several programs may have been observed. */
static void write_json(struct watch *w, const struct norn_findings *findings)
{
	char path[PATH_MAX];
	const char *json = w->observing->checking.outputs.paths[NORN_OUTPUT_JSON];
	if (!json)
		return;
	if (w->reports > 1 && strcmp(json, "-") != 0)
		snprintf(path, sizeof path, "%s.%u", json, w->reports);
	else
		snprintf(path, sizeof path, "%s", json);
	const struct norn_outputs outputs = {{[NORN_OUTPUT_JSON] = path}};
	w->refused |= norn_outputs_write(&outputs, findings, "") != NORN_EXIT_OK;
	fflush(stdout);
}

static void show_report(void *context, const struct norn_observed_program *session)
{
	struct watch *w = context;
	const struct norn_findings *findings = norn_observed_program_findings(session);
	w->reports++;
	w->cut |= !findings->stats.complete;
	w->refused |= !norn_observed_program_is_judged(session);
	if (shows_text(w) && norn_observed_program_is_judged(session)) {
		for (uint32_t i = 0; i < findings->count; i++)
			if (*findings->list[i].extent)
				printf("property %s [%s]: %s\n", findings->list[i].property, findings->list[i].id,
				        findings->list[i].extent);
		norn_report_summary(findings, norn_colour(stdout), norn_width(stdout), stdout);
		fflush(stdout);
	}
	norn_outputs_say(findings, true);
	write_json(w, findings);
}

static void breathe(void *context)
{
	struct watch *w = context;
	if (w->server)
		norn_server_breathe(w->server);
}

/* ---- the token ---- */

static int make_token(char *token)
{
	unsigned char bytes[TOKEN_BYTES];
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return norn_fail("there is no randomness for a token: %s", strerror(errno));
	for (unsigned i = 0; i < TOKEN_BYTES; i++)
		snprintf(token + (size_t)2 * i, 3, "%02x", bytes[i]);
	return NORN_EXIT_OK;
}

static int read_token(const char *path, int fd, char *token)
{
	struct stat st;
	ssize_t n = read(fd, token, NORN_WIRE_TOKEN);
	if (n < 0 || fstat(fd, &st) != 0)
		return norn_fail("cannot read %s: %s", path, strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return norn_fail("%s is another user's, who knows the token: name a file of your own", path);
	if (st.st_mode & 077)
		return norn_fail("others can read %s, and with it the token: chmod 600 %s", path, path);
	token[n] = 0;
	token[strcspn(token, "\r\n")] = 0;
	if (strlen(token) < 16 || strpbrk(token, ", \t"))
		return norn_fail("%s has no token: that is 16 to %u bytes without spaces and commas", path, NORN_WIRE_TOKEN);
	return NORN_EXIT_OK;
}

/* The file has the token; if there is none it gets one. */
static int find_token(const char *path, char *token)
{
	if (!path)
		return make_token(token);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (norn_may_follow(path) ? 0 : O_NOFOLLOW));
	if (fd >= 0) {
		int status = read_token(path, fd, token);
		close(fd);
		return status;
	}
	if (errno != ENOENT)
		return norn_fail("cannot read %s: %s", path, strerror(errno));
	int status = make_token(token);
	if (status != NORN_EXIT_OK)
		return status;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, token, strlen(token)) != (ssize_t)strlen(token) || write(fd, "\n", 1) != 1)
		status = norn_fail("cannot write %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

/* ---- signals ---- */

/* The terminal's signals reach the program without us. */
static void on_signal(int number, siginfo_t *info, void *unused)
{
	(void)unused;
	if (child && info->si_code != SI_KERNEL)
		kill(child, number);
	if (!child && stoppable)
		norn_server_stop(stoppable);
}

static void set_signals(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ---- the program ---- */

static void set_options(const struct watch *w)
{
	const char *before = getenv("NORN_OPTIONS");
	char *text = norn_must_format("%s%sobserver=%s,token=%s", before ? before : "", before && *before ? "," : "",
	        norn_server_address(w->server), w->token);
	setenv("NORN_OPTIONS", text, 1);
	free(text);
}

static int start(char *const *program, pid_t *ret_pid)
{
	posix_spawnattr_t attributes;
	sigset_t defaults, none;
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	int r = posix_spawnp(ret_pid, program[0], NULL, &attributes, program, environ);
	posix_spawnattr_destroy(&attributes);
	return r == 0 ? NORN_EXIT_OK : norn_fail("cannot start %s: %s", program[0], strerror(r));
}

static int serve_program(struct watch *w, char *const *program)
{
	struct norn_error err = {0};
	pid_t pid;
	set_options(w);
	int status = start(program, &pid);
	if (status != NORN_EXIT_OK)
		return status;
	child = pid;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), result = 0;
	if (fd < 0 || norn_server_run(w->server, fd, &err) != 0)
		status = norn_fail("%s", fd < 0 ? strerror(errno) : err.message);
	if (fd >= 0)
		close(fd);
	while (waitpid(pid, &result, 0) < 0 && errno == EINTR)
		;
	child = 0;
	norn_say_status(program[0], result, true);
	if (status == NORN_EXIT_OK && w->reports == 0)
		return norn_fail("%s was not observed: was it built by norn (`norn cc`, or CC=\"norn cc\" ./configure && make)?",
		        program[0]);
	return status;
}

static int serve_all(struct watch *w)
{
	struct norn_error err = {0};
	const char *file = w->observing->token_file;
	if (file)
		norn_note("start the program with: NORN_TOKEN=$(cat %s) NORN_OPTIONS=observer=%s ./prog", file,
		        norn_server_address(w->server));
	else
		norn_note("start the program with: NORN_OPTIONS=observer=%s,token=%s ./prog", norn_server_address(w->server),
		        w->token);
	return norn_server_run(w->server, -1, &err) == 0 ? NORN_EXIT_OK : norn_fail("%s", err.message);
}

/* ---- the whole ---- */

static int check_properties(const struct norn_checking *c)
{
	int status = c->prop_count ? norn_checker_ready(c)
	                           : norn_fail("what is the program to be judged by? Name a file of properties: --prop FILE");
	for (unsigned i = 0; status == NORN_EXIT_OK && i < c->prop_count; i++) {
		struct norn_prop_file file;
		status = norn_prop_load(&file, c->props[i], NULL);
		if (status == NORN_EXIT_OK)
			norn_prop_unload(&file);
	}
	return status;
}

static int own_socket(struct watch *w, char where[256])
{
	struct norn_error err = {0};
	norn_session_directories_clean();
	if (norn_session_directory_make(&w->directory, "norn-observe", &err) != 0)
		return norn_fail("%s", err.message);
	snprintf(where, 256, "unix:%s/observer", w->directory.path);
	return NORN_EXIT_OK;
}

static int listen_and_serve(struct watch *w, char *const *program)
{
	struct norn_error err = {0};
	char own[256];
	uint64_t buffers = (w->observing->checking.max_memory ? w->observing->checking.max_memory : MAX_MEMORY) / 8;
	struct norn_server_options options = {.listen = w->observing->listen,
	        .anywhere = w->observing->anywhere,
	        .token = w->token,
	        .buffer_bytes = buffers > BUFFERS_LEAST ? buffers : BUFFERS_LEAST,
	        .once = w->observing->once};
	int status = find_token(w->observing->token_file, w->token);
	if (status == NORN_EXIT_OK && !options.listen) {
		status = own_socket(w, own);
		options.listen = own;
	}
	if (status != NORN_EXIT_OK)
		return status;
	if (strchr(options.listen, ','))
		return norn_fail("%s: an address in NORN_OPTIONS cannot have a comma", options.listen);
	if (norn_server_new(&options, &w->host, &w->server, &err) != 0)
		return norn_fail("%s", err.message);
	stoppable = w->server;
	set_signals();
	status = program ? serve_program(w, program) : serve_all(w);
	struct norn_server_counts counts;
	norn_server_count(w->server, &counts);
	if (counts.strangers + counts.garbage + counts.slow + counts.crowded)
		norn_note("of %" PRIu64 " connections %" PRIu64 " had not the token, %" PRIu64 " sent no messages, %" PRIu64
		          " were too slow, %" PRIu64 " too many",
		        counts.connections, counts.strangers, counts.garbage, counts.slow, counts.crowded);
	stoppable = NULL;
	norn_server_free(w->server);
	w->server = NULL;
	return status;
}

int norn_observer_watch(struct norn_observing *observing, char *const *program)
{
	struct norn_checking *c = &observing->checking;
	c->trace = "";
	struct watch w = {.observing = observing, .directory = {.lock = -1}};
	w.host = (struct norn_host){.context = &w,
	        .options = {.all = c->all,
	                .max_cuts = c->max_cuts ? c->max_cuts : MAX_CUTS,
	                .max_memory = c->max_memory ? c->max_memory : MAX_MEMORY,
	                .beam = c->beam,
	                .progress = breathe,
	                .context = &w},
	        .open = open_case,
	        .close = close_case,
	        .found = show_finding,
	        .say = say,
	        .over = show_report};
	int status = check_properties(c);
	if (status == NORN_EXIT_OK)
		status = listen_and_serve(&w, program);
	norn_session_directory_remove(&w.directory);
	if (status != NORN_EXIT_OK)
		return status;
	return w.refused ? NORN_EXIT_USAGE : w.found ? NORN_EXIT_FINDINGS : w.cut ? NORN_EXIT_CUT : NORN_EXIT_OK;
}
