/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: no function reads past the bytes that it is given; the page after them is closed */
#include "correct.h"
#include <sys/mman.h>
#include <wchar.h>
T(w)
{
	char *q = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), b[64];
	mprotect(q + 4096, 4096, PROT_NONE);
	char *e = q + 4092;
	memcpy(e, "abcd", 4);
	int n = snprintf(b, sizeof b, "%.4s|%.*s", e, 2, e);
	n += strncmp(e, "abce", 4) + strncasecmp(e, "ABCD", 4) + (int)strnlen(e, 4) + memcmp(e, "abcd", 4);
	n += memchr(e, 'd', 100) != 0;
	strncpy(b, e, 4);
	strncat(b + 20, e, 4);
	char *s = strndup(e, 4);
	n += (int)strlen(s);
	free(s);
	FILE *f = fopen("/dev/null", "w");
	n += (int)fwrite(e, 1, 4, f) + (int)write(fileno(f), e, 4);
	fclose(f);
	n += strncmp(q + 4095, "d", 1) + (stpncpy(b, e, 4) == b + 4) + (memccpy(b, e, 'c', 50) == b + 3);
	wchar_t *v = (wchar_t *)(q + 4096) - 2;
	v[0] = 'x';
	v[1] = 'y';
	n += (int)wcsnlen(v, 2) + wcsncmp(v, L"xy", 2) + swprintf((wchar_t *)b, 8, L"%.2ls", v);
	munmap(q, 8192);
	return (void *)(intptr_t)n;
}
int main(void)
{
	pthread_t x, y;
	void *r, *s;
	GO(x, w, 0);
	GO(y, w, 0);
	pthread_join(x, &r);
	pthread_join(y, &s);
	printf("%d %d\n", (int)(intptr_t)r, (int)(intptr_t)s);
	return 0;
}
