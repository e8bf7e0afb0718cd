/* norn-test
 * silent: -lz
 * unjudged:
 */
/* Correct: each thread has a stream of its own; what it makes is handed over under a lock */
#include "correct.h"
#include <zlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *made[2];
static unsigned long size[2], all;
T(w)
{
	int i = (int)(intptr_t)a;
	unsigned char text[100];
	z_stream z = {0};
	memset(text, 'a' + i, sizeof text);
	made[i] = malloc(200);
	deflateInit(&z, 6);
	z.next_in = text;
	z.avail_in = sizeof text;
	z.next_out = made[i];
	z.avail_out = 200;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	size[i] = z.total_out;
	deflateEnd(&z);
	L(m);
	all = crc32(all, made[i], 1);
	U(m);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	unsigned char back[100];
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 2; i++) {
		unsigned long n = sizeof back;
		if (uncompress(back, &n, made[i], size[i]) || n != 100 || back[9] != 'a' + i)
			return 1;
		free(made[i]);
	}
	puts("same");
	return 0;
}
