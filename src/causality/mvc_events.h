/* Algorithm A on a recorded run: what each kind of event does to the clocks (mvc.h).
 *
 * The order that results holds at least whatever could change what a thread does; where a recorded event leaves doubt, order is
 * kept. All variables are bytes. An object of synchronization is the variable made of its first 4 bytes, so that plain writes of
 * it, and the allocation and free of the memory that it lies in, are ordered with its use.
 *
 *   event                                 is                      and why
 *   read                                  read of its bytes
 *   write, rmw                            write of its bytes
 *   external write                        write of its word       by the thread that noticed: writer and byte are unknown
 *   alloc, free write of the block what used the memory before or after is another variable. Of a free
 *                                                                 in pieces, all beyond the bytes with versions goes with the first
 *   acquire, release                      write of the lock       regions keep their order (paper, section 3.1)
 *   acquire and release, shared           read of the lock        readers may change places with readers, but not with writers
 *   failed try of a mutex or spinlock     read of the lock        after the acquire that it met, before the release
 *   failed try of a readers-writer lock   write of the lock       the same, when what it met was a reader
 *   wait-begin, -end, -timeout,           write of the condition  which wait a signal meets depends on all of them
 *     signal, broadcast
 *   semaphore: init, post, wait           write                   its value passes from one to the next
 *   semaphore: failed try                 read                    of the value, 0
 *   barrier: init, arrive, leave          see norn_mvc_op         leaves come after all arrivals of their round
 *   once: begin, end                      write
 *   once: pass                            read                    after the end
 *   create, destroy                       write of the object     an address used again is another object
 *   send, receive write of the one object that stands for the kernel: the channel between two calls is
 *                                                                 not recorded, so all input and output keeps its order
 *   fork; begin                           fork; internal          begin of a thread whose fork is unknown: after all so far
 *   end; join                             internal; join          the joined thread does nothing after its end
 *   process exit                          after all so far        what others had not done by then they might not do
 *   signal handler begins                 after all so far        its sender is not recorded
 *   lost records                          fence                   see below
 *   enter, leave, marks, the rest         internal
 *
 * Lost records might have ordered events before them, too, which is too late to tell then: a trace that has lost any
 * (header->lost_events) should be followed with NORN_CAUSALITY_OBSERVED. A failed try is recorded after it failed; where the lock
 * was released in between, its order before the release is not kept. Likewise a receive that found nothing, and was overtaken by
 * the send that it did not see. A send is recorded before it is done: that it had to wait until another thread made room by
 * receiving is not kept either. */
#ifndef NORN_CAUSALITY_MVC_EVENTS_H
#define NORN_CAUSALITY_MVC_EVENTS_H

#include "causality/mvc.h"
#include "trace/event.h"

/* The next event of a merged run (trace/merge.h). Of a range in pieces, each piece is an event. Returns as norn_mvc_step. */
int norn_mvc_follow(struct norn_mvc *mvc, const struct norn_event *event, bool relevant);

#endif
