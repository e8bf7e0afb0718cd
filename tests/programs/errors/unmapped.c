/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DWHOLE
 * cc: -DPART
 * cc: -DSEGMENT
 * cc: -DLOCKED
 * finding: ^use-after-free .* predicted at unmapped.c:\d+ give_back unmap by main/2, unmapped.c:\d+ use (read|write|acquire) by main/1
 * silent: -DWHOLE -DRIGHT
 * silent: -DPART -DRIGHT
 * silent: -DSTAYS
 * silent: -DMOVES
 * unjudged: -DMOVES
 * silent: -DFAILS
 * silent: -DOTHER_PAGE
 */
/* One thread uses a mapping, or a lock in it; nothing keeps the other one from unmapping it before, or from detaching the
 * segment. Silent: both under one lock; memory that mremap leaves where it is, that munmap fails for, or of which another page is unmapped. Memory that
 * mremap moves away is only suspected: it moves contents unseen, so its call is opaque. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "../sliced/cast.h"

#define PAGE 4096
struct page {
	pthread_mutex_t lock;
	long value;
};
static char *memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gone;
long result;

static void use(void)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	if (gone) {
		pthread_mutex_unlock(&lock);
		return;
	}
#endif
	struct page *page = (struct page *)(memory + PAGE);
#ifdef LOCKED
	pthread_mutex_lock(&page->lock);
	pthread_mutex_unlock(&page->lock);
#else
	result = page->value;
#endif
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
}

static int give_back(void)
{
#ifdef PART
	return munmap(memory + PAGE, PAGE);
#elif defined(OTHER_PAGE)
	return munmap(memory + 2 * PAGE, PAGE);
#elif defined(MOVES)
	char *elsewhere = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mremap(memory, 3 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere) == MAP_FAILED;
#elif defined(STAYS)
	return mremap(memory, 3 * PAGE, 2 * PAGE, 0) == MAP_FAILED;
#elif defined(FAILS)
	return munmap(memory + 1, PAGE) == 0 || errno != EINVAL;
#elif defined(SEGMENT)
	return shmdt(memory);
#else
	return munmap(memory, 3 * PAGE);
#endif
}

static void *one(void *unused)
{
	gate('a');
	use();
	gate_leave();
	return unused;
}

static int failed;

static void *two(void *unused)
{
	gate('b');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	gone = 1;
	failed = give_back();
	pthread_mutex_unlock(&lock);
#else
	failed = give_back();
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
#ifdef SEGMENT
	int segment = shmget(IPC_PRIVATE, 3 * PAGE, IPC_CREAT | 0600);
	memory = shmat(segment, NULL, 0);
	shmctl(segment, IPC_RMID, NULL);
#else
	memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	if (memory == MAP_FAILED)
		return 1;
	struct page *page = (struct page *)(memory + PAGE);
	pthread_mutex_init(&page->lock, NULL);
	page->value = 7;
	return argc < 2 || play(argv, one, two, NULL) || failed;
}
