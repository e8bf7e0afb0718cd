#include "judge/recorded/report_message.h"

#include <stdlib.h>

#include "monitor/report_format.h"

char *norn_message(const char *format, const struct norn_value *values, uint32_t count)
{
	size_t bytes = norn_message_put(NULL, 0, format, values, count) + 1;
	char *text = malloc(bytes);
	if (text)
		norn_message_put(text, bytes, format, values, count);
	return text;
}
