/* Schedules that Norn does not see: see gate.c. */
#ifndef GATE_H
#define GATE_H

#include <pthread.h>

/* Calls of functions with such names are not recorded. A thread that comes back from code without hooks may have waited for anything, and
 * that is so here; but the schedule is not the program's own. */
#define UNSEEN(name) __asm__("__norn_" #name)

void gate_open(const char *steps) UNSEEN(gate_open);
void gate_gather(unsigned threads) UNSEEN(gate_gather); /* waits until so many threads stand at gates */
void gate(char step) UNSEEN(gate); /* waits until it is step's turn */
void gate_leave(void) UNSEEN(gate_leave); /* ends the thread's last step */
void gate_first(void) UNSEEN(gate_first); /* the first thread goes on, all others wait … */
void gate_others(void) UNSEEN(gate_others); /* … until it comes here */
void gate_until_free(const pthread_mutex_t *mutex)
        UNSEEN(gate_until_free); /* waits until it is free, without a try that Norn would see */

#endif
