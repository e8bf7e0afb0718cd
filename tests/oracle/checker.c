/* The checker of sliced predictions: for each of its rules a sequence that it must refuse, beside one that it must not. Prints TAP.
 *
 * A sequence is given by threads: "0:4 1:3" lets thread 0 perform its next four events, then thread 1 three; "1!" leaves out one of
 * thread 1; "@9" at its beginning: first the recorded run's events 1 … 9. After "|" come the threads that stand before the stops.
 * Every thread begins with two events (begin, enter); a wait is four (wait-begin, release, acquire, wait-end), all else is one. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "text.h"
#include "trace/record.h"

struct test {
	const char *name, *text, *sequence;
	enum norn_sliced_kind kind;
	const char *refusal; /* part of it; NULL: the claim is good */
};

#define TWO "T0{ fork 1; fork 2; } "
#define RACE TWO "T1{ x=1; y=1; } T2{ x=2; y=2; } sched 0 1 2"
#define LOCKED TWO "T1{ lock L; x=1; unlock L; y=1; } T2{ lock L; x=2; unlock L; y=2; } sched 0 1 2"
#define JOINED "T0{ fork 1; join 1; y=1; fork 2; } T1{ x=1; } T2{ y=2; } sched 0. 1 0 2"
#define DECIDES TWO "T1{ y=1; x=1; } T2{ r=x; if(r==1){ y=2; } } sched 0 1 2"
#define KEPT TWO "T1{ y=1; x=1; } T2{ r=x; if(r==1){ lock L; } y=2; } sched 0 1 2"
#define MASKED TWO "T1{ y=1; x=1; } T2{ r=x; if(r==1){ z=1; } y=2; } sched 0 1 2"
#define LOOK(ARMS)                                                                                                                 \
	"T0{ fork 1; fork 2; fork 3; } T1{ y=1; x=1; } T2{ r=x; if(r==1)" ARMS                                                     \
	" f=1; } T3{ s=z; if(s){ lock L; } y=2; } sched 0 1 3 2"
#define LOOKED LOOK("{ z=1; }else{ z=2; }")
#define SKIPPED LOOK("{ z=1; }")
#define SAME TWO "T1{ y=1; x=1; } T2{ x=1; r=x; if(r==1){ y=2; } } sched 0 2. 1 2"
#define UNKNOWN                                                                                                                    \
	"T0{ fork 1; fork 2; fork 3; } T1{ s=p; x=s; f=1; } T2{ s=f; if(s==1){ q=x; if(q==1){ y=2; } } } T3{ y=3; p=1; } sched 0 " \
	"3 1 2"
#define SWAPPED TWO "T1{ y=1; r=add(x,1); } T2{ r=cas(x,1,2); y=2; } sched 0 1 2"
#define EXCHANGED TWO "T1{ y=1; x=1; } T2{ s=x; r=xchg(z,s); w=r; q=w; if(q==0){ lock L; } y=2; } sched 0 1 2"
#define EXCHANGED_FOR TWO "T1{ y=1; x=1; } T2{ s=x; r=xchg(z,s); q=z; if(q==1){ lock L; } y=2; } sched 0 1 2"
#define STOPPED_CAS TWO "T1{ r=x; } T2{ x=1; r=cas(x,1,2); } sched 0 1 2"
#define TRY TWO "T1{ r=try L; y=1; } T2{ y=2; lock L; z=1; unlock L; } sched 0 2. 2. 1 2"
#define SHARED TWO "T1{ rdlock R; x=1; unlock R; } T2{ rdlock R; x=2; unlock R; } sched 0 1 2"
#define WRITER TWO "T1{ wrlock R; x=1; unlock R; } T2{ rdlock R; x=2; unlock R; } sched 0 1 2"
#define WAIT TWO "T1{ lock L; wait c L; unlock L; y=1; } T2{ y=2; lock L; signal c; unlock L; } sched 0 1. 1. 2 1"
#define ASLEEP TWO "T1{ lock L; wait c L; y=1; unlock L; } T2{ signal c; y=2; } sched 0 1. 1. 2 1"
#define TIMED TWO "T1{ x=1; x=2; x=3; x=0; lock L; r=timedwait c L; y=1; unlock L; } T2{ signal c; y=2; } sched 0"
#define SEMAPHORE TWO "T1{ y=1; post e; } T2{ take e; y=2; } sched 0 1 2"
#define COUNTED "T0{ init e 1; fork 1; fork 2; } T1{ take e; y=1; post e; } T2{ take e; post e; y=2; } sched 0 1 2"
#define TRIED "T0{ init e 1; fork 1; fork 2; } T1{ r=trytake e; s=trytake e; y=1; } T2{ post e; y=2; } sched 0 1 2"
#define BARRIER TWO "T1{ y=1; arrive; } T2{ arrive; y=2; } sched 0 1. 1. 2 1"
#define ONCE "F{ x=1; } " TWO "T1{ once F; y=1; } T2{ once F; y=2; } sched 0 1 2"
#define MEMORY "T0{ fork 1; fork 2; r=malloc; p=r; s=p; } T1{ s=p; *s=1; free s; } T2{ t=p; q=*t; } sched 0 2 1"
#define AGAIN TWO "T1{ r=malloc; *r=1; free r; y=1; } T2{ r=malloc; *r=2; y=2; } sched 0 1 2"
#define ELSEWHERE TWO "T1{ r=malloc; y=1; free r; } T2{ r=malloc; *r=2; y=2; } sched 0 1 2"
#define STALE "T0{ r=malloc; p=r; fork 1; fork 2; } T1{ q=p; y=1; free q; } T2{ t=p; s=malloc; *s=1; u=*t; y=2; } sched 0 1 2"
#define EXPECTED TWO "T1{ r=x; q=cas(x,r,2); s=x; assert(s==2); y=1; } T2{ x=1; y=2; } sched 0 1 2"
#define TOP                                                                                                                        \
	"T0{ fork 1; fork 2; fork 3; } T1{ r=p; s=cas(p,r,0); if(s==r){ y=1; } } "                                                 \
	"T2{ q=malloc; p=q; p=0; free q; q=malloc; p=q; } T3{ q=malloc; y=3; } sched 0 2. 2. 2. 2. 1. 1. 1. 2 1 3"
