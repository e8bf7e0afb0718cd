/* norn-test
 * cc: -g -O1 -pthread
 * exit: 9
 * dump-count: 1 main +exit +status 9
 * dump: main +enter +destruct
 * dump: main +enter +construct
 */
/* Return from main; constructors and destructors are recorded. */
static volatile int state;

static __attribute__((constructor, noinline)) void construct(void)
{
	state = 1;
}

static __attribute__((destructor, noinline)) void destruct(void)
{
	state = 2;
}

int main(void)
{
	return state + 8;
}
