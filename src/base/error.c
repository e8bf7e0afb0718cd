#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int norn_error_set(struct norn_error *err, int code, const char *format, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return code;
}

int norn_error_no_memory(struct norn_error *err)
{
	return norn_error_set(err, -ENOMEM, "there is not enough memory");
}