#define SUMMED TWO "T1{ s=0; for(i<2){ r=x; s=s+r; } if(s!=1){ y=1; } } T2{ x=1; y=2; } sched 0 1 2"
#define LEFT "dirty " TWO "T1{ r=malloc; *r=1; free r; y=2; } T2{ q=malloc; r=*q; if(r==0){ y=1; } } sched 0 2 1"
#define OPAQUE TWO "T1{ opaque; y=1; } T2{ y=2; } sched 0 1 2"
#define RANDOM TWO "T1{ y=1; r=rand; } T2{ r=rand; y=2; } sched 0 1 2"
#define BEGUN "w=2 " TWO "T1{ r=rand; s=w; y=1; w=2; } T2{ q=w; if(q==2){ y=2; } } sched 0 1 2"
#define BEGUN_CALLS "w=2 " TWO "T1{ r=rand; s=w; r=rand; y=1; w=2; } T2{ q=w; if(q==2){ y=2; } } sched 0 1 2"
#define CARRIED TWO "T1{ put 1; y=1; } T2{ r=carry 0; if(r==1){ y=2; } } sched 0 1 2"
#define EXIT TWO "T1{ y=1; } T2{ exit; } sched 0 1 2"
#define CROSSED TWO "T1{ lock L; lock M; unlock M; unlock L; } T2{ lock M; lock L; unlock L; unlock M; } sched 0 1 2"
#define LOST TWO "T1{ lock L; wait c L; unlock L; } T2{ lock L; signal c; unlock L; } sched 0 1. 1. 2 1"
#define LOST_TIMED TWO "T1{ lock L; r=timedwait c L; unlock L; } T2{ lock L; signal c; unlock L; } sched 0 1. 1. 2 1"
#define LATER                                                                                                                      \
	"T0{ fork 1; fork 2; lock L; r=f; unlock L; if(r){ signal c; } } T1{ lock L; f=1; wait c L; unlock L; } T2{ signal c; } "  \
	"sched 0 1 2 1"
