/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/t-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: memory goes round: a thread makes it, the loop uses it and posts no more than it got; the thread waits for a mutex-guarded answer */
#include "correct.h"
#include "t-part.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int *box[4], answered;
static void use(int i, int n)
{
	*box[i] += n;
	free(box[i]);
	L(m);
	answered++;
	pthread_cond_signal(&c);
	U(m);
}
T(w)
{
	for (int i = 0; i < 4; i++) {
		box[i] = malloc(sizeof *box[i]);
		*box[i] = i;
		t_post(use, i, 1);
		L(m);
		while (answered <= i)
			pthread_cond_wait(&c, &m);
		U(m);
		box[i] = 0;
	}
	return a;
}
int main(void)
{
	pthread_t x;
	GO(x, w, 0);
	t_loop(4);
	WAIT(x);
	printf("%d\n", answered);
	return answered != 4;
}
