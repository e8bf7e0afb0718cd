/* A lattice of half a billion cuts: four threads that write a variable each, 150 times. */
#include <pthread.h>

int a, b, c, d;

#define WRITER(variable)                                                                                                           \
	static void *write_##variable(void *unused)                                                                                \
	{                                                                                                                          \
		for (int i = 0; i < 150; i++)                                                                                      \
			variable = i;                                                                                              \
		return unused;                                                                                                     \
	}
WRITER(a)
WRITER(b)
WRITER(c)
WRITER(d)

int main(void)
{
	void *(*const writers[])(void *) = {write_a, write_b, write_c, write_d};
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, writers[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
