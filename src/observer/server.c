#include "observer/server.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"
#include "observer/address.h"
#include "observer/peer.h"

#define BUFFER_FIRST (64u << 10)
#define BUFFER_AHEAD (4u << 20) /* that is read ahead while a search takes its time */
#define AT_ONCE (1u << 20) /* bytes of one connection before others get their turn */
#define ACCEPT_MS 100 /* until the next try, if there are no descriptors left */
#define ACCEPT_AT_ONCE (NORN_SERVER_STRANGERS / 2) /* then what they have sent is looked at */
#define COMPLAINTS 100u /* that are said; further ones are counted */
#define BREATH_MS 5
#define PROBE_MS 50 /* between looks ahead, */
#define PROBE_SHARE 4 /* and so many times as long as one takes */
#define LINGER_MS 3000 /* for what is on its way when the program has ended */

struct connection {
	int fd;
	struct norn_server *server;
	struct norn_peer peer;
	struct norn_observed_program *session; /* NULL before its hello */
	uint32_t role;
	char *in;
	size_t in_used, in_room;
	char *out; /* to be sent */
	size_t out_used, out_sent;
	int64_t deadline; /* for the message that has begun, or the hello; 0: none */
	int64_t fetch_deadline; /* for some of what is to be sent; 0: none */
	bool ended; /* the peer sends no more */
	bool closing; /* once all is sent */
	bool ahead; /* something was read and not looked at yet */
};

struct norn_server {
	struct norn_server_options options;
	const struct norn_host *host;
	struct norn_address address;
	int fd;
	volatile sig_atomic_t stopped;
	struct connection **connections;
	uint32_t connection_count;
	struct norn_observed_program *sessions[NORN_SERVER_SESSIONS];
	uint32_t session_count;
	struct norn_server_counts counts;
	uint64_t buffered; /* bytes of all connections' buffers for messages */
	uint32_t complaints; /* that were said */
	int64_t breath; /* when it was drawn last */
	int64_t probe_at; /* not before */
	int64_t accept_at; /* not before; 0: at any time */
};

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

__attribute__((format(printf, 3, 4))) static void say(
        const struct norn_server *s, const struct norn_observed_program *session, const char *format, ...)
{
	char text[800];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	s->host->say(s->host->context, session, text);
}

/* Of a peer who does wrong. Who does it without end shall not fill what takes the messages. */
__attribute__((format(printf, 3, 4))) static void complain(
        struct norn_server *s, const struct norn_observed_program *session, const char *format, ...)
{
	char text[800];
	va_list list;
	if (s->complaints == COMPLAINTS)
		say(s, NULL, "there are so many complaints about connections that further ones are counted only");
	if (s->complaints++ >= COMPLAINTS)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	say(s, session, "%s", text);
}

/* ---- life ---- */

int norn_server_new(const struct norn_server_options *options, const struct norn_host *host, struct norn_server **ret_server,
        struct norn_error *err)
{
	struct norn_server *s = norn_must_calloc(1, sizeof *s);
	s->options = *options;
	s->host = host;
	s->connections = norn_must_calloc(NORN_SERVER_CONNECTIONS, sizeof(struct connection *));
	s->fd = norn_address_listen(options->listen, options->anywhere, &s->address, err);
	if (s->fd < 0) {
		int r = s->fd;
		free(s->connections);
		free(s);
		return r;
	}
	*ret_server = s;
	return 0;
}

/* The buffer for messages, which may have become large. */
static void let_go(struct norn_server *s, struct connection *c)
{
	s->buffered -= c->in_room;
	free(c->in);
	c->in = NULL;
	c->in_room = c->in_used = 0;
}

static void drop_out(struct connection *c)
{
	c->server->buffered -= c->out_used;
	free(c->out);
	c->out = NULL;
	c->out_used = c->out_sent = 0;
	c->fetch_deadline = 0;
}

static void drop_connection(struct norn_server *s, uint32_t i)
{
	struct connection *c = s->connections[i];
	close(c->fd);
	let_go(s, c);
	drop_out(c);
	free(c);
	s->connections[i] = s->connections[--s->connection_count];
}

void norn_server_free(struct norn_server *s)
{
	if (!s)
		return;
	while (s->connection_count)
		drop_connection(s, 0);
	for (uint32_t i = 0; i < s->session_count; i++)
		norn_observed_program_free(s->sessions[i]);
	close(s->fd);
	norn_address_remove(&s->address);
	free(s->connections);
	free(s);
}

