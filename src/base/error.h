/* An error that a person will read.
 *
 * Functions return 0 or a negative errno. Those that know more than an errno can say also fill a struct norn_error, which the
 * caller owns and only cli/ prints. The message is one sentence without a full stop; where there is a remedy it names it. */
#ifndef NORN_BASE_ERROR_H
#define NORN_BASE_ERROR_H

struct norn_error {
	char file[256]; /* input that is at fault, "" if none */
	unsigned line, column; /* position in it, 0 if none */
	char message[512];
};

/* Fills err (which may be NULL) and returns code, so that callers can write: return norn_error_set(err, -EINVAL, "…"). */
int norn_error_set(struct norn_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for lack of memory, where there is no more to say: -ENOMEM. */
int norn_error_no_memory(struct norn_error *err);

#endif
