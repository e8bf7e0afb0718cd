/* Fuzzing the observer as a whole: connections, messages, causal delivery, the search over what has come, findings.
 *
 * An input is a list of messages: a byte that says on which of six connections of two programs (and if it is sent as bytes are,
 * not as a message), its type, two bytes of length, the payload. Lengths and checksums are right, and each connection begins with
 * the right hello, so that what follows is looked at.
 *
 * The observer must end when its peers have gone, with as many reports as it had programs; whatever it answers are messages; it
 * keeps to its memory; and no violation that it predicts may be refused by the checker of its run. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "observer/server.h"
#include "property/parse.h"
#include "property/property.h"
#include "trace/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define CONNECTIONS 6u
#define HEAD 4u
#define RAW 8u /* of the first byte: no message, but bytes */
#define TOKEN "0123456789abcdef"

static const char text[] = "event a = note \"a\";\n"
                           "event b = note \"b\";\n"
                           "event k = note \"k\" if value > 1;\n"
                           "property past { ptltl: x == 2 -> once (y == 1); }\n"
                           "property order { ltl: G (b -> X G !a); }\n"
                           "property words { ere: (a b | k)*; }\n";

static char address[80];
static unsigned opened, over;

static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_observe: %s\n", what);
	abort();
}

/* ---- the host ---- */

static int open_case(void *context, struct norn_trace *trace, struct norn_observed_properties *ret_case, struct norn_error *err)
{
	struct norn_observed_props *props = calloc(1, sizeof *props);
	struct norn_program *program = norn_program_new();
	norn_program_add_set(program, "x");
	norn_program_add_set(program, "y");
	props->sources = norn_sources_new();
	props->tree = norn_tree_parse_alone(props->sources, norn_sources_add(props->sources, "p.prop", text, strlen(text)));
	props->spec = norn_spec_check(props->sources, props->tree, program);
	const struct norn_diagnostic *list;
	if (norn_diagnostics_errors(props->sources) && norn_diagnostics(props->sources, &list))
		norn_diagnostic_show(props->sources, &list[0], false, stderr);
	expect(norn_diagnostics_errors(props->sources) == 0, "its own properties are wrong");
	*ret_case = (struct norn_observed_properties){.program = program, .props = props, .props_count = 1};
	return 0;
}

static void close_case(void *context, struct norn_observed_properties *c)
{
	norn_spec_free(c->props->spec);
	norn_tree_free(c->props->tree);
	norn_sources_free(c->props->sources);
	free(c->props);
	norn_program_free(c->program);
	*c = (struct norn_observed_properties){0};
}

static void found(void *context, const struct norn_observed_program *session, const struct norn_finding *finding)
{
	expect(finding->property && *finding->property, "a finding without a property");
}

static void said(void *context, const struct norn_observed_program *session, const char *sentence)
{
	opened += strstr(sentence, " is observed: ") != NULL;
	expect(*sentence, "an empty sentence");
}

static void is_over(void *context, const struct norn_observed_program *session)
{
	const struct norn_findings *findings = norn_observed_program_findings(session);
	over++;
	expect(findings->stats.refused == 0, "a prediction that the checker of runs refuses");
}

/* ---- peers ---- */

static void send_all(int fd, const void *bytes, size_t length)
{
	ssize_t sent = send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL); /* what has no room is lost */
	(void)sent;
}

static int connect_as(unsigned number)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	static char frame[512];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(name.sun_path, strchr(address, ':') + 1);
	expect(fd >= 0 && connect(fd, (const struct sockaddr *)&name, sizeof name) == 0, "no connection");
	const struct norn_wire_hello hello = {.version = NORN_WIRE_VERSION,
	        .token = {TOKEN, strlen(TOKEN)},
	        .pid = 7 + number % 2,
	        .session = number % 2,
	        .role = number < 2 ? NORN_WIRE_CONTROL : NORN_WIRE_EVENTS,
	        .lanes = NORN_WIRE_LANES};
	send_all(fd, frame, norn_wire_put_hello(frame, sizeof frame, &hello));
	return fd;
}

/* The bytes of a message at data; 0: there is none. */
static size_t message_at(const uint8_t *data, size_t size)
{
	size_t length = size < HEAD ? 0 : HEAD + (data[2] | (size_t)data[3] << 8);
	return length > size ? size : length;
}

