#include "store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct session {
	char name[16];
	int hits;
	struct session *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct session *sessions;

static struct session *find(const char *name)
{
	struct session *s = sessions;
	while (s && strcmp(s->name, name) != 0)
		s = s->next;
	return s;
}

static struct session *add(const char *name)
{
	struct session *s = calloc(1, sizeof *s);
	strncpy(s->name, name, sizeof s->name - 1);
	s->next = sessions;
	sessions = s;
	return s;
}

int store_visit(const char *name)
{
	pthread_mutex_lock(&lock);
	struct session *s = find(name);
	if (!s)
		s = add(name);
	pthread_mutex_unlock(&lock);
	return ++s->hits;
}

int store_expire(void)
{
	int count = 0;
	pthread_mutex_lock(&lock);
	for (struct session *s; (s = sessions); count++) {
		sessions = s->next;
		free(s);
	}
	pthread_mutex_unlock(&lock);
	return count;
}
