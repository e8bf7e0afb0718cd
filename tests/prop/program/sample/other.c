#include "part.h"

struct hidden {
	struct hidden *self;
	unsigned char size;
};

static volatile int state = 6;
static struct hidden secret = {&secret, 200};
struct node *list;
int shared = 12;

int step(int by)
{
	shared += by + secret.size;
	return state + bump(by);
}