static void send_message(int fd, const uint8_t *data, size_t length)
{
	static uint8_t frame[NORN_WIRE_OVERHEAD + (1 << 16)];
	uint32_t payload = (uint32_t)(length - HEAD);
	if (data[0] & RAW) {
		send_all(fd, data + HEAD, payload);
		return;
	}
	memcpy(frame, &payload, 4);
	frame[4] = data[1] % (NORN_WIRE_TYPES + 1);
	frame[5] = NORN_WIRE_VERSION;
	memcpy(frame + NORN_WIRE_HEADER, data + HEAD, payload);
	uint32_t sum = XXH32(frame, NORN_WIRE_HEADER + payload, 0);
	memcpy(frame + NORN_WIRE_HEADER + payload, &sum, 4);
	send_all(fd, frame, NORN_WIRE_OVERHEAD + payload);
}

/* All that came back are messages that a program understands. */
static void check_answers(int fd)
{
	static char bytes[1 << 20];
	ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
	size_t at = 0, used = n > 0 ? (size_t)n : 0;
	while (at < used) {
		union {
			struct norn_wire_refused refused;
			struct norn_wire_filter filter;
		} m;
		unsigned type;
		struct norn_wire_text payload;
		long length = norn_wire_frame(bytes + at, used - at, NORN_WIRE_MAX, &type, &payload);
		expect(length >= 0 && type, "what the observer sends is no message");
		if (length == 0)
			break;
		expect(type == NORN_WIRE_WELCOME || type == NORN_WIRE_REFUSED || type == NORN_WIRE_FILTER,
		        "a message that is not the observer's");
		expect(type == NORN_WIRE_WELCOME || norn_wire_get(payload, type, &m) == 0, "a message that a program cannot read");
		at += (size_t)length;
	}
}

