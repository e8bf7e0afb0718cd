/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_marks.prop
 * no-finding: yes
 * note: property pairs: match: a pair
 */
#include <norn.h>

int main(void)
{
	norn_set("phase", 1);
	for (int i = 0; i < 3; i++) {
		norn_event("ping", i);
		norn_event("pong", i);
	}
	norn_set("phase", 2);
#ifdef BAD
	norn_set("phase", 0);
	norn_event("ping", 4);
	norn_event("ping", 5);
#endif
	return 0;
}