const char *norn_server_address(const struct norn_server *s)
{
	return s->address.text;
}

void norn_server_stop(struct norn_server *s)
{
	s->stopped = 1;
}

void norn_server_count(const struct norn_server *s, struct norn_server_counts *ret_counts)
{
	*ret_counts = s->counts;
}

/* ---- sending ---- */

static void flush(struct connection *c)
{
	while (c->out_sent < c->out_used) {
		ssize_t n = send(c->fd, c->out + c->out_sent, c->out_used - c->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n < 0) {
			c->ended = true;
			break;
		}
		c->out_sent += (size_t)n;
		c->fetch_deadline = now_ms() + NORN_SERVER_PATIENCE;
	}
	drop_out(c);
}

/* May the program of this connection have so many more bytes in buffers? */
static bool has_room(const struct connection *c, size_t more)
{
	const struct norn_server *s = c->server;
	uint64_t own = more;
	for (uint32_t i = 0; i < s->connection_count; i++)
		if (s->connections[i]->session == c->session)
			own += s->connections[i]->in_room + s->connections[i]->out_used;
	return s->buffered + more <= s->options.buffer_bytes && (!c->session || own <= s->options.buffer_bytes / 2);
}

/* Takes over bytes. */
static int queue(void *connection, void *bytes, size_t length)
{
	struct connection *c = connection;
	if (!has_room(c, length)) {
		free(bytes);
		return -ENOBUFS;
	}
	if (!c->out) {
		c->out = bytes;
		c->fetch_deadline = now_ms() + NORN_SERVER_PATIENCE;
	} else {
		c->out = norn_must_realloc(c->out, c->out_used + length, 1);
		memcpy(c->out + c->out_used, bytes, length);
		free(bytes);
	}
	c->out_used += length;
	c->server->buffered += length;
	flush(c);
	return 0;
}

static void welcome(struct connection *c)
{
	char *frame = malloc(NORN_WIRE_OVERHEAD);
	if (frame)
		queue(c, frame, norn_wire_put_welcome(frame, NORN_WIRE_OVERHEAD));
}

static void refuse(struct connection *c, const char *why)
{
	struct norn_wire_refused refused = {{why, strlen(why)}};
	size_t room = strlen(why) + 32 + NORN_WIRE_OVERHEAD;
	char *frame = malloc(room);
	if (frame)
		queue(c, frame, norn_wire_put_refused(frame, room, &refused));
	c->closing = true;
}

/* ---- hello ---- */

/* Takes as long whatever is wrong with it. */
static bool same_token(const char *ours, struct norn_wire_text theirs)
{
	size_t length = strlen(ours);
	unsigned char difference = length != theirs.length;
	for (size_t i = 0; i < length; i++)
		difference |= (unsigned char)(ours[i] ^ (theirs.length ? theirs.bytes[i % theirs.length] : 0));
	return difference == 0;
}

static struct norn_observed_program *find_session(const struct norn_server *s, const struct norn_wire_hello *hello)
{
	for (uint32_t i = 0; i < s->session_count; i++)
		if (norn_observed_program_pid(s->sessions[i]) == hello->pid &&
		        norn_observed_program_key(s->sessions[i]) == hello->session)
			return s->sessions[i];
	return NULL;
}

static uint32_t connections_of(const struct norn_server *s, const struct norn_observed_program *session)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->connection_count; i++)
		count += s->connections[i]->session == session;
	return count;
}

static void take_hello(struct norn_server *s, struct connection *c, struct norn_wire_text payload)
{
	struct norn_wire_hello hello;
	char why[200];
	if (norn_wire_get_hello(payload, &hello) != 0) {
		s->counts.garbage++;
		complain(s, NULL, "a hello makes no sense");
		c->closing = true;
		return;
	}
	if (!same_token(s->options.token, hello.token)) {
		s->counts.strangers++;
		complain(s, NULL, "process %u has not the token of this observer, and is refused", hello.pid);
		refuse(c, "that is not the token that the observer has printed");
		return;
	}
	if (hello.version != NORN_WIRE_VERSION || (hello.role != NORN_WIRE_CONTROL && hello.role != NORN_WIRE_EVENTS)) {
		snprintf(why, sizeof why, "the observer speaks version %u of the protocol, the program %u: build it again",
		        NORN_WIRE_VERSION, hello.version);
		complain(s, NULL, "process %u is refused: %s", hello.pid, why);
		refuse(c, why);
		return;
	}
	struct norn_observed_program *session = find_session(s, &hello);
	if (session ? connections_of(s, session) == NORN_SERVER_PROGRAM_CONNECTIONS : s->session_count == NORN_SERVER_SESSIONS) {
		const char *many =
		        session ? "the program has too many connections already" : "the observer has too many programs already";
		s->counts.crowded++;
		complain(s, session, "process %u is refused: %s", hello.pid, many);
		refuse(c, many);
		return;
	}
	c->session = session;
	if (!session) {
		if (norn_observed_program_new(s->host, &hello, &c->session) != 0) {
			refuse(c, "the observer has no room for it");
			return;
		}
		s->sessions[s->session_count++] = c->session;
		s->counts.sessions++;
		say(s, c->session, "process %u is observed: %s", hello.pid, norn_observed_program_name(c->session));
	}
	c->role = hello.role;
	welcome(c);
}

