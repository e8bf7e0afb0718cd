/* norn-test
 * silent:
 * unjudged:
 */
/* A tree of tsearch, a table of hsearch_r, a list by insque and lfind, all under a lock; what they hand back is followed without null checks where it must be there. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct rec {
	struct rec *forward, *back;
	int key;
	char name[8];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *root;
static struct hsearch_data table;
static struct rec list_head = {NULL, NULL, -1, ""};
static int visited, known[16];
static size_t known_count;
static int compare(const void *a, const void *b)
{
	const struct rec *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}
static int compare_int(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static void visit(const void *n, VISIT v, int depth)
{
	(void)depth;
	if (v == postorder || v == leaf) {
		assert((*(struct rec *const *)n)->key >= 0);
		visited++;
	}
}
static void *run(void *arg)
{
	int me = (int)(size_t)arg;
	for (int i = 0; i < 4; i++) {
		struct rec *r = calloc(1, sizeof *r), want = {.key = me * 10 + i};
		r->key = want.key;
		snprintf(r->name, sizeof r->name, "r%d", r->key);
		pthread_mutex_lock(&lock);
		struct rec **n = tsearch(r, &root, compare);
		assert(*n == r);
		ENTRY e = {r->name, r}, *got;
		if (!hsearch_r(e, ENTER, &got, &table))
			abort();
		insque(r, &list_head);
		int k = r->key;
		int *p = lsearch(&k, known, &known_count, sizeof(int), compare_int);
		assert(*p == r->key);
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		struct rec **found = tfind(&want, &root, compare);
		assert((*found)->key == want.key && !strcmp((*found)->name, r->name));
		assert(list_head.forward && list_head.forward->key >= 0);
		ENTRY q = {r->name, NULL};
		hsearch_r(q, FIND, &got, &table);
		assert(((struct rec *)got->data)->key == want.key);
		if (i == 3) {
			visited = 0;
			twalk(root, visit);
			assert(visited >= 4);
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	hcreate_r(32, &table);
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	visited = 0;
	twalk(root, visit);
	assert(visited == 8 && known_count == 8);
	hdestroy_r(&table);
	tdestroy(root, free);
	printf("%d\n", visited);
	return 0;
}
