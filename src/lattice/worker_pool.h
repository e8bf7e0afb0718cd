/* A worker pool: threads that do one job together, again and again.
 *
 * The caller is member 0. A worker pool of one has no threads. */
#ifndef NORN_LATTICE_WORKER_POOL_H
#define NORN_LATTICE_WORKER_POOL_H

struct norn_worker_pool;

/* 0, or what pthread_create says, negative. */
int norn_worker_pool_new(unsigned members, struct norn_worker_pool **ret_pool);
void norn_worker_pool_free(struct norn_worker_pool *pool);

/* Runs job(context, member) once in every member, and returns when all are done. */
void norn_worker_pool_run(struct norn_worker_pool *pool, void (*job)(void *context, unsigned member), void *context);

#endif