/* ---- receiving ---- */

static int grow_in(struct norn_server *s, struct connection *c, size_t most)
{
	if (c->in_used < c->in_room)
		return 0;
	size_t room = c->in_room ? 2 * c->in_room : c->session ? BUFFER_FIRST : NORN_SERVER_HELLO;
	if (room > most)
		room = most;
	if (room <= c->in_room || !has_room(c, room - c->in_room))
		return -ENOBUFS; /* it waits, and is too slow in the end */
	s->buffered += room - c->in_room;
	c->in = norn_must_realloc(c->in, room, 1);
	c->in_room = room;
	return 0;
}

/* Reads what is there, up to most bytes in the buffer. */
static void receive(struct norn_server *s, struct connection *c, size_t most)
{
	size_t got = 0;
	while (!c->ended && got < AT_ONCE && grow_in(s, c, most) == 0) {
		ssize_t n = recv(c->fd, c->in + c->in_used, c->in_room - c->in_used, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			c->ended = true;
			return;
		}
		c->in_used += (size_t)n;
		got += (size_t)n;
	}
}

static size_t most_in(const struct connection *c)
{
	if (!c->session)
		return NORN_SERVER_HELLO;
	return (c->role == NORN_WIRE_CONTROL ? NORN_WIRE_MAX : NORN_WIRE_SMALL + BUFFER_FIRST) + NORN_WIRE_OVERHEAD;
}

static void garbage(struct norn_server *s, struct connection *c, const char *why)
{
	s->counts.garbage++;
	complain(s, c->session, "a connection%s%s is closed: %s", c->session ? " of " : "",
	        c->session ? norn_observed_program_name(c->session) : "", why);
	c->closing = c->ended = true;
	c->in_used = 0;
}

/* One message; false if the connection is done for. */
static bool take_message(struct norn_server *s, struct connection *c, unsigned type, struct norn_wire_text payload)
{
	struct norn_error err = {0};
	if (!c->session) {
		if (type == NORN_WIRE_HELLO) {
			take_hello(s, c, payload);
		} else {
			s->counts.strangers++;
			garbage(s, c, "it did not begin with a hello");
		}
		return c->session != NULL;
	}
	if (norn_observed_program_message(
	            c->session, (enum norn_wire_role)c->role, (enum norn_wire_type)type, payload, queue, c, &err) != 0) {
		garbage(s, c, err.message);
		return false;
	}
	return true;
}

/* All whole messages in the buffer. */
static void take_messages(struct norn_server *s, struct connection *c)
{
	size_t at = 0;
	size_t limit = !c->session                    ? NORN_SERVER_HELLO - NORN_WIRE_OVERHEAD
	               : c->role == NORN_WIRE_CONTROL ? NORN_WIRE_MAX
	                                              : NORN_WIRE_SMALL;
	bool good = true;
	while (good && !c->closing) {
		unsigned type;
		struct norn_wire_text payload;
		bool hello = !c->session;
		long length = norn_wire_frame(c->in + at, c->in_used - at, limit, &type, &payload);
		if (length < 0) {
			s->counts.strangers += !c->session;
			garbage(s, c, "what it sends are no messages");
			return;
		}
		if (length == 0)
			break;
		good = take_message(s, c, type, payload);
		at += (size_t)length;
		if (hello && c->session)
			limit = c->role == NORN_WIRE_CONTROL ? NORN_WIRE_MAX : NORN_WIRE_SMALL;
	}
	if (c->closing) {
		c->in_used = 0;
		return;
	}
	memmove(c->in, c->in + at, c->in_used - at);
	c->in_used -= at;
	if (c->in_used == 0 && c->in_room > BUFFER_FIRST)
		let_go(s, c);
	if (c->in_used == 0)
		c->deadline = c->session ? 0 : c->deadline;
	else if (at || !c->deadline)
		c->deadline = now_ms() + NORN_SERVER_PATIENCE;
}

