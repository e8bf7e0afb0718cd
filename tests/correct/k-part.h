/* What the parts without hooks offer: k-pool-part.c and k-spin-part.c both have the pool. */
typedef void part_fn(void *);
void pool_start(void);
void pool_submit(part_fn *f, void *a);
void pool_wait(void);
void pool_stop(void);
void part_lock(void);
void part_unlock(void);
void part_locked(part_fn *f, void *a);
void part_signal(void);
void part_wait(void);
int part_poll(void);
void part_push(void *p);
void *part_pop(void);
void part_once(int *control, part_fn *f, void *a);
void part_ref(int *count);
void part_unref(int *count, part_fn *f, void *a);
void part_copy(void *to, const void *from, int n);
