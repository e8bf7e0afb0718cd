/* norn-test
 * errors: yes
 * finding: ^race account (predicted|observed) at copied_struct.c:\d+ \w+ (read|write) by main/\d, copied_struct.c:\d+ \w+ (read|write) by main/\d
 * finding-count: 1
 * silent: -DRIGHT
 */
/* A struct is copied while its fields are written at four lines: one lock is missing, so this is one finding. */
#include <pthread.h>

#ifdef RIGHT
#define LOCK pthread_mutex_lock(&lock)
#define UNLOCK pthread_mutex_unlock(&lock)
#else
#define LOCK (void)0
#define UNLOCK (void)0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct account {
	long balance, limit, blocked, owner[8];
};
struct account account, copy;

static void *reader(void *unused)
{
	(void)lock;
	LOCK;
	copy = account;
	UNLOCK;
	return unused;
}

static void *writer(void *unused)
{
	LOCK;
	account.balance = 1;
	account.limit = 2;
	account.blocked = 3;
	account.owner[2] = 4;
	UNLOCK;
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
