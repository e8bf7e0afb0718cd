/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_fork.prop
 * finding: property never_two \(violated\) observed at prop_fork.c:18 main by main
 * finding-count: 1
 */
/* The child has memory, and a trace, of its own, and is judged by itself: 2 is its number alone. */
#include <sys/wait.h>
#include <unistd.h>

int number;

int main(void)
{
	number = 1;
	pid_t child = fork();
	if (child == 0) {
		number = 2;
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
#ifdef BAD
	number = 2;
#endif
	return status;
}
