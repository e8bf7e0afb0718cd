/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O1 -pthread
 * cc: -g -Og -pthread
 * cc: -g -O1 -flto -fuse-ld=lld -pthread
 * prop: prop_kept.prop
 * dump-count: 3 enter +client_suspend\(0x
 * dump-count: 2 enter +client_resume\(0x
 * dump-count: 1 leave +look = 0x7
 * note: property finds: satisfaction
 * finding: property alternate .* for c = 0x
 * finding-count: 1
 */
/* Functions that an optimiser would dissolve: small, without effect, always called with the same argument, results that nobody looks at. */
static struct client {
	int suspended;
} one, two;

static void client_suspend(struct client *c)
{
	(void)c;
}

static void client_resume(struct client *c)
{
	c->suspended = 0;
}

static int look(int i)
{
	return i + 4;
}

int main(void)
{
	client_suspend(&one);
	client_resume(&one);
	client_suspend(&two);
	client_suspend(&two);
	client_resume(&two);
	look(3);
	return 0;
}
