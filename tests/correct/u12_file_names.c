/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: names of files go through a pipe; what is in such a file says which cell is the receiver's */
#include "correct.h"
#include <fcntl.h>
static int cell[4], f[2];
T(writer)
{
	for (int i = 0; i < 4; i++) {
		char name[24] = "/tmp/norn-u12-XXXXXX";
		int fd = mkstemp(name);
		cell[i] = 10 * i;
		dprintf(fd, "cell %d\n", i);
		close(fd);
		write(f[1], name, sizeof name);
	}
	close(f[1]);
	return a;
}
T(reader)
{
	char name[24];
	while (read(f[0], name, sizeof name) == sizeof name) {
		int i = -1;
		FILE *in = fopen(name, "r");
		if (fscanf(in, "cell %d", &i) != 1 || i < 0 || i > 3)
			abort();
		fclose(in);
		unlink(name);
		cell[i]++;
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	if (pipe(f))
		return 2;
	GO(x, writer, 0);
	GO(y, reader, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", cell[0] + cell[1] + cell[2] + cell[3]);
	return cell[3] != 31;
}
