/* fputs(s, f) with f read under the lock, null before set() (strlen(NULL) is found, stdio not)
   Failing order: use before set
   Shown with -DFAIL: exit yes */
#include "hostile.h"
MX(m);
static FILE *log_;
void *set(void *p)
{
	B(2000);
	LK(m);
	log_ = stderr;
	UL(m);
	return 0;
}
void *use(void *p)
{
	G(2000);
	LK(m);
	FILE *f = log_;
	UL(m);
	fputs("hello\n", f);
	return 0;
}
int main(void)
{
	run2(set, use);
	return 0;
}
