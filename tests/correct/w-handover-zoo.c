/* norn-test
 * silent:
 * unjudged:
 */
/* Thirty ways to tell another thread that something is ready: each has a pointer of its own that is set before and followed after. */
#define _GNU_SOURCE
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
enum { WAYS = 30 };
static int *box[WAYS], value[WAYS];
static struct timespec in(clockid_t c)
{
	struct timespec t;
	clock_gettime(c, &t);
	t.tv_sec += 300;
	return t;
}
static int pp[WAYS][2];
static sem_t sem[WAYS];
static pthread_rwlock_t rw[WAYS];
static pthread_mutex_t mx[WAYS];
static pthread_cond_t cv[WAYS];
static int flag[WAYS];
static mtx_t mt;
static cnd_t cn;
static atomic_int at[WAYS];
static pthread_barrier_t bar;
static pthread_spinlock_t spin;
static int ep, semid, tfd;
static mqd_t mq;
static char fifo[64], sockname[64];
static int listener, lockfd, memfd;
static int *shared;
static pthread_t inner;
static void *inner_main(void *arg)
{
	box[20] = &value[20];
	return arg;
}
static void on_aio(union sigval v)
{
	sem_post(v.sival_ptr);
}
#define BEGIN(k)                                                                                                                   \
	if (k != 20)                                                                                                               \
	box[k] = &value[k]
