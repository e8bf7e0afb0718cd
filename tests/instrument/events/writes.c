/* Variables keep their writes: those that are written over, and those of a loop.
 * COUNT 2: write x|
 * COUNT 3: write y|
 * COUNT 2: write s.a|
 * COUNT 2: write own|
 */
int x, y;
static int own;
struct {
	int a, b;
} s;

__attribute__((noinline)) void work(int n)
{
	x = 1;
	x = 0;
	for (int i = 0; i < n; i++)
		y = i;
	s.a = 1;
	s.a = 2;
	own = 3;
	own = 4;
}

int main(void)
{
	work(3);
	return own - 4;
}
