/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <sys/ipc.h>
#include <sys/msg.h>
static int q;
static void bye(void)
{
	msgctl(q, IPC_RMID, 0);
}
static void init(void)
{
	q = msgget(IPC_PRIVATE, 0600);
	atexit(bye);
}
struct m {
	long t;
	int v;
};
static void set(void)
{
	struct m m = {1, 8};
	msgsnd(q, &m, sizeof m.v, 0);
}
static int seen(void)
{
	struct m m;
	return msgrcv(q, &m, sizeof m.v, 0, 0) == sizeof m.v && m.v == 8;
}