static int new_server(struct norn_server **ret_server, const struct norn_host *host)
{
	struct norn_error err = {0};
	const struct norn_server_options options = {.listen = address, .token = TOKEN, .buffer_bytes = 1 << 20};
	return norn_server_new(&options, host, ret_server, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct norn_host host = {.options = {.max_cuts = 3000, .max_memory = 8 << 20, .workers = 1},
	        .open = open_case,
	        .close = close_case,
	        .found = found,
	        .say = said,
	        .over = is_over};
	struct norn_server *server;
	struct norn_server_counts counts;
	struct norn_error err = {0};
	int fds[CONNECTIONS], gone = eventfd(1, EFD_CLOEXEC);
	if (!address[0])
		snprintf(address, sizeof address, "unix:%s/norn-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
		        getpid());
	opened = over = 0;
	memset(fds, -1, sizeof fds);
	expect(new_server(&server, &host) == 0, "no server");
	for (size_t length; (length = message_at(data, size)); data += length, size -= length) {
		unsigned number = (data[0] & 7) % CONNECTIONS;
		if (fds[number] < 0)
			fds[number] = connect_as(number);
		send_message(fds[number], data, length);
	}
	for (unsigned i = 0; i < CONNECTIONS; i++)
		if (fds[i] >= 0)
			shutdown(fds[i], SHUT_WR);
	expect(norn_server_run(server, gone, &err) == 0, "the server fails");
	norn_server_count(server, &counts);
	expect(opened == over && counts.sessions == over, "not each program has a report");
	for (unsigned i = 0; i < CONNECTIONS; i++)
		if (fds[i] >= 0) {
			check_answers(fds[i]);
			close(fds[i]);
		}
	norn_server_free(server);
	close(gone);
	return 0;
}

/* ---- mutation: of one message, or of the list ---- */

static size_t put_raw(uint8_t *to, unsigned connection, unsigned type, const char *frame, size_t length)
{
	size_t payload = length - NORN_WIRE_OVERHEAD;
	to[0] = (uint8_t)connection;
	to[1] = (uint8_t)type;
	to[2] = (uint8_t)payload;
	to[3] = (uint8_t)(payload >> 8);
	memcpy(to + HEAD, frame + NORN_WIRE_HEADER, payload);
	return HEAD + payload;
}

/* A run of its own: threads that set x and y and say a and b, with right clocks. */
static size_t make_run(uint8_t *to, size_t most, unsigned seed)
{
	static char frame[1024];
	static const char *const names[] = {"x", "y", "a", "b", "k"};
	unsigned threads = 1 + seed % 3, counts[3] = {0}, events = 1 + (seed >> 2) % 12, number = 0, session = (seed >> 7) & 1;
	struct norn_wire_clock known[3][3] = {{{0}}};
	size_t at = 0;
	const struct norn_wire_ready ready = {0};
	at += put_raw(to + at, session, NORN_WIRE_READY, frame, norn_wire_put_ready(frame, sizeof frame, &ready));
	for (unsigned t = 0; t < threads; t++) {
		const struct norn_wire_thread thread = {.number = t, .parent = t ? 0 : UINT32_MAX, .ordinal = t};
		at += put_raw(to + at, 2 + session, NORN_WIRE_THREAD, frame, norn_wire_put_thread(frame, sizeof frame, &thread));
	}
	for (; events && at + 512 < most; events--) {
		unsigned t = (seed = seed * 1103515245u + 12345u) >> 9 & 3, other = seed >> 12 & 3, name = (seed >> 16) % 5, n = 0;
		if (t >= threads)
			continue;
		struct norn_wire_clock clock[3];
		for (unsigned i = 0; i < threads; i++) { /* it may hear of another one */
			if (other < threads && known[other][i].count > known[t][i].count)
				known[t][i].count = known[other][i].count;
			if (i == t)
				known[t][i].count = ++counts[t];
			if (known[t][i].count)
				clock[n++] = (struct norn_wire_clock){i, known[t][i].count};
		}
		const struct norn_wire_event event = {.event = {.kind = NORN_EVENT_MARK,
		                                              .op = name < 2 ? NORN_MARK_SET : NORN_MARK_EVENT,
		                                              .thread = t,
		                                              .known = true,
		                                              .argument = name + 1,
		                                              .value = seed >> 20 & 3,
		                                              .index = counts[t] - 1},
		        .number = ++number,
		        .name = {names[name], 1},
		        .entries = n,
		        .clock = clock};
		at += put_raw(to + at, 2 + session + 2 * (t & 1), NORN_WIRE_EVENT, frame,
		        norn_wire_put_event(frame, sizeof frame, &event));
	}
	for (unsigned t = 0; t < threads && at + 100 < most; t++) {
		const struct norn_wire_end end = {.thread = t, .count = counts[t]};
		at += put_raw(
		        to + at, 2 + session + 2 * (t & 1), NORN_WIRE_END, frame, norn_wire_put_end(frame, sizeof frame, &end));
	}
	const struct norn_wire_bye bye = {.events = number, .seen = number, .threads = threads};
	if (at + 100 < most)
		at += put_raw(to + at, session, NORN_WIRE_BYE, frame, norn_wire_put_bye(frame, sizeof frame, &bye));
	return at;
}

static size_t mutate_payload(uint8_t *data, size_t size, size_t most, size_t at, size_t length)
{
	static uint8_t message[HEAD + 4096];
	if (length > sizeof message)
		return size;
	memcpy(message, data + at, length);
	size_t payload = LLVMFuzzerMutate(message + HEAD, length - HEAD, sizeof message - HEAD), now = HEAD + payload;
	if (size - length + now > most)
		return size;
	message[2] = (uint8_t)payload;
	message[3] = (uint8_t)(payload >> 8);
	memmove(data + at + now, data + at + length, size - at - length);
	memcpy(data + at, message, now);
	return size - length + now;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	size_t starts[256], count = 0, at = 0;
	for (size_t length; count < 255 && (length = message_at(data + at, size - at)) >= HEAD; at += length)
		starts[count++] = at;
	starts[count] = at;
	if (!count || seed % 16 == 0)
		return most > 2048 ? make_run(data, most, seed >> 4) : LLVMFuzzerMutate(data, size, most);
	size_t one = (seed >> 8) % count, length = starts[one + 1] - starts[one];
	switch ((seed >> 4) % 8) {
	case 0: /* it comes twice, */
		if (size + length > most)
			return size;
		memmove(data + starts[one] + length, data + starts[one], size - starts[one]);
		return size + length;
	case 1: /* never, */
		memmove(data + starts[one], data + starts[one] + length, size - starts[one] - length);
		return size - length;
	case 2: /* or elsewhere */
		data[starts[one]] = (uint8_t)(seed >> 24);
		return size;
	case 3:
		LLVMFuzzerMutate(data + starts[one], 2, 2);
		return size;
	default:
		return mutate_payload(data, size, most, starts[one], length);
	}
}
