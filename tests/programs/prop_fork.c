/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_fork.prop
 * no-finding: yes
 * note: 1 trace of processes that the program forked is not judged
 */
/* The child has memory, and a trace, of its own. */
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
