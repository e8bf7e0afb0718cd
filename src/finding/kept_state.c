#include "finding/kept_state.h"

#include <stddef.h>
#include <string.h>

#include "trace/site.h"

static const char *const functions[][2] = {
        {"asctime", "asctime_r"},
        {"crypt", "crypt_r"},
        {"ctime", "ctime_r"},
        {"drand48", "drand48_r"},
        {"getgrgid", "getgrgid_r"},
        {"getgrnam", "getgrnam_r"},
        {"gethostbyaddr", "getnameinfo"},
        {"gethostbyname", "getaddrinfo"},
        {"getlogin", "getlogin_r"},
        {"getpwnam", "getpwnam_r"},
        {"getpwuid", "getpwuid_r"},
        {"gmtime", "gmtime_r"},
        {"hsearch", "hsearch_r"},
        {"inet_ntoa", "inet_ntop"},
        {"lgamma", "lgamma_r"},
        {"localtime", "localtime_r"},
        {"ptsname", "ptsname_r"},
        {"rand", "rand_r"},
        {"random", "random_r"},
        {"strerror", "strerror_r"},
        {"strtok", "strtok_r"},
        {"ttyname", "ttyname_r"},
};

const char *norn_kept_state_instead_of(const struct norn_trace *trace, const struct norn_graph *graph, const uint32_t *events,
        uint32_t count, const char **ret_function)
{
	for (uint32_t i = 0; i < count; i++) {
		struct norn_site_info info;
		norn_trace_site(trace, norn_graph_event(graph, events[i])->site, &info);
		bool call = info.site && info.site->kind == NORN_SITE_CALL && info.name;
		for (size_t k = 0; call && k < sizeof functions / sizeof *functions; k++)
			if (strcmp(info.name, functions[k][0]) == 0) {
				*ret_function = functions[k][0];
				return functions[k][1];
			}
	}
	return NULL;
}
