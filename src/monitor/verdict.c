#include "monitor/monitor.h"

char norn_verdict_letter(enum norn_verdict verdict)
{
	return "?TFM"[verdict];
}
