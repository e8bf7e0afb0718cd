/* norn-test
 * silent:
 * silent: -O3
 * unjudged:
 */
/* Correct: functions write, or read, no more than they need; what lies behind is another thread's */
#include "correct.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <stddef.h>
#include <wchar.h>
static char b[16][64];
static wchar_t wide[16];
static int f;
T(w)
{
	struct tm t = {.tm_year = 100, .tm_mon = 3, .tm_mday = 5};
	FILE *in = fmemopen("ab\ncd\n", 6, "r");
	snprintf(b[0], 64, "%d", 77);
	if (!fgets(b[1], 64, in))
		abort();
	if (!inet_ntop(AF_INET, "abcd", b[2], 64))
		abort();
	strftime(b[3], 64, "%d", &t);
	(void)!memccpy(b[4], "abc,def", ',', 7);
	if (readlink("/proc/self/exe", b[5], 5) != 5)
		abort();
	strcpy(b[6], "abc");
	strcat(b[6], "de");
	if (pread(f, b[7], 60, 0) != 3)
		abort();
	mbstowcs(wide, "abc", 16);
	if (sscanf("word next", "%60s", b[8]) != 1)
		abort();
	stpcpy(b[9], "ab");
	strncpy(b[10], "ab", 10);
	if (strchr(b[11], 'x') != b[11] + 2 || strspn(b[12], "ab") != 2 || strcmp(b[13], "abq") >= 0 ||
	        strtol(b[14], 0, 10) != 12 || memchr(b[15], 'c', 64) == 0)
		abort();
	fclose(in);
	return a;
}
T(v)
{
	for (int i = 0; i < 16; i++)
		for (int k = 32; k < 64; k++)
			b[i][k] = (char)k;
	for (int k = 8; k < 16; k++)
		wide[k] = k;
	return a;
}
int main(void)
{
	pthread_t x, y;
	f = open("f", O_CREAT | O_RDWR, 0600);
	if (write(f, "xyz", 3) != 3)
		abort();
	strcpy(b[11], "abx");
	strcpy(b[12], "abx");
	strcpy(b[13], "abc");
	strcpy(b[14], "12 ");
	strcpy(b[15], "abc");
	for (int i = 11; i < 16; i++)
		memset(b[i] + 4, 'z', 28);
	GO(x, w, 0);
	GO(y, v, 0);
	WAIT(x);
	WAIT(y);
	puts(b[0]);
	return 0;
}
