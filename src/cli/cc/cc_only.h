/* The names in the properties of `norn cc --prop`, for the pass. */
#ifndef NORN_CLI_CC_CC_ONLY_H
#define NORN_CLI_CC_CC_ONLY_H

/* Sets NORN_ONLY (instrument/hook_filter.h). Says what is wrong, and returns the exit status. */
int norn_cc_only(const char *const *props, unsigned count);

#endif
