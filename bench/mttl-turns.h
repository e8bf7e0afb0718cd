/* Turns of threads, for mttl-paths.c; built without Norn, which so knows nothing of them. All threads make the same number of turns. */
#ifndef NORN_BENCH_MTTL_TURNS_H
#define NORN_BENCH_MTTL_TURNS_H

void turn_begin(void); /* the first thread has its turn */
void turn_await(unsigned self);
void turn_pass(unsigned self, unsigned threads); /* to the next thread, and wait for one's own */
void turn_end(unsigned self, unsigned threads); /* to the next thread */

#endif
