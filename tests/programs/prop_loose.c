/* norn-test
 * cc: -g -O2 -pthread
 * cc: -g -O3 -pthread
 * cc: -g -Os -pthread
 * prop: prop_loose.prop
 * no-finding: yes
 * check-exit: 3
 * note: speak of variables, and \S*prop_loose.c was optimised: a write through a pointer that another write follows may be missing
 * note: --prop \S*prop_loose.prop, or at -O1
 */
/* A write through a pointer that the optimiser removes, since another follows: the value 1 is never there, and Norn says that it may not have been seen. At -O1
 * such writes are kept. */
static int level;
static int *volatile where = &level;

int main(void)
{
	int *to = where;
	*to = 1;
	*to = 2;
	return level != 2;
}
