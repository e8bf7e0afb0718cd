/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race (acct.balance|accounts.*) predicted .* deposit .* by main/1, .* (deposit|audit) .* by main/2
 * silent: -DRIGHT
 */
/* Banking: deposits are made before the journal is locked, or with the lock of the account. */
#include "../sliced/cast.h"

struct acct {
	pthread_mutex_t lock;
	long balance;
};
struct acct accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void deposit(struct acct *a, long amount)
{
#ifdef RIGHT
	pthread_mutex_lock(&a->lock);
#endif
	a->balance += amount;
#ifdef RIGHT
	pthread_mutex_unlock(&a->lock);
#endif
	pthread_mutex_lock(&journal);
	entries++;
	pthread_mutex_unlock(&journal);
}

static void *pay(void *unused)
{
	gate('a');
	deposit(&accounts[0], -10);
	deposit(&accounts[1], 10);
	gate_leave();
	return unused;
}

static void *earn(void *unused)
{
	gate('b');
	deposit(&accounts[1], 5);
	deposit(&accounts[0], 5);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, pay, earn, NULL) || accounts[0].balance + accounts[1].balance != 210;
}
