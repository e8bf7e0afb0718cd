typedef void t_fn(int, int);
void t_phases(t_fn *f, int n);
void t_post(t_fn *f, int a, int b);
void t_loop(int count);
void t_shared(t_fn *f, int a);
void t_exclusive(t_fn *f, int a);
void t_halves(t_fn *f, int n);
void *t_start(void *(*f)(void *), void *a);
void t_finish(void *t);
