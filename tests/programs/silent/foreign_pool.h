/* A library without hooks: foreign_pool-part.c. */
#include <stdatomic.h>

#define FOREIGN_JOBS 16

enum foreign_design {
	FOREIGN_COND,
	FOREIGN_SEMAPHORE,
	FOREIGN_FUTEX, /* through syscall() */
	FOREIGN_HIDDEN, /* futexes that nobody sees */
	FOREIGN_SPIN,
	FOREIGN_PIPE,
	FOREIGN_EVENTFD,
	FOREIGN_CALLER, /* jobs run in the thread that hands them over */
	FOREIGN_ONE_BY_ONE, /* never two jobs at once */
};

typedef void foreign_job(void *argument);
struct foreign;
struct foreign *foreign_new(enum foreign_design design, foreign_job *job);
void foreign_push(struct foreign *f, void *argument);
void foreign_wait(struct foreign *f, int jobs); /* until so many more are done */
void foreign_free(struct foreign *f);

/* Two threads: with these, and when both are done with those after. */
void foreign_meet(foreign_job *job, char *first, char *second);
void foreign_timer(foreign_job *job, void *argument);
void foreign_timer_stop(void);

struct foreign_reference;
struct foreign_reference *foreign_reference_new(foreign_job *destroy, void *argument);
void foreign_ref(struct foreign_reference *r);
void foreign_unref(struct foreign_reference *r);

void foreign_lock(void);
void foreign_unlock(void);
void foreign_wait_seen(atomic_int *flag);