void norn_server_breathe(struct norn_server *s)
{
	int64_t now = now_ms();
	if (now - s->breath < BREATH_MS)
		return;
	s->breath = now;
	for (uint32_t i = 0; i < s->connection_count; i++) {
		struct connection *c = s->connections[i];
		if (!c->session || c->role != NORN_WIRE_EVENTS)
			continue;
		receive(s, c, BUFFER_AHEAD);
		c->ahead = true;
	}
}

/* ---- connections ---- */

/* Of the connections without a hello, of this peer (NULL: of all), the oldest goes if there are most of them. */
static void make_room(struct norn_server *s, const struct norn_peer *peer, uint32_t most)
{
	uint32_t strangers = 0, oldest = 0;
	for (uint32_t i = 0; i < s->connection_count; i++) {
		const struct connection *c = s->connections[i];
		if (c->session || (peer && !norn_peer_is_same(peer, &c->peer)))
			continue;
		if (strangers++ == 0 || c->deadline < s->connections[oldest]->deadline)
			oldest = i;
	}
	if (strangers < most)
		return;
	if (s->counts.crowded++ == 0)
		say(s, NULL, "there are too many connections that do not say who they are: the oldest are closed");
	drop_connection(s, oldest);
}

/* Of one peer there may be more than of one program, and fewer than of all. */
static bool has_place(const struct norn_server *s, const struct norn_peer *peer)
{
	uint32_t own = 0;
	for (uint32_t i = 0; i < s->connection_count; i++)
		own += norn_peer_is_same(peer, &s->connections[i]->peer);
	return own < NORN_SERVER_PEER_CONNECTIONS && s->connection_count < NORN_SERVER_CONNECTIONS;
}

/* The kernel asks a machine that says nothing for long whether it is still there. */
static void keep_alive(int fd)
{
	int on = 1, idle = 60, times = 3;
	if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle) != 0)
		return; /* no TCP */
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof idle);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

static void take_connection(struct norn_server *s, int fd)
{
	struct norn_peer peer;
	norn_peer_of(fd, &peer);
	s->counts.connections++;
	make_room(s, &peer, NORN_SERVER_STRANGERS / 2);
	make_room(s, NULL, NORN_SERVER_STRANGERS);
	if (!has_place(s, &peer)) {
		s->counts.crowded++;
		complain(s, NULL, "a connection is closed: there are too many, of its peer or in total");
		close(fd);
		return;
	}
	struct connection *c = norn_must_calloc(1, sizeof *c);
	*c = (struct connection){.fd = fd, .server = s, .peer = peer, .deadline = now_ms() + NORN_SERVER_PATIENCE};
	keep_alive(fd);
	s->connections[s->connection_count++] = c;
}

static void accept_some(struct norn_server *s)
{
	for (uint32_t i = 0; i < ACCEPT_AT_ONCE; i++) {
		int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
			s->accept_at = now_ms() + ACCEPT_MS;
		if (fd < 0)
			return;
		take_connection(s, fd);
	}
}

static void end_session(struct norn_server *s, uint32_t i)
{
	struct norn_observed_program *session = s->sessions[i];
	norn_observed_program_finish(session);
	for (uint32_t k = s->connection_count; k-- > 0;)
		if (s->connections[k]->session == session)
			drop_connection(s, k);
	s->sessions[i] = s->sessions[--s->session_count];
	norn_observed_program_free(session);
}

/* Connections that are done go, and sessions that have none left, or all they will get. */
static void clear(struct norn_server *s)
{
	int64_t now = now_ms();
	for (uint32_t i = s->connection_count; i-- > 0;) {
		struct connection *c = s->connections[i];
		bool unfetched = c->fetch_deadline && now > c->fetch_deadline;
		bool late = unfetched || (c->deadline && now > c->deadline);
		if (late) {
			s->counts.slow++;
			s->counts.strangers += !c->session;
			complain(s, c->session, "a connection is closed: it %s",
			        unfetched ? "does not fetch what it asked for" : "did not end what it began to say");
		}
		if (late || (c->ended && c->in_used == 0) || (c->ended && !c->session) || (c->closing && !c->out))
			drop_connection(s, i);
	}
	for (uint32_t i = s->session_count; i-- > 0;)
		if (!connections_of(s, s->sessions[i]) || norn_observed_program_is_complete(s->sessions[i]))
			end_session(s, i);
}

