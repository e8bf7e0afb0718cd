/* Schedules that Norn does not see: see gate.c. */
#ifndef GATE_H
#define GATE_H

#include <pthread.h>

void gate_open(const char *steps);
void gate_gather(unsigned threads); /* waits until so many threads stand at gates */
void gate(char step); /* waits until it is step's turn */
void gate_leave(void); /* ends the thread's last step */
void gate_until_free(const pthread_mutex_t *mutex); /* waits until nobody holds it, without a try that Norn would see */

#endif
