/* Schedules that Norn does not see: see gate.c. */
#ifndef GATE_H
#define GATE_H

void gate_open(const char *steps);
void gate(char step); /* waits until it is step's turn */
void gate_leave(void); /* ends the thread's last step */

#endif
