/* The request of a compiler's command line, as far as `norn cc` must know: whether it compiles, whether it links, and what Norn
 * cannot do. Response files (@file) are read for that; clang still gets them as they were given. */
#ifndef NORN_CLI_CC_DRIVER_H
#define NORN_CLI_CC_DRIVER_H

#include <stdbool.h>

#include "base/error.h"

struct norn_driver {
	bool compiles; /* it may compile something that Norn instruments */
	bool links; /* it makes a program or a shared library, which needs the runtime */
	bool debug; /* a -g option is there: the user has decided about debug information */
	bool assembles; /* assembler source is among the inputs */
};

/* args: the compiler's arguments, without its own name. -ENOTSUP and a sentence if Norn cannot do what they ask. */
int norn_driver_read(int count, char *const *args, struct norn_driver *ret_driver, struct norn_error *err);

#endif
