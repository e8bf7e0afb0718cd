/* fclose(f) while another thread has still to fputs(f) (ThreadSanitizer: data race 3 of 3; closedir/readdir: found)
   Failing order: c before w
   Shown with -DFAIL: tsan NO */
#include "hostile.h"
static FILE *f;
void *w(void *q)
{
	B(3000);
	fputs("hello\n", f);
	return 0;
}
void *c(void *q)
{
	G(3000);
	fclose(f);
	return 0;
}
int main(void)
{
	f = fopen("/dev/null", "w");
	run2(w, c);
	return 0;
}