/* ---- the loop ---- */

static void serve(struct norn_server *s, const struct pollfd *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct connection *c = s->connections[i];
		if (fds[i].revents & POLLOUT)
			flush(c);
		if (fds[i].revents & (POLLIN | POLLHUP | POLLERR))
			receive(s, c, most_in(c));
		c->ahead = false;
		if (c->in_used)
			take_messages(s, c);
		/* The rest of a message will never come when the peer has gone. */
		if (c->ended && c->in_used) {
			if (!c->closing && c->session)
				say(s, c->session, "a connection of %s broke off within a message",
				        norn_observed_program_name(c->session));
			c->in_used = 0;
		}
	}
	for (uint32_t i = 0; i < s->session_count; i++)
		norn_observed_program_judge(s->sessions[i]);
}

static bool has_news(const struct norn_server *s)
{
	bool news = false;
	for (uint32_t i = 0; i < s->session_count; i++)
		news |= norn_observed_program_has_news(s->sessions[i]);
	return news;
}

static void probe(struct norn_server *s)
{
	int64_t start = now_ms();
	if (start < s->probe_at || !has_news(s))
		return;
	for (uint32_t i = 0; i < s->session_count; i++)
		norn_observed_program_probe(s->sessions[i]);
	int64_t took = (now_ms() - start) * PROBE_SHARE;
	s->probe_at = now_ms() + (took > PROBE_MS ? took : PROBE_MS);
}

static int wait_ms(const struct norn_server *s, int64_t end)
{
	int64_t now = now_ms(), first = end ? end : INT64_MAX;
	if (s->accept_at && s->accept_at < first)
		first = s->accept_at;
	if (s->probe_at < first && has_news(s))
		first = s->probe_at;
	for (uint32_t i = 0; i < s->connection_count; i++) {
		const struct connection *c = s->connections[i];
		if (c->deadline && c->deadline < first)
			first = c->deadline;
		if (c->fetch_deadline && c->fetch_deadline < first)
			first = c->fetch_deadline;
		if (c->ahead)
			return 0;
	}
	return first == INT64_MAX ? -1 : first <= now ? 0 : (int)(first - now) + 1;
}

static bool is_over(const struct norn_server *s, int64_t end)
{
	if (s->stopped)
		return true;
	if (end)
		return now_ms() >= end || (s->connection_count == 0 && s->session_count == 0);
	return s->options.once && s->counts.sessions && s->session_count == 0;
}

int norn_server_run(struct norn_server *s, int child, struct norn_error *err)
{
	struct pollfd *fds = norn_must_calloc(NORN_SERVER_CONNECTIONS + 2, sizeof *fds);
	sigset_t all, none;
	int64_t end = 0;
	int r = 0;
	sigemptyset(&none);
	sigemptyset(&all);
	sigaddset(&all, SIGINT);
	sigaddset(&all, SIGTERM);
	sigprocmask(SIG_BLOCK, &all, &none);
	while (r == 0 && !is_over(s, end)) {
		uint32_t count = s->connection_count;
		for (uint32_t i = 0; i < count; i++) {
			const struct connection *c = s->connections[i];
			fds[i] = (struct pollfd){c->ended ? -1 : c->fd, (short)(POLLIN | (c->out ? POLLOUT : 0)), 0};
		}
		if (s->accept_at && now_ms() >= s->accept_at)
			s->accept_at = 0;
		fds[count] = (struct pollfd){s->accept_at ? -1 : s->fd, POLLIN, 0};
		fds[count + 1] = (struct pollfd){end ? -1 : child, POLLIN, 0};
		int wait = wait_ms(s, end);
		struct timespec time = {wait / 1000, wait % 1000 * 1000000L};
		int n = ppoll(fds, count + 2, wait < 0 ? NULL : &time, &none);
		if (n < 0 && errno != EINTR)
			r = norn_error_set(err, -errno, "cannot wait for programs: %s", strerror(errno));
		if (n < 0)
			continue;
		if (fds[count + 1].revents)
			end = now_ms() + LINGER_MS;
		serve(s, fds, count);
		assert(s->buffered <= s->options.buffer_bytes);
		accept_some(s);
		clear(s);
		probe(s);
	}
	while (s->session_count)
		end_session(s, s->session_count - 1);
	sigprocmask(SIG_SETMASK, &none, NULL);
	free(fds);
	return r;
}
