/* The optimiser makes no reads that the source does not have: x is never read.
 * NEVER: read x|
 * EXPECT: read other|
 */
int x = 1, other = 2;
volatile int no;

__attribute__((noinline)) int pick(int wanted)
{
	int value = 0;
	if (wanted)
		value = x;
	return value;
}

__attribute__((noinline)) int choose(int wanted)
{
	return wanted ? x : other;
}

__attribute__((noinline)) long sum(int n, int wanted)
{
	long s = 0;
	for (int i = 0; i < n; i++)
		if (wanted)
			s += x;
	return s;
}

int main(void)
{
	return pick(no) + choose(no) + (int)sum(3, no) == 2 ? 0 : 1;
}
