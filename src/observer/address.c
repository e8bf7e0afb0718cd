#include "observer/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

static int failed(const char *where, struct norn_error *err)
{
	int code = errno;
	return norn_error_set(err, -code, "cannot listen on %s: %s", where, strerror(code));
}

/* ---- unix ---- */

/* A socket file that is left of an observer that has ended: there is no answer. */
static bool is_stale(const struct sockaddr_un *name)
{
	struct stat st;
	if (lstat(name->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool stale = fd >= 0 && connect(fd, (const struct sockaddr *)name, sizeof *name) != 0 && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return stale;
}

static int listen_unix(const char *where, const char *path, struct norn_address *address, struct norn_error *err)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	if (*path == 0 || strlen(path) >= sizeof name.sun_path)
		return norn_error_set(err, -EINVAL, "%s: the path of a socket has 1 to %zu bytes", where, sizeof name.sun_path - 1);
	strcpy(name.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return failed(where, err);
	if (is_stale(&name))
		unlink(path);
	/* From the first moment on no other user may connect. */
	mode_t before = umask(0177);
	int r = bind(fd, (const struct sockaddr *)&name, sizeof name);
	umask(before);
	if (r != 0 && errno == EADDRINUSE) {
		close(fd);
		struct stat st;
		bool socket = lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
		return norn_error_set(
		        err, -EADDRINUSE, socket ? "another observer listens on %s" : "%s is there already, and no socket", path);
	}
	strcpy(address->path, r == 0 ? path : "");
	if (r != 0 || listen(fd, BACKLOG) != 0) {
		r = failed(where, err);
		norn_address_remove(address);
		close(fd);
		return r;
	}
	char *whole = realpath(path, NULL);
	snprintf(address->text, sizeof address->text, "unix:%s", whole ? whole : path);
	free(whole);
	return fd;
}

/* ---- tcp ---- */

static bool is_loopback(const struct sockaddr *name)
{
	if (name->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)(const void *)name)->sin_addr.s_addr) >> 24 == 127;
	return name->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)name)->sin6_addr);
}

static int listen_at(const struct addrinfo *at)
{
	int on = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	int code = errno;
	close(fd);
	errno = code;
	return -1;
}

static void name_tcp(int fd, struct norn_address *address)
{
	struct sockaddr_storage name;
	socklen_t length = sizeof name;
	char host[64] = "?", port[16] = "0";
	getsockname(fd, (struct sockaddr *)&name, &length);
	getnameinfo((struct sockaddr *)&name, length, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	bool six = strchr(host, ':') != NULL;
	snprintf(address->text, sizeof address->text, "tcp:%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", port);
}

static int listen_tcp(const char *where, const char *rest, bool anywhere, struct norn_address *address, struct norn_error *err)
{
	char host[256];
	const char *colon = strrchr(rest, ':');
	size_t length = colon ? (size_t)(colon - rest) : 0;
	if (!colon || length >= sizeof host)
		return norn_error_set(
		        err, -EINVAL, "%s: where is the port? Write tcp:HOST:PORT, for example tcp:127.0.0.1:0", where);
	bool brackets = length >= 2 && rest[0] == '[' && rest[length - 1] == ']';
	snprintf(host, sizeof host, "%.*s", (int)(brackets ? length - 2 : length), rest + brackets);
	if (strspn(colon + 1, "0123456789") != strlen(colon + 1) || strlen(colon + 1) > 5 || atoi(colon + 1) > 65535 || !colon[1])
		return norn_error_set(err, -EINVAL, "%s: a port is a number up to 65535 (0: any that is free)", where);
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *found;
	int r = getaddrinfo(*host ? host : "127.0.0.1", colon + 1, &hints, &found);
	if (r != 0)
		return norn_error_set(err, -EINVAL, "%s: %s", where, gai_strerror(r));
	if (!is_loopback(found->ai_addr) && !anywhere) {
		freeaddrinfo(found);
		return norn_error_set(err, -EPERM,
		        "%s can be reached from other machines, and what is sent there is not encrypted: say --listen-anywhere if "
		        "that is meant",
		        where);
	}
	int fd = listen_at(found);
	if (fd < 0)
		r = failed(where, err);
	freeaddrinfo(found);
	if (fd < 0)
		return r;
	name_tcp(fd, address);
	return fd;
}

int norn_address_listen(const char *where, bool anywhere, struct norn_address *ret_address, struct norn_error *err)
{
	*ret_address = (struct norn_address){0};
	if (strncmp(where, "unix:", 5) == 0)
		return listen_unix(where, where + 5, ret_address, err);
	if (strncmp(where, "tcp:", 4) == 0)
		return listen_tcp(where, where + 4, anywhere, ret_address, err);
	return norn_error_set(err, -EINVAL, "%s is no address: write unix:PATH or tcp:HOST:PORT", where);
}

void norn_address_remove(const struct norn_address *address)
{
	if (*address->path)
		unlink(address->path);
}
