/* A library that is loaded while the program runs. */
volatile int gauge;

__attribute__((noinline)) int part_set(int value)
{
	gauge = value;
	return value + 1;
}
