/* A program as the pass would leave it, but with tables that are written by hand: two good ones, rubbish before, between and behind. */
#include "trace/site.h"

#define STRINGS                                                                                                                    \
	"\0sites.c\0counter\0int\0names\0names[]\0char\0work\0work::calls\0unsigned int\0pointer\0long "                           \
	"*\0helper\0other.c\0plain\0ratio\0double"
enum {
	FILE_ = 1,
	COUNTER = 9,
	INT = 17,
	NAMES = 21,
	ELEMENT = 27,
	CHAR = 35,
	WORK = 40,
	CALLS = 45,
	UNSIGNED = 57,
	POINTER = 70,
	LONG = 78,
	HELPER = 85,
	OTHER = 92,
	PLAIN = 100,
	RATIO = 106,
	DOUBLE = 112
};

#define ACCESS(n, t, s, f) {.kind = NORN_SITE_WRITE, .name = n, .type = t, .size = s, .flags = f, .file = FILE_}

struct table {
	struct norn_site_table head;
	struct norn_site sites[8];
	struct norn_frame frames[1];
	char strings[sizeof STRINGS];
};
#define HEAD(n)                                                                                                                    \
	{.magic = NORN_SITE_MAGIC,                                                                                                 \
	        .version = NORN_SITE_VERSION,                                                                                      \
	        .level = 1,                                                                                                        \
	        .sites = n,                                                                                                        \
	        .frames = 1,                                                                                                       \
	        .strings = sizeof STRINGS,                                                                                         \
	        .source = FILE_}
#define SITES __attribute__((section("norn_sites"), used, aligned(8)))

SITES static const unsigned rubbish[] = {NORN_SITE_MAGIC, 1, 2, 3};
SITES static const struct table first = {
        .head = HEAD(8),
        .sites = {{.kind = NORN_SITE_ENTER, .name = WORK, .file = FILE_}, ACCESS(COUNTER, INT, 4, NORN_SITE_SIGNED),
                ACCESS(ELEMENT, CHAR, 1, NORN_SITE_SIGNED), ACCESS(CALLS, UNSIGNED, 4, 0),
                ACCESS(POINTER, LONG, 8, NORN_SITE_POINTER), ACCESS(PLAIN, 0, 4, 0),
                {.kind = NORN_SITE_WRITE, .name = 0x7fffffff, .type = 0x7fffffff, .file = 0x7fffffff},
                ACCESS(RATIO, DOUBLE, 8, NORN_SITE_FLOAT)},
        .strings = STRINGS,
};
SITES static const struct table broken = {
        .head = {.magic = NORN_SITE_MAGIC, .version = NORN_SITE_VERSION, .sites = 0xffffffff, .strings = 4}};
SITES static const struct table second = {
        .head = HEAD(8),
        .sites = {{.kind = NORN_SITE_ENTER, .name = HELPER, .file = OTHER}},
        .strings = STRINGS,
};
SITES static const struct norn_site_table cut = {.magic = NORN_SITE_MAGIC, .version = NORN_SITE_VERSION, .sites = 1, .strings = 1};

int counter = 3, plain = 4;
char names[6] = "abc";
long *pointer;
double ratio = 0.5;
struct {
	int a, b;
} pair;

__attribute__((noinline)) int work(void)
{
	static unsigned calls = 2;
	return ++calls;
}

int main(void)
{
	counter += plain + names[0] + ratio + pair.a;
	return work() + *pointer;
}
