/* A crew: threads that do one job together, again and again.
 *
 * The caller is member 0. A crew of one has no threads. */
#ifndef NORN_PREDICT_CREW_H
#define NORN_PREDICT_CREW_H

struct norn_crew;

int norn_crew_new(unsigned members, struct norn_crew **ret_crew);
void norn_crew_free(struct norn_crew *crew);

/* Runs job(context, member) once in every member, and returns when all are done. */
void norn_crew_run(struct norn_crew *crew, void (*job)(void *context, unsigned member), void *context);

#endif
