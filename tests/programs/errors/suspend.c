/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race (client.suspended|only.suspended) predicted .*set_suspended write by main/1.*set_suspended write by main/2
 * silent: -DRIGHT
 */
/* The HTTP server of the paper: a client that resumes itself, and a manager that suspends clients, without a word to each other. That
 * both write a log makes the run look orderly. */
#include "../sliced/cast.h"

struct client {
	int suspended, requests;
};
struct client only;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, client_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void set_suspended(struct client *c, int suspended)
{
#ifdef RIGHT
	pthread_mutex_lock(&client_lock);
#endif
	c->suspended = suspended;
#ifdef RIGHT
	pthread_mutex_unlock(&client_lock);
#endif
}

static void write_log(void)
{
	pthread_mutex_lock(&log_lock);
	lines++;
	pthread_mutex_unlock(&log_lock);
}

static void *serve(void *unused)
{
	struct client *c = &only;
	gate('a');
	c->requests++;
	set_suspended(c, 0);
	write_log();
	gate_leave();
	return unused;
}

static void *manage(void *unused)
{
	gate('b');
	write_log();
	set_suspended(&only, 1);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)&client_lock;
	return argc < 2 || play(argv, serve, manage, NULL);
}
