/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -O1
 * no-finding: yes
 * check-exit: 3
 * note: errors may be missing: by barred\.c:\d+ code without hooks had called back, or changed memory
 */
/* The buffer of a stream is the program's, and is found changed: by whom, and after what, is not known, so that nothing that came before can be claimed to come later. There may be
 * a race on data (there is), so the verdict is not complete. */
#include <stdio.h>

#include "../sliced/cast.h"

static FILE *stream;
static char buffer[256];
int data;

static void *fills(void *unused)
{
	gate('a');
	fputs("go", stream);
	data = 1;
	gate_leave();
	return unused;
}

static void *looks(void *unused)
{
	gate('b');
	char first = buffer[0]; /* races, too, but with code that is not seen */
	if (first == 'g')
		data = 2;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	stream = fopen("f", "w");
	setvbuf(stream, buffer, _IOFBF, sizeof buffer);
	return argc < 2 || play(argv, fills, looks, NULL);
}
