/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race .*(inode|file).size .* append write by main/1, .* size_of read by main/2
 * never-finding: ^race .*(block|data|lock)
 * silent: -DRIGHT
 */
/* A file system in miniature, after Daisy: every block has a lock of its own, which is a word that threads spin on. The size of a file is
 * looked at without its lock. */
#include <sched.h>

#include "../sliced/cast.h"

struct block {
	int lock;
	char data[16];
};
struct inode {
	int lock, size;
	struct block *blocks[2];
};
struct block disk[2];
struct inode file = {.blocks = {&disk[0], &disk[1]}};
int found, first_byte;

static void take(int *lock)
{
	while (__sync_lock_test_and_set(lock, 1))
		sched_yield();
}

static void give(int *lock)
{
	__sync_lock_release(lock);
}

static void append(struct inode *f, char byte)
{
	take(&f->lock);
	struct block *b = f->blocks[f->size / 16];
	take(&b->lock);
	b->data[f->size % 16] = byte;
	give(&b->lock);
	f->size++;
	give(&f->lock);
}

static int size_of(struct inode *f)
{
#ifdef RIGHT
	take(&f->lock);
#endif
	int size = f->size;
#ifdef RIGHT
	give(&f->lock);
#endif
	return size;
}

static void *write_file(void *unused)
{
	gate('a');
	append(&file, 'x');
	append(&file, 'y');
	gate_leave();
	return unused;
}

static void *read_file(void *unused)
{
	gate('b');
	struct block *b = file.blocks[0];
	take(&b->lock);
	first_byte = b->data[0];
	give(&b->lock);
	found = size_of(&file);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, write_file, read_file, NULL) || found != 2;
}