#define TAKEN "T0{ init e 1; fork 1; fork 2; } T1{ take e; take e; post e; } T2{ post e; } sched 0 2 1"
#define AT_BARRIER "T0{ init b; fork 1; fork 2; } T1{ lock L; unlock L; arrive; } T2{ lock L; arrive; unlock L; } sched 0 1 2 1"
#define IN_ONCE "F{ lock L; unlock L; } " TWO "T1{ once F; } T2{ lock L; once F; unlock L; } sched 0 1 2"
#define KEPT_LOCK TWO "T1{ lock L; unlock L; } T2{ lock L; } sched 0 1 2"
#define BLOCK TWO "T1{ begin; r=x; x=2; end; x=3; } T2{ x=1; } sched 0 1 2"
#define READER TWO "T1{ begin; x=1; r=x; end; } T2{ s=x; } sched 0 1 2"
#define OVERWRITER TWO "T1{ begin; x=1; x=2; end; } T2{ x=3; } sched 0 1 2"
#define TWO_VARIABLES TWO "T1{ begin; x=1; r=y; end; } T2{ s=x; y=1; } sched 0 1 2"
#define NOT_TOGETHER TWO "T1{ begin; x=1; r=y; end; } T2{ y=1; s=x; } sched 0 1 2"
#define TOGETHER TWO "T1{ begin; x=1; r=y; end; } T2{ begin; y=1; s=x; end; } sched 0 1 2"
#define AFTER_BLOCK TWO "T1{ begin; x=1; r=y; end; } T2{ begin; y=1; end; s=x; } sched 0 1 2"
#define WRITES_TWO TWO "T1{ begin; x=1; y=1; end; } T2{ x=2; y=2; } sched 0 1 2"
#define THREE_THREADS "T0{ fork 1; fork 2; fork 3; } T1{ begin; x=1; r=z; end; } T2{ s=x; y=1; } T3{ s=y; z=1; } sched 0 1 2 3"
#define FRESH "x=1 " TWO "T1{ x=2; r=x; if(r){ y=1; } } T2{ r=x; if(r==1){ y=2; } } sched 0 2 1"

