/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: results of many functions that only ask decide nothing; the count is under a lock all the same */
#include "correct.h"
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/sysinfo.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
T(w)
{
	struct utsname u;
	struct sysinfo i;
	struct rusage r;
	struct tms t;
	struct stat s;
	char b[200];
	for (int k = 0; k < 3; k++) {
		uname(&u);
		sysinfo(&i);
		getrusage(RUSAGE_SELF, &r);
		times(&t);
		stat("/", &s);
		(void)!getcwd(b, sizeof b);
		gethostname(b, sizeof b);
		(void)sysconf(_SC_NPROCESSORS_ONLN);
		L(m);
		d++;
		U(m);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d);
	return d != 6;
}
