/* A clerk adds up two accounts while a teller moves money between them. Every access is under its account's lock, and yet most sums are wrong. Under `norn watch`
 * the clerk's own thread is told of it as soon as it can know, and adds up once more. With -DFIXED one lock holds for both. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int checking = 100, savings = 100;
static pthread_mutex_t checking_lock = PTHREAD_MUTEX_INITIALIZER, savings_lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
#define BEGIN() pthread_mutex_lock(&both)
#define END() pthread_mutex_unlock(&both)
#else
#define BEGIN() (void)0
#define END() (void)0
#endif
static _Thread_local int broken;

/* What the property calls. */
void again(void)
{
	broken = 1;
}

__attribute__((noinline)) int audit(void)
{
	BEGIN();
	pthread_mutex_lock(&checking_lock);
	int sum = checking;
	pthread_mutex_unlock(&checking_lock);
	usleep(1000);
	pthread_mutex_lock(&savings_lock);
	sum += savings;
	pthread_mutex_unlock(&savings_lock);
	END();
	return sum;
}

static void transfer(int amount)
{
	BEGIN();
	pthread_mutex_lock(&checking_lock);
	checking -= amount;
	pthread_mutex_lock(&savings_lock);
	savings += amount;
	pthread_mutex_unlock(&savings_lock);
	pthread_mutex_unlock(&checking_lock);
	END();
}

static void *teller(void *unused)
{
	for (int i = 0; i < 50; i++) {
		transfer(1);
		usleep(500);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	int wrong = 0, repeated = 0;
	pthread_create(&thread, NULL, teller, NULL);
	for (int i = 0; i < 20; i++) {
		int sum;
		do {
			broken = 0;
			sum = audit();
			repeated += broken;
		} while (broken);
		wrong += sum != 200;
	}
	pthread_join(thread, NULL);
	printf("20 audits, %d wrong, %d repeated\n", wrong, repeated);
	return 0;
}
