/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race d
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct ops {
	int (*lock)(pthread_mutex_t *);
	int (*unlock)(pthread_mutex_t *);
} *volatile ops;
static void init(void)
{
	ops = malloc(sizeof *ops);
	*ops = (struct ops){pthread_mutex_lock, pthread_mutex_unlock};
}
static void lk(int i)
{
	(void)i;
	ops->lock(&m);
}
static void ul(int i)
{
	(void)i;
	ops->unlock(&m);
}
