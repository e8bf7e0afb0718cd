/* norn-test
 * cc: -g -O1 -pthread
 * stdout: mended, 8 pages were asked for
 */
/* Memory that another thread brings when it is touched (userfaultfd): whoever touches it waits in the middle of the access, and nothing that the other thread needs may wait for that.
 * Two threads touch it by plain accesses, memcpy and memset. Where the kernel has no userfaultfd, the pages are zeros that the test fills itself. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define PAGES 8

static char *pages;
static int faults, asked;

static void *bring(void *unused)
{
	static char content[PAGE];
	while (asked < PAGES) {
		struct pollfd ready = {faults, POLLIN, 0};
		struct uffd_msg message;
		poll(&ready, 1, -1);
		if (read(faults, &message, sizeof message) != sizeof message || message.event != UFFD_EVENT_PAGEFAULT)
			continue;
		unsigned long at = message.arg.pagefault.address & ~(PAGE - 1);
		memset(content, 'a' + (int)((at - (unsigned long)pages) / PAGE), PAGE);
		struct uffdio_copy copy = {.dst = at, .src = (unsigned long)content, .len = PAGE};
		ioctl(faults, UFFDIO_COPY, &copy);
		asked++;
	}
	return unused;
}

static void *touch(void *first)
{
	for (long i = (long)first; i < PAGES; i += 2) {
		char *page = pages + i * PAGE, text[8];
		if (i % 4 < 2) {
			page[0]++;
		} else {
			memcpy(text, page + 8, sizeof text);
			page[100] = text[1];
			memset(page + 200, text[2], 100);
		}
	}
	return first;
}

static int open_faults(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register all = {.range = {(unsigned long)pages, PAGES * PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	return fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &all) == 0 ? fd : -1;
}

int main(void)
{
	pthread_t bringer, threads[2];
	int right = 1;
	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = open_faults();
	if (faults >= 0)
		pthread_create(&bringer, NULL, bring, NULL);
	for (; faults < 0 && asked < PAGES; asked++)
		memset(pages + asked * PAGE, 'a' + asked, PAGE);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, touch, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (faults >= 0)
		pthread_join(bringer, NULL);
	for (int i = 0; i < PAGES; i++)
		right &= pages[i * PAGE] == 'a' + i + (i % 4 < 2) && pages[i * PAGE + 100] == 'a' + i &&
		         pages[i * PAGE + 250] == 'a' + i;
	printf("%s, %d pages were asked for\n", right ? "mended" : "wrong", asked);
	return 0;
}
