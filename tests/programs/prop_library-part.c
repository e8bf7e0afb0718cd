/* The library of prop_library.c. */
int library_state = 3;
static int calls;

__attribute__((noinline)) int library_set(int state)
{
	calls++;
	library_state = state;
	return calls;
}
