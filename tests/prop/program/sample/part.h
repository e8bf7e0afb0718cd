#include <stdbool.h>
#include <stdint.h>

struct hidden; /* other.c knows it */
typedef struct {
	long balance;
	unsigned first : 3, second : 7;
	int third : 20;
	bool open : 1;
} acct;

struct __attribute__((packed)) tight {
	unsigned char a : 3;
	unsigned int b : 30;
	unsigned short c;
	int64_t d : 40;
};

enum colour { RED = -1, GREEN };
typedef enum { UP, DOWN } direction;
typedef int (*callback)(struct hidden *, const char *, ...);
typedef uint32_t word;

struct node {
	struct node *next;
	struct hidden *hidden;
	union {
		int number;
		struct {
			float real, imaginary;
		};
	};
	acct accounts[2];
	const volatile word flags;
	_Atomic long turns;
	char names[2][3];
	enum colour colour;
	direction way;
	callback call;
	int rest[];
};

extern struct node *list;
extern int shared, nowhere;
extern _Thread_local int depth;
int step(int by);

static inline int bump(int by)
{
	static int count = 7;
	{
		static volatile long inner;
		inner += by;
	}
	return count += by;
}
