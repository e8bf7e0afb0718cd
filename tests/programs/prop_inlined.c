/* norn-test
 * cc: -g -O2 -pthread
 * prop: prop_inlined.prop
 * no-finding: yes
 * note: event put misses calls of put, which the optimiser inlined
 * note: event got misses calls of get, which the optimiser inlined
 * check-exit: 3
 */
/* Calls that were inlined make no events, though the functions can be called from elsewhere, too: that is said. */
static volatile int full, slot;

int put(int value);
int get(void);

int put(int value)
{
	slot = value;
	full = 1;
	return 1;
}

int get(void)
{
	return full ? slot : 0;
}

int main(void)
{
	put(7);
	return get() != 7;
}
