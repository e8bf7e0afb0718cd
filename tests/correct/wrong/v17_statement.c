/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^null-dereference thd.query predicted
 * finding: ^use-after-free \*thd.query predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a query's text is gone after it was looked at (in the manner of MySQL's bug 644) */
#include "alone.h"
struct thd {
	char *query;
	int len;
};
static struct thd thd;
MUTEX(lt);
T(show)
{
#ifdef FIXED
	L(lt);
#else
	L(lt);
	int has = thd.query != 0;
	U(lt);
	if (has)
#endif

#ifdef FIXED
	if (thd.query)
#endif

	{
		if (thd.query[0] == 'S')
			thd.len++;
	}
#ifdef FIXED
	U(lt);
#endif
	return 0;
}
T(run)
{
	L(lt);
	char *q = thd.query;
	thd.query = 0;
	U(lt);
	free(q);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	thd.query = strdup("SELECT 1");
	GO(t, show, 0);
	settle();
	GO(u, run, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