static const struct test tests[] = {
        {"race", RACE, "0:4 1:2 2:2 | 1 2", NORN_SLICED_RACE, NULL},
        {"race, after the beginning of the run", RACE, "@9 2:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"order of a thread", RACE, "0:4 1! 1:1 2:2 | 1 2", NORN_SLICED_RACE, "not the next one"},
        {"a stop that is not next", RACE, "0:4 1:2 2:2 | 1! 2", NORN_SLICED_RACE, "not where its thread stands"},
        {"stops of one thread", RACE, "0:4 1:2 2:2 | 1 1", NORN_SLICED_RACE, "of one thread"},
        {"other memory", RACE, "0:4 1:3 2:2 | 1 2", NORN_SLICED_RACE, "do not access the same"},
        {"R17: stops that are no accesses", RACE, "0:4 1:4 2:4 | 1 2", NORN_SLICED_RACE, "do not access the same"},
        {"a thread before its fork", RACE, "0:3 1:2 2:2 | 1 2", NORN_SLICED_RACE, "was not forked"},
        {"neither writes", TWO "T1{ r=x; } T2{ r=x; } sched 0 1 2", "0:4 1:2 2:2 | 1 2", NORN_SLICED_RACE, "writes"},
        {"one atomic", TWO "T1{ @x=1; } T2{ x=2; } sched 0 1 2", "0:4 1:2 2:2 | 1 2", NORN_SLICED_RACE, NULL},
        {"both atomic", TWO "T1{ @x=1; } T2{ @x=2; } sched 0 1 2", "0:4 1:2 2:2 | 1 2", NORN_SLICED_RACE, "both atomic"},
        {"bytes of one word", TWO "T1{ x.l=1; } T2{ x.h=2; } sched 0 1 2", "0:4 1:2 2:2 | 1 2", NORN_SLICED_RACE,
                "do not access the same"},
        {"byte and word", TWO "T1{ x.h=1; } T2{ x=2; } sched 0 1 2", "0:4 1:2 2:2 | 1 2", NORN_SLICED_RACE, NULL},
        {"join", JOINED, "0:3 1:5 0:1 0:1 2:2 | 0 2", NORN_SLICED_RACE, "was not forked"},
        {"join, too early", JOINED, "0:3 1:4 0:1 | 0 1", NORN_SLICED_RACE, "has not ended"},
        {"regions in turn", LOCKED, "0:4 2:5 1:5 | 1 2", NORN_SLICED_RACE, NULL},
        {"regions at once", LOCKED, "0:4 1:3 2:3 | 1 2", NORN_SLICED_RACE, "another thread holds"},
        {"a release without its acquire", LOCKED, "0:4 1:2 1! 1:2 2:3 | 1 2", NORN_SLICED_RACE, "not the next one"},
        {"readers at once", SHARED, "0:4 1:3 2:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"a reader beside a writer", WRITER, "0:4 1:3 2:3 | 1 2", NORN_SLICED_RACE, "another thread holds"},
        {"a writer beside a reader", WRITER, "0:4 2:3 1:3 | 1 2", NORN_SLICED_RACE, "another thread holds"},
        {"a read that decides, right", DECIDES, "0:4 1:4 2:3 | 1 2", NORN_SLICED_RACE, "do not access"},
        {"a read that decides, wrong", KEPT, "0:4 1:2 2:3 | 1 2", NORN_SLICED_RACE, "would not read"},
        {"a stop that a wrong read controls", DECIDES, "0:4 1:2 2:3 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"an access that may happen, not listed", MASKED, "0:4 1:2 2:3 2! | 1 2", NORN_SLICED_RACE, NULL},
        {"an access that may happen, listed", MASKED, "0:4 1:2 2:4 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"an access that happens, not listed", RACE, "0:4 1:2 2:2 2! | 1 2", NORN_SLICED_RACE, "not where its thread stands"},
        {"what a wrong read may write, looked at before", LOOKED, "0:5 1:2 3:3 2:3 | 1 3", NORN_SLICED_RACE, NULL},
        {"R19: what a wrong read may write, looked at", LOOKED, "0:5 1:2 2:3 3:3 | 1 3", NORN_SLICED_RACE, "would not read"},
        {"V11: what a wrong read skips, looked at", SKIPPED, "0:5 1:2 2:3 3:3 | 1 3", NORN_SLICED_RACE, NULL},
        {"what is not listed, looked at", LOOKED, "0:6 1:4 2:3 3:3 2! 2:1 | 1 3", NORN_SLICED_RACE, "would not read"},
        {"what is listed, looked at before", LOOKED, "0:6 1:4 2:3 3:3 2:2 | 1 3", NORN_SLICED_RACE, "do not access"},
        {"another write of the same value", SAME, "0:4 2:4 1:2 | 1 2", NORN_SLICED_RACE, NULL},
        {"V2.a: a value that is not known", UNKNOWN, "0:5 1:5 2:4 3:2 | 2 3", NORN_SLICED_RACE, "may not happen"},
        {"the same, as recorded", UNKNOWN, "0:5 3:4 1:5 2:4 | 2 3", NORN_SLICED_RACE, "do not access"},
        {"compare-and-swap, right", SWAPPED, "0:4 1:4 2:3 | 1 2", NORN_SLICED_RACE, "do not access"},
        {"compare-and-swap, wrong", SWAPPED, "0:4 1:2 2:3 | 1 2", NORN_SLICED_RACE, "would not read"},
        {"what an exchange read, where what it wrote is not known", EXCHANGED, "0:4 1:2 2:7 | 1 2", NORN_SLICED_RACE, NULL},
        {"what it wrote", EXCHANGED_FOR, "0:4 1:2 2:6 | 1 2", NORN_SLICED_RACE, "would not read"},
        {"a compare-and-swap that would write", STOPPED_CAS, "0:4 1:2 2:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"initial data", FRESH, "0:4 2:4 1:2 | 1 2", NORN_SLICED_RACE, "do not access"},
        {"initial data, overwritten", FRESH, "0:4 1:3 2:4 1:1 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"V3.a: an expected value that has gone", EXPECTED, "0:4 1:3 2:3 1:3 | 1 2", NORN_SLICED_RACE, "would not read"},
        {"V4.a: an address that another block has", TOP, "0:5 2:4 1:3 2:2 3:3 2:2 1:1 | 1 3", NORN_SLICED_RACE, "would not read"},
        {"V5.a: memory that another has freed", LEFT, "0:4 1:5 2:4 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"V8.a: a sum of two values of one load", SUMMED, "0:4 1:3 2:3 1:1 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"failed try", TRY, "0:4 2:4 1:3 | 1 2", NORN_SLICED_RACE, "do not access"},
        {"failed try of a free lock", TRY, "0:4 1:3 2:2 | 1 2", NORN_SLICED_RACE, "no other thread holds"},
        {"wait, notified", WAIT, "0:4 1:5 2:6 1:3 | 1 2", NORN_SLICED_RACE, "do not access"},
        {"wait, not notified", WAIT, "0:4 1:8 2:2 | 1 2", NORN_SLICED_RACE, "notify"},
        {"a notify before the wait", WAIT, "0:4 2:6 1:5 1:3 | 1 2", NORN_SLICED_RACE, "notify that has not happened"},
        {"a notify before sleep", ASLEEP, "0:4 1:4 2:3 1:3 | 1 2", NORN_SLICED_RACE, "notify that has not happened"},
        {"a notify in sleep", ASLEEP, "0:4 1:5 2:3 1:2 | 1 2", NORN_SLICED_RACE, NULL},
        {"a notify after the time is up, before the mutex is taken back", TIMED, "0:4 1:9 2:3 1:2 | 1 2", NORN_SLICED_RACE, NULL},
        {"semaphore", SEMAPHORE, "0:4 2:3 1:2 | 1 2", NORN_SLICED_RACE, "has not happened"},
        {"what a semaphore has", COUNTED, "0:5 2:4 1:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"a semaphore that has nothing", COUNTED, "0:5 1:3 2:4 | 1 2", NORN_SLICED_RACE, "has nothing"},
        {"a failed try, as it was", TRIED, "0:6 1:4 2:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"a failed try where there is something", TRIED, "0:5 2:3 1:4 | 1 2", NORN_SLICED_RACE, "has something"},
        {"barrier", BARRIER, "0:4 2:4 1:2 | 1 2", NORN_SLICED_RACE, "has not happened"},
        {"once", ONCE, "0:4 2:3 1:2 | 1 2", NORN_SLICED_RACE, "not over"},
        {"memory before its allocation", MEMORY, "0:4 2:3 | 1 2", NORN_SLICED_RACE, "would not read"},
        {"use beside free", MEMORY, "0:6 1:4 2:3 | 1 2", NORN_SLICED_USE_AFTER_FREE, NULL},
        {"use beside use", MEMORY, "0:6 1:3 2:3 | 1 2", NORN_SLICED_USE_AFTER_FREE, "no free and use"},
        {"use beside use, as a race", MEMORY, "0:6 1:3 2:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"use after free as a race", MEMORY, "0:6 1:5 2:3 | 0 2", NORN_SLICED_RACE, "do not access"},
        {"use inside a sequence, after the free", MEMORY, "0:6 1:5 2:4 | 0 1", NORN_SLICED_RACE, "has freed"},
        {"memory used again", AGAIN, "0:4 1:5 2:4 | 1 2", NORN_SLICED_RACE, NULL},
        {"memory that may lie elsewhere", ELSEWHERE, "0:4 1:3 2:4 | 1 2", NORN_SLICED_RACE, NULL},
        {"memory that may lie elsewhere, freed by another", ELSEWHERE, "0:4 1:4 2:3 | 1 2", NORN_SLICED_USE_AFTER_FREE,
                "does not use"},
        {"memory used again, too early", STALE, "0:6 1:3 2:6 | 1 2", NORN_SLICED_RACE, "had or gives back"},
        {"another life of the memory", AGAIN, "0:4 1:3 2:2 | 1 2", NORN_SLICED_RACE, "do not access"},
        {"unknown code", OPAQUE, "0:4 1:3 2:2 | 1 2", NORN_SLICED_RACE, "may do anything"},
        {"unknown code, as recorded", OPAQUE, "@9 2:2 | 1 2", NORN_SLICED_RACE, NULL},
        {"X2: hidden state", RANDOM, "0:4 2:3 1:2 | 1 2", NORN_SLICED_RACE, "state was another"},
        {"X6: found as it began, after a call", BEGUN, "@11 2:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"found as it began, not in the base", BEGUN, "@9 1:2 2:3 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"found as it began, and another call", BEGUN_CALLS, "@11 1:1 2:3 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"found as it began, before another call", BEGUN_CALLS, "@12 2:3 | 1 2", NORN_SLICED_RACE, "may not happen"},
        {"a look, as recorded", CARRIED, "0:4 1:3 2:6 | 1 2", NORN_SLICED_RACE, NULL},
        {"X7.e: what a call reads, changed while it goes on", CARRIED, "0:4 2:4 1:3 2:2 | 1 2", NORN_SLICED_RACE,
                "not all that was sent"},
        {"X7: a change before the call, which has told of its own", CARRIED, "0:4 2:3 1:3 2:3 | 1 2", NORN_SLICED_RACE, NULL},
        {"R13: the end of the process", EXIT, "0:4 2:3 1:2 | 1 2", NORN_SLICED_RACE, "ends the process"},
        {"deadlock", CROSSED, "0:4 1:3 2:3 | 1 2", NORN_SLICED_DEADLOCK, NULL},
        {"deadlock, one holds nothing", CROSSED, "0:4 1:3 2:2 | 1 2", NORN_SLICED_DEADLOCK, "does not wait"},
        {"a lost wake-up", LOST, "0:6 2:7 1:5 | 1", NORN_SLICED_DEADLOCK, NULL},
        {"S16: a wake-up that is not lost", LOST, "0:6 1:5 2:7 | 1", NORN_SLICED_DEADLOCK, "does not wait for anything"},
        {"a lost wake-up, main is still there", LOST, "0:5 2:7 1:5 | 1", NORN_SLICED_DEADLOCK, "could go on"},
        {"a lost wake-up, the other is still there", LOST, "0:6 2:6 1:5 | 1", NORN_SLICED_DEADLOCK, "could go on"},
        {"a lost wake-up of a timed wait", LOST_TIMED, "0:6 2:7 1:5 | 1", NORN_SLICED_DEADLOCK, "does not wait for anything"},
        {"S17.a: who has not run may notify", LATER, "0:4 2:5 1:6 | 1", NORN_SLICED_DEADLOCK, "could go on"},
        {"S17.a, run to the end", LATER, "0:9 2:5 1:6 | 1", NORN_SLICED_DEADLOCK, NULL},
        {"a semaphore that is not posted", TAKEN, "0:7 1:3 | 1", NORN_SLICED_DEADLOCK, "could go on"},
        {"a semaphore that was posted", TAKEN, "0:7 2:5 1:3 | 1", NORN_SLICED_DEADLOCK, "does not wait for anything"},
        {"a barrier, with a lock", AT_BARRIER, "0:7 2:4 1:2 | 1 2", NORN_SLICED_DEADLOCK, NULL},
        {"a barrier, one of two", AT_BARRIER, "0:7 2:4 1:2 | 2", NORN_SLICED_DEADLOCK, "could go on"},
        {"a once, with a lock", IN_ONCE, "0:6 1:4 2:3 | 1 2", NORN_SLICED_DEADLOCK, NULL},
        {"a once that has not begun", IN_ONCE, "0:6 1:2 2:3 | 1 2", NORN_SLICED_DEADLOCK, "does not wait for anything"},
        {"a lock of one who has ended", KEPT_LOCK, "0:6 2:5 1:2 | 1", NORN_SLICED_DEADLOCK, NULL},
        {"a lock of one who has not", KEPT_LOCK, "0:6 2:4 1:2 | 1", NORN_SLICED_DEADLOCK, "could go on"},
        {"deadlock as a race", CROSSED, "0:4 1:3 2:3 | 1 2", NORN_SLICED_RACE, "do not access"},
        {"a broken block", BLOCK, "0:4 1:4 2:2 | 2 1", NORN_SLICED_ATOMICITY, NULL},
        {"a broken block, the other way round", BLOCK, "0:4 1:4 2:2 | 1 2", NORN_SLICED_ATOMICITY, "block"},
        {"after the block", BLOCK, "0:4 1:6 2:2 | 2 1", NORN_SLICED_ATOMICITY, "not in one block"},
        {"use after the free", MEMORY, "0:6 1:5 2:3 | 2", NORN_SLICED_USE_AFTER_FREE, NULL},
        {"use after no free", MEMORY, "0:6 1:4 2:3 | 2", NORN_SLICED_USE_AFTER_FREE, "no free and use"},
        {"use of other memory", AGAIN, "0:4 1:5 2:3 | 2", NORN_SLICED_USE_AFTER_FREE, "does not use"},
        {"a single racer", MEMORY, "0:6 1:5 2:3 | 2", NORN_SLICED_RACE, "do not access the same memory"},
        {"a block, broken", BLOCK, "0:4 1:4 2:3 | 1", NORN_SLICED_ATOMICITY, NULL},
        {"a block, not broken yet", BLOCK, "0:4 2:3 1:4 | 1", NORN_SLICED_ATOMICITY, "does not come before"},
        {"a block that another order explains", READER, "0:4 1:4 2:2 | 2 1", NORN_SLICED_ATOMICITY, "not in conflict"},
        {"a block that only overwrites", OVERWRITER, "0:4 1:4 2:2 | 2 1", NORN_SLICED_ATOMICITY, "same effect"},
};

/* Cycles by their accesses: "1a" is thread 1's first. The others are of the block's last access, the foreign one, and the stop. */
static const struct {
	struct test test;
	const char *cycle;
} cycle_tests[] = {
        {{"two variables", TWO_VARIABLES, "0:4 1:4 2:3 | 2 1", NORN_SLICED_ATOMICITY, NULL}, "1a 2a 2b 1b"},
        {{"two variables, both have come", TWO_VARIABLES, "0:4 1:4 2:4 | 1", NORN_SLICED_ATOMICITY, NULL}, "1a 2a 2b 1b"},
        {{"two variables, too early", TWO_VARIABLES, "0:4 2:3 1:4 | 2 1", NORN_SLICED_ATOMICITY, "does not come before"},
                "1a 2a 2b 1b"},
        {{"two variables, too late", TWO_VARIABLES, "0:4 1:4 2:2 | 2 1", NORN_SLICED_ATOMICITY, "has not happened"}, "1a 2a 2b 1b"},
        {{"V10.a: two variables, the other way round", NOT_TOGETHER, "0:4 1:4 2:3 | 2 1", NORN_SLICED_ATOMICITY,
                 "neither comes before"},
                "1a 2b 2a 1b"},
        {{"a block against a block", TOGETHER, "0:4 1:4 2:4 | 2 1", NORN_SLICED_ATOMICITY, NULL}, "1a 2b 2a 1b"},
        {{"a block against what follows a block", AFTER_BLOCK, "0:4 1:4 2:5 | 2 1", NORN_SLICED_ATOMICITY, "neither comes before"},
                "1a 2b 2a 1b"},
        {{"a cycle of the block's own", TOGETHER, "0:4 1:4 2:4 | 2 1", NORN_SLICED_ATOMICITY, "own thread"}, "1a 2b 1a 2a 1b"},
        {{"a cycle that ends elsewhere", TOGETHER, "0:4 1:4 2:4 | 2 1", NORN_SLICED_ATOMICITY, "does not come last"},
                "2a 1b 1a 2b"},
        {{"a stop that is not in the cycle", TOGETHER, "0:4 1:4 2:4 | 2 1", NORN_SLICED_ATOMICITY, "not in the cycle"}, "1a 2a 1b"},
        {{"no cycle", TOGETHER, "0:4 1:4 2:4 | 2 1", NORN_SLICED_ATOMICITY, "no cycle"}, "2b 1b"},
        {{"a cycle of writes", WRITES_TWO, "0:4 1:4 2:3 | 2 1", NORN_SLICED_ATOMICITY, NULL}, "1a 2a 2b 1b"},
        {{"three threads", THREE_THREADS, "0:6 1:4 2:4 3:3 | 3 1", NORN_SLICED_ATOMICITY, NULL}, "1a 2a 2b 3a 3b 1b"},
        {{"three threads, one link missing", THREE_THREADS, "0:6 1:4 3:3 2:4 | 3 1", NORN_SLICED_ATOMICITY, "does not come before"},
                "1a 2a 2b 3a 3b 1b"},
};

static struct {
	struct code code;
	struct recording recording;
	struct flow flow;
	struct norn_graph *graph;
	uint32_t next[THREADS], events[EVENTS], stops[THREADS], cycle[8], begins[8];
	struct norn_sliced_claim claim;
} now;

static void step(unsigned thread, bool listed)
{
	uint32_t number = now.next[thread];
	if (!number)
		return;
	if (listed)
		now.events[now.claim.count++] = number;
	now.next[thread] = norn_graph_event(now.graph, number)->next;
}

static void begin_at(uint32_t base)
{
	now.claim.base = base;
	for (uint32_t i = 1; i <= base; i++)
		step(norn_graph_event(now.graph, i)->thread, false);
}

static void read_sequence(const char *p)
{
	for (; *p && *p != '|'; p++) {
		char *end;
		if (isspace((unsigned char)*p))
			continue;
		if (*p == '@') {
			begin_at((uint32_t)strtoul(p + 1, &end, 10));
		} else {
			unsigned thread = (unsigned)strtoul(p, &end, 10),
			         count = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 1;
			bool listed = *end != '!';
			for (unsigned i = 0; i < count; i++)
				step(thread, listed);
			end += !listed;
		}
		p = end - 1;
	}
	for (p += *p == '|'; *p; p++) {
		if (!isdigit((unsigned char)*p))
			continue;
		uint32_t stop = now.next[*p - '0'];
		now.stops[now.claim.stop_count++] = p[1] == '!' && stop ? norn_graph_event(now.graph, stop)->next : stop;
	}
}

/* Of the last stop's thread: the block that has begun, and its last access. */
static void find_block(void)
{
	uint32_t last = now.stops[now.claim.stop_count - 1];
	if (now.claim.kind != NORN_SLICED_ATOMICITY || !last)
		return;
	for (uint32_t i = norn_graph_first(now.graph, norn_graph_event(now.graph, last)->thread); i && i < last;
	        i = norn_graph_event(now.graph, i)->next) {
		const struct norn_graph_event *e = norn_graph_event(now.graph, i);
		if (e->kind == NORN_EVENT_MARK && e->op == NORN_MARK_ATOMIC_BEGIN)
			now.claim.block = i;
		else if (e->kind <= NORN_EVENT_RMW)
			now.cycle[0] = i;
	}
	now.cycle[1] = now.claim.stop_count == 2 ? now.stops[0] : 0;
	now.cycle[2] = last;
}

/* The nth access of a thread, from a on; *ret_begin: the last beginning of a block before it, 0: none. */
static uint32_t access_of(unsigned thread, unsigned n, uint32_t *ret_begin)
{
	*ret_begin = 0;
	for (uint32_t i = norn_graph_first(now.graph, thread); i; i = norn_graph_event(now.graph, i)->next) {
		const struct norn_graph_event *e = norn_graph_event(now.graph, i);
		if (e->kind == NORN_EVENT_MARK && e->op == NORN_MARK_ATOMIC_BEGIN)
			*ret_begin = i;
		if (e->kind <= NORN_EVENT_RMW && n-- == 0)
			return i;
	}
	return 0;
}

/* The cycle as the test has it: threads and their accesses. */
static void read_cycle(const char *p)
{
	now.claim.cycle_count = 0;
	for (; *p; p++)
		if (isdigit((unsigned char)*p)) {
			uint32_t i = now.claim.cycle_count++;
			now.cycle[i] = access_of((unsigned)(*p - '0'), (unsigned)(p[1] - 'a'), &now.begins[i]);
		}
}

/* With one stop only: the last free, or access of another thread, that happened. */
static void find_done(void)
{
	if (now.claim.stop_count != 1)
		return;
	uint32_t thread = now.stops[0] ? norn_graph_event(now.graph, now.stops[0])->thread : 0;
	for (uint32_t i = 0; i < now.claim.count; i++) {
		const struct norn_graph_event *e = norn_graph_event(now.graph, now.events[i]);
		if (e->kind == NORN_EVENT_FREE)
			now.claim.first = now.events[i];
		else if (e->kind <= NORN_EVENT_RMW && e->thread != thread)
			now.cycle[1] = now.events[i];
	}
}

static bool prepare(const struct test *test, struct program *program)
{
	struct norn_graph_builder *builder;
	if (program_parse(test->text, program) || !code_make(program, &now.code))
		return false;
	flow_make(program, 0, 0, &now.flow);
	record(&now.code, true, &now.recording);
	builder = norn_graph_builder_new(flow_lookup, &now.flow, NULL);
	norn_graph_initial_memory(builder, flow_initial_word, &now.flow);
	for (unsigned i = 0; i < now.recording.count; i++)
		norn_graph_add(builder, &now.recording.events[i]);
	now.graph = norn_graph_finish(builder);
	norn_graph_builder_free(builder);
	for (uint32_t t = 0; t < norn_graph_threads(now.graph); t++)
		now.next[t] = norn_graph_first(now.graph, t);
	now.claim = (struct norn_sliced_claim){.kind = test->kind,
	        .events = now.events,
	        .stops = now.stops,
	        .cycle = now.cycle,
	        .cycle_begins = now.begins,
	        .cycle_count = 3};
	return true;
}

static bool run_test(const struct test *test, const char *cycle)
{
	static struct program program;
	struct norn_error err = {.message = ""};
	if (!prepare(test, &program))
		return false;
	read_sequence(test->sequence);
	find_block();
	find_done();
	if (cycle)
		read_cycle(cycle);
	struct norn_sliced_checker *checker = norn_sliced_checker_new(now.graph);
	bool refused = norn_sliced_check(checker, &now.claim, &err) < 0;
	/* Once more, after a claim from further on: the checker can go back. */
	struct norn_sliced_claim end = {.base = norn_graph_count(now.graph)};
	bool same = norn_sliced_check_sequence(checker, &end, NULL) == 0 &&
	            (norn_sliced_check(checker, &now.claim, NULL) < 0) == refused;
	bool good = same && (test->refusal ? refused && strstr(err.message, test->refusal) : !refused);
	struct trial trial = {.code = &now.code, .recording = &now.recording, .flow = &now.flow, .checker = checker};
	struct judgement_details details;
	if (!refused && (judge_run(&trial, &now.claim, &details) != JUDGED_TRUE || details.unjudged))
		good = false;
	if (!good) {
		printf("# refused: %s\n", refused ? err.message : "no");
		claim_print(stdout, &trial, &now.claim);
	}
	norn_sliced_checker_free(checker);
	norn_graph_free(now.graph);
	return good;
}

int main(void)
{
	unsigned plain = sizeof(tests) / sizeof(tests[0]), count = plain + sizeof(cycle_tests) / sizeof(cycle_tests[0]), failed = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct test *test = i < plain ? &tests[i] : &cycle_tests[i - plain].test;
		bool good = run_test(test, i < plain ? NULL : cycle_tests[i - plain].cycle);
		printf("%s %u - %s\n", good ? "ok" : "not ok", i + 1, test->name);
		failed += !good;
	}
	printf("1..%u\n", count);
	return failed != 0;
}
