/* the same, shortest: n = head; v = n->v; free(n)
   Failing order: cons before prod
   Shown with -DFAIL: fails rc 139 */
#include "hostile.h"
struct node {
	int v;
	struct node *next;
};
MX(m);
static struct node *head;
static struct node n0 = {1, 0};
void *prod(void *p)
{
	B(2000);
	struct node *n = malloc(sizeof *n);
	n->v = 1;
	n->next = 0;
	LK(m);
	head = n;
	UL(m);
	return 0;
}
void *cons(void *p)
{
	G(2000);
	LK(m);
	struct node *n = head;
	int v = n->v;
	UL(m);
	free(n);
	return 0;
}
int main(void)
{
	run2(prod, cons);
	return 0;
}
