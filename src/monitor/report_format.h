/* The text of a property's `report("…", …)`: its format, filled with values that may be unknown. */
#ifndef NORN_MONITOR_REPORT_FORMAT_H
#define NORN_MONITOR_REPORT_FORMAT_H

#include "monitor/eval.h"

/* %d %i %u %x %X %o %c %p %f %g %e %s with flags, width and precision, lengths ignored; an unknown value is `?`, what is no
 * conversion stays as it is. Writes what fits, with a NUL, and returns the length that the whole text has. Allocates nothing. */
size_t norn_message_put(char *to, size_t room, const char *format, const struct norn_value *values, uint32_t count);

#endif