static void tell(int k)
{
	BEGIN(k);
	uint64_t one = 1;
	struct timespec d;
	switch (k) {
	case 0:
		sem_post(&sem[k]);
		break;
	case 1:
	case 2:
	case 3:
	case 4:
		d = in(k == 3 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
		if (k == 1       ? pthread_rwlock_wrlock(&rw[k])
		        : k == 2 ? pthread_rwlock_clockwrlock(&rw[k], CLOCK_MONOTONIC, &d)
		        : k == 3 ? pthread_rwlock_timedwrlock(&rw[k], &d)
		                 : pthread_rwlock_trywrlock(&rw[k])) {
			while (k == 4 && pthread_rwlock_trywrlock(&rw[k]))
				sched_yield();
			if (k != 4)
				abort();
		}
		flag[k] = 1;
		pthread_rwlock_unlock(&rw[k]);
		break;
	case 5:
	case 6:
	case 7:
		d = in(k == 6 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
		if (k == 5       ? pthread_mutex_clocklock(&mx[k], CLOCK_MONOTONIC, &d)
		        : k == 6 ? pthread_mutex_timedlock(&mx[k], &d)
		                 : pthread_mutex_lock(&mx[k]))
			abort();
		flag[k] = 1;
		pthread_cond_signal(&cv[k]);
		pthread_mutex_unlock(&mx[k]);
		break;
	case 8:
		mtx_lock(&mt);
		flag[k] = 1;
		cnd_signal(&cn);
		mtx_unlock(&mt);
		break;
	case 9:
		pthread_barrier_wait(&bar);
		break;
	case 10:
		pthread_spin_lock(&spin);
		flag[k] = 1;
		pthread_spin_unlock(&spin);
		break;
	case 11:
		atomic_store_explicit(&at[k], 1, memory_order_release);
		break;
	case 12:
		if (write(pp[k][1], "x", 1) != 1)
			abort();
		break;
	case 13:
		if (eventfd_write(pp[k][1], 1))
			abort();
		break;
	case 14:
	case 15:
		if (send(pp[k][1], "x", 1, 0) != 1)
			abort();
		break;
	case 16:
		if (write(pp[k][1], &one, 8) != 8)
			abort();
		break;
	case 17: {
		struct sembuf s = {0, 1, 0};
		if (semop(semid, &s, 1))
			abort();
		break;
	}
	case 18:
		if (mq_send(mq, "x", 1, 0))
			abort();
		break;
	case 19: {
		int fd = open(fifo, O_WRONLY);
		if (write(fd, "x", 1) != 1)
			abort();
		close(fd);
		break;
	}
	case 20:
		break;
	case 21: {
		int s = socket(AF_UNIX, SOCK_STREAM, 0);
		struct sockaddr_un a = {.sun_family = AF_UNIX};
		strcpy(a.sun_path, sockname);
		if (connect(s, (void *)&a, sizeof a))
			abort();
		close(s);
		break;
	}
	case 22: {
		struct iovec v = {"x", 1};
		if (writev(pp[k][1], &v, 1) != 1)
			abort();
		break;
	}
	case 23:
		if (ftruncate(memfd, 100))
			abort();
		sem_post(&sem[k]);
		break;
	case 24:
		close(pp[k][1]);
		break;
	case 25:
		shutdown(pp[k][1], SHUT_WR);
		break;
	case 26: {
		struct itimerspec s = {.it_value = {0, 1}};
		timerfd_settime(tfd, 0, &s, NULL);
		break;
	}
	case 27: {
		struct aiocb c = {.aio_fildes = pp[k][1],
		        .aio_buf = "x",
		        .aio_nbytes = 1,
		        .aio_sigevent = {.sigev_notify = SIGEV_THREAD,
		                .sigev_notify_function = on_aio,
		                .sigev_value = {.sival_ptr = &sem[k]}}};
		const struct aiocb *l = &c;
		if (aio_write(&c))
			abort();
		while (aio_suspend(&l, 1, NULL))
			;
		if (aio_return(&c) != 1)
			abort();
		break;
	}
	case 28:
		__sync_synchronize();
		__sync_lock_test_and_set(&flag[k], 1);
		break;
	case 29:
		__atomic_store_n(&shared[0], 1, __ATOMIC_SEQ_CST);
		break;
	}
}
static void hear(int k)
{
	char c;
	uint64_t n;
	struct timespec d = in(k == 6 || k == 3 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
	switch (k) {
	case 0:
		if (sem_clockwait(&sem[k], CLOCK_MONOTONIC, &d))
			abort();
		break;
	case 1:
	case 2:
	case 3:
	case 4:
		for (int f = 0; !f;) {
			if (k == 2       ? pthread_rwlock_clockrdlock(&rw[k], CLOCK_MONOTONIC, &d)
			        : k == 3 ? pthread_rwlock_timedrdlock(&rw[k], &d)
			        : k == 4 ? pthread_rwlock_tryrdlock(&rw[k])
			                 : pthread_rwlock_rdlock(&rw[k])) {
				sched_yield();
				continue;
			}
			f = flag[k];
			pthread_rwlock_unlock(&rw[k]);
			if (!f)
				sched_yield();
		}
		break;
	case 5:
	case 6:
	case 7:
		pthread_mutex_lock(&mx[k]);
		while (!flag[k])
			if (k == 5       ? pthread_cond_clockwait(&cv[k], &mx[k], CLOCK_MONOTONIC, &d)
			        : k == 6 ? pthread_cond_timedwait(&cv[k], &mx[k], &d)
			                 : pthread_cond_wait(&cv[k], &mx[k]))
				abort();
		pthread_mutex_unlock(&mx[k]);
		break;
	case 8:
		mtx_lock(&mt);
		while (!flag[k])
			cnd_wait(&cn, &mt);
		mtx_unlock(&mt);
		break;
	case 9:
		pthread_barrier_wait(&bar);
		break;
	case 10:
		for (int f = 0; !f; sched_yield()) {
			if (pthread_spin_trylock(&spin))
				continue;
			f = flag[k];
			pthread_spin_unlock(&spin);
		}
		break;
	case 11:
		while (!atomic_load_explicit(&at[k], memory_order_acquire))
			sched_yield();
		break;
	case 12: {
		struct pollfd p = {pp[k][0], POLLIN, 0};
		if (ppoll(&p, 1, NULL, NULL) != 1 || read(pp[k][0], &c, 1) != 1)
			abort();
		break;
	}
	case 13:
		if (eventfd_read(pp[k][0], &n))
			abort();
		break;
	case 14: {
		fd_set s;
		FD_ZERO(&s);
		FD_SET(pp[k][0], &s);
		if (select(pp[k][0] + 1, &s, NULL, NULL, NULL) != 1 || recv(pp[k][0], &c, 1, 0) != 1)
			abort();
		break;
	}
	case 15: {
		struct iovec v = {&c, 1};
		struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
		if (recvmsg(pp[k][0], &m, 0) != 1)
			abort();
		break;
	}
	case 16: {
		struct epoll_event e;
		if (epoll_pwait(ep, &e, 1, -1, NULL) != 1 || e.data.u32 != 16)
			abort();
		break;
	}
	case 17: {
		struct sembuf s = {0, -1, 0};
		if (semtimedop(semid, &s, 1, NULL))
			abort();
		break;
	}
	case 18:
		d = in(CLOCK_REALTIME);
		if (mq_timedreceive(mq, &c, 1, NULL, &d) != 1)
			abort();
		break;
	case 19: {
		int fd = open(fifo, O_RDONLY);
		if (read(fd, &c, 1) != 1)
			abort();
		close(fd);
		break;
	}
	case 20:
		if (pthread_clockjoin_np(inner, NULL, CLOCK_MONOTONIC, &d))
			abort();
		break;
	case 21: {
		int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (s < 0)
			abort();
		close(s);
		break;
	}
	case 22: {
		struct iovec v = {&c, 1};
		if (readv(pp[k][0], &v, 1) != 1)
			abort();
		break;
	}
	case 23: {
		struct stat s;
		sem_wait(&sem[k]);
		fstat(memfd, &s);
		assert(s.st_size == 100);
		break;
	}
	case 24:
		if (read(pp[k][0], &c, 1) != 0)
			abort();
		break;
	case 25:
		if (recv(pp[k][0], &c, 1, MSG_WAITALL) != 0)
			abort();
		break;
	case 26:
		if (read(tfd, &n, 8) != 8)
			abort();
		break;
	case 27:
		if (read(pp[k][0], &c, 1) != 1)
			abort();
		sem_wait(&sem[k]);
		break;
	case 28:
		while (!__sync_fetch_and_add(&flag[k], 0))
			sched_yield();
		break;
	case 29:
		while (!__atomic_load_n(&shared[0], __ATOMIC_SEQ_CST))
			sched_yield();
		break;
	}
	assert(*box[k] == k * 3);
	*box[k] += 1;
	box[k] = NULL;
}
static void *teller(void *arg)
{
	for (int k = 0; k < WAYS; k++)
		tell(k);
	return arg;
}
static void *hearer(void *arg)
{
	for (int k = 0; k < WAYS; k++)
		hear(k);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	mtx_init(&mt, mtx_plain);
	cnd_init(&cn);
	pthread_barrier_init(&bar, NULL, 2);
	pthread_spin_init(&spin, 0);
	ep = epoll_create1(0);
	tfd = timerfd_create(CLOCK_MONOTONIC, 0);
	semid = semget(IPC_PRIVATE, 1, 0600);
	memfd = memfd_create("x", 0);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(fifo, sizeof fifo, "/tmp/norn-w-fifo-%d", (int)getpid());
	snprintf(sockname, sizeof sockname, "/tmp/norn-w-sock-%d", (int)getpid());
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	strcpy(a.sun_path, sockname);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (mkfifo(fifo, 0600) || bind(listener, (void *)&a, sizeof a) || listen(listener, 2))
		abort();
	struct mq_attr ma = {.mq_maxmsg = 2, .mq_msgsize = 1};
	char q[32];
	snprintf(q, sizeof q, "/norn-w-%d", (int)getpid());
	mq = mq_open(q, O_RDWR | O_CREAT | O_EXCL, 0600, &ma);
	mq_unlink(q);
	for (int k = 0; k < WAYS; k++) {
		value[k] = k * 3;
		sem_init(&sem[k], 0, 0);
		pthread_rwlock_init(&rw[k], NULL);
		pthread_mutexattr_t ma_;
		pthread_mutexattr_init(&ma_);
		pthread_mutexattr_setprotocol(&ma_, k % 2 ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
		pthread_mutex_init(&mx[k], &ma_);
		pthread_cond_init(&cv[k], NULL);
		if (k == 13 || k == 16)
			pp[k][0] = pp[k][1] = eventfd(0, 0);
		else if (k == 14 || k == 15 || k == 25) {
			if (socketpair(AF_UNIX, k == 15 ? SOCK_DGRAM : SOCK_STREAM, 0, pp[k]))
				abort();
		} else if (pipe(pp[k]))
			abort();
	}
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = 16};
	epoll_ctl(ep, EPOLL_CTL_ADD, pp[16][0], &e);
	pthread_create(&inner, NULL, inner_main, NULL);
	pthread_create(&t[0], NULL, teller, NULL);
	pthread_create(&t[1], NULL, hearer, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	unlink(fifo);
	unlink(sockname);
	semctl(semid, 0, IPC_RMID);
	for (int k = 0; k < WAYS; k++)
		assert(value[k] == 3 * k + 1);
	puts("heard");
	return 0;
}
