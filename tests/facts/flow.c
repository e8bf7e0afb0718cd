/* What is known of each line, without optimisation and with: see run. Nothing here is ever called. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "norn.h"

int x, y, z, p, flag, table[8];
int *pointer;
double real;
struct pair {
	int a, b;
} pairs;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
jmp_buf place;
void unknown(int);
int unknown_value(int, int);
void (*indirect)(int);
static __thread int own;

#define ORDER __ATOMIC_SEQ_CST

/* ---- tests: what is read, or returned, decides no more than what they say ---- */

void tested(void)
{
	int r = x; //: read x: decides; tested; branches at +1 +1
	if (r > 3 && r != 7)
		pthread_mutex_lock(&lock);
}

void tested_and_used(void)
{
	int r = x; //: read x: decides
	if (r > 3)
		pthread_mutex_lock(&lock);
	table[r] = 0; //: write table[]
}

__attribute__((noinline)) int yields(void) //: function yields: yields a read; result from read x
{
	return x & 7; //: read x
}

void tests_result(void)
{
	if (yields() == 3) //: call yields: decides; tested
		pthread_mutex_lock(&lock);
}

void compares_reads(void)
{
	if (x > y) //: read x: decides; loosely | read y: decides; loosely; branches
		pthread_mutex_lock(&lock);
}

/* ---- free: only stored, computed with, printed, returned, passed on ---- */

void stored(void)
{
	int r = x; //: read x
	z = r; //: write z: made of a read; value from read x
}

void computed(void)
{
	int r = x; //: read x
	int s = y; //: read y
	z = r * 3 + (s >> 1); //: write z: value from read x, read y
	real = sqrt((double)s); //: write real: value from read y
}

void printed(void)
{
	printf("%d\n", x); //: read x
}

int returned(void) //: function returned: result from read x
{
	return x; //: read x
}

void passed_on(void)
{
	unknown(x); //: read x | call unknown: argument 0 from read x
}

int got_back(int a, int b) //: function got_back: result from call unknown_value
{
	return unknown_value(b, a); //: call unknown_value: argument 0 from parameter 1; argument 1 from parameter 0
}

void slept(void)
{
	usleep((unsigned)x); //: read x: decides
	z = 1; //: write z
}

void counted(void)
{
	__atomic_fetch_add(&x, y, __ATOMIC_SEQ_CST); //: read y | rmw x: value from read y
}

void taken(void)
{
	z = __atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST); //: rmw x | write z: value from rmw x
}

void copied(struct pair *to) //0: function copied: decides: parameter 0 //2: function copied: decides: parameter 0; as a pointer
{
	*to = pairs; //0: copy pair //2: read pairs | write pair: value from read pairs; address from parameter 0
}

/* ---- branches that do little: masks ---- */

static int kept_here;
extern int elsewhere;
__attribute__((weak)) int weak_one;

void both_arms(void)
{
	int r = x; //0: read x: decides; masks flag, z //2: read x: decides
	if (r) //2: write
		z = 1; //0: write z: controlled by read x
	else
		flag = 1; //0: write flag: controlled by read x
}

void nested_branches(void)
{
	int r = x; //: read x: decides; masks z
	int s = y; //0: read y: decides; masks z //2: read y: decides; masks z; controlled by read x
	if (r) {
		if (s)
			z = 1; //: write z: controlled by read x, read y
	}
}

void partial(void)
{
	int r = x; //: read x: decides; tested; masks pairs.b, table[3]; nothing if 1
	if (r) {
		pairs.b = 1; //: write pairs.b: controlled by read x
		table[3] = 2; //: write table[3]: controlled by read x
	}
}

void own_file(void)
{
	int r = x; //: read x: decides; masks kept_here
	if (r)
		kept_here = y; //: read y: controlled by read x | write kept_here: value from read y; controlled by read x
	z = kept_here; //0: read kept_here | write z: value from read kept_here //2: read kept_here: controlled by read x | write z: value from read kept_here, read x, read y
}

void others_file(void)
{
	int r = x; //: read x: decides
	if (r)
		elsewhere = 1; //: write elsewhere
}

void others_perhaps(void)
{
	int r = x; //: read x: decides
	if (r)
		weak_one = 1; //: write weak_one
}

void outside(void)
{
	int r = x; //: read x: decides
	if (r)
		*(&table[0] + 8) = 1; //: write table[8]
}

void any_element(int i) //: function any_element: decides: parameter 0
{
	int r = x; //: read x: decides
	if (r)
		table[i] = 1; //: write table[]
}

void somewhere(int *where) //: function somewhere: decides: parameter 0; as a pointer
{
	int r = x; //: read x: decides
	if (r)
		*where = 1; //: write *somewhere::where: address from parameter 0
}

void calls_in_arm(void)
{
	int r = x; //: read x: decides
	if (r) {
		z = 1; //: write z
		unknown(1); //: call unknown
	}
}

void counts_in_arm(void)
{
	int r = x; //: read x: decides
	if (r)
		__atomic_fetch_add(&z, 1, ORDER); //: rmw z: made of a read
}

void stores_atomically(void)
{
	int r = __atomic_load_n(&x, ORDER); //: read x: decides; masks z
	if (r)
		__atomic_store_n(&z, 1, ORDER); //: write z: controlled by read x
}

void branches_on_count(void)
{
	int r = __atomic_fetch_add(&x, 1, ORDER); //: rmw x: decides; masks z
	if (r)
		z = 1; //: write z: controlled by rmw x
}

void by_parameter(int r) //: function by_parameter: decides: parameter 0
{
	if (r)
		z = 1; //: write z
}

void by_result(void)
{
	if (unknown_value(1, 2)) //: call unknown_value: decides
		z = 1; //: write z
}

void leaves_early(void)
{
	if (x) //: read x: decides; tested; masks y, z; nothing if 0
		return;
	z = 1; //: write z: controlled by read x
	if (flag) //: read flag: decides; masks y; controlled by read x
		y = 1; //: write y: controlled by read flag, read x
}

void jumps_over(void)
{
	if (x) //: read x: decides; tested; masks z; nothing if 0
		goto out;
	z = 1; //: write z: controlled by read x
out:
	y = 1; //: write y
}

void each_time(int n) //: function each_time: decides: parameter 0
{
	for (int i = 0; i < n; i++) {
		int r = x; //0: read x: decides; masks z //2:
		if (r)
			z = i; //: write z: value from parameter 0; controlled by read x
		y = i; //: write y: value from parameter 0
	}
}

void time_before(int n) //: function time_before: decides: parameter 0
{
	int r = 0;
	for (int i = 0; i < n; i++) {
		if (r)
			z = i; //0: write z: value from parameter 0; controlled by every read x //2: write z: value from parameter 0; controlled by every read x | write z: value from parameter 0; controlled by every read x, read x | write z: value from parameter 0; controlled by read x
		r = x; //0: read x: decides; masks z
	}
}

void goes_round(void)
{
	while (x) { //: read x: decides
		z = 1; //0: write z
	}
}

void goes_round_and_ends(void)
{
	while (x) { //0: read x: decides; masks z; controlled by every read x
		NORN_LOOP_ENDS();
		z = 1; //0: write z: controlled by every read x
	}
}

void leaves_two_loops(void)
{
	for (;;) {
		for (int i = 0; i < 3; i++) {
			NORN_LOOP_ENDS();
			if (x) //0: read x: decides
				return;
		}
	}
}

void chosen_where(void)
{
	int r = x; //: read x: decides
	int *where = r ? &z : &y;
	*where = 1; //: write *chosen_where::where
}

/* ---- branches ---- */

void branch(void)
{
	int r = x; //: read x: decides; masks z
	if (r)
		z = 1; //: write z: controlled by read x
}

void branch_that_reads(void)
{
	int r = x, s = 0; //: read x: decides; masks nothing
	if (r)
		s = y; //: read y: controlled by read x
	z = s; //: write z: value from read x, read y
}

void other_arm(void)
{
	int r = x; //: read x: decides
	if (r > 3) {
	} else {
		unknown(0); //: call unknown
	}
}

void choice(void)
{
	int r = x, v = 0; //: read x
	if (r)
		v = 3;
	z = v; //: write z: value from read x
}

void choice_that_decides(void)
{
	int r = x, v = 0; //: read x: decides; masks z
	if (r)
		v = 3;
	if (v == 0)
		z = 1; //: write z: controlled by read x
}

void nested_choice(void)
{
	int r = x, s = y, v = 0; //0: read x | read y //2: read x: decides; masks nothing | read y: controlled by read x
	if (r) {
		if (s)
			v = 1;
		else
			v = 2;
	}
	z = v; //: write z: value from read x, read y
}

void both_same(void)
{
	int r = x, v; //0: read x
	if (r)
		v = 7;
	else
		v = 7;
	z = v; //2: write z
}

void chooser(void)
{
	int r = x; //: read x
	z = r > 3 ? 5 : 9; //: write z: value from read x
}

void switched(int k)
{
	int v;
	switch (x) { //: read x: decides; masks z
	case 1:
		v = 100;
		break;
	case 70:
		z = 3; //: write z: controlled by read x
		v = 5;
		break;
	default:
		v = 2;
	}
	y = v; //: write y: value from read x
}

void short_circuit(void)
{
	if (x && y) //: read x: decides; masks z | read y: decides; masks z; controlled by read x
		z = 1; //: write z: controlled by read x, read y
}

int early_return(void) //: function early_return: result from read x
{
	if (!x) //: read x: decides
		return 0;
	pthread_mutex_lock(&lock); //: call pthread_mutex_lock: forgets
	return 1;
}

int two_returns(void) //: function two_returns: result from read x
{
	if (x) //: read x
		return 7;
	return 9;
}

void exits(void)
{
	if (x == 3) //: read x: decides; tested; loosely; asserts
		exit(1); //: call exit
}

void exits_well(void)
{
	if (x == 3) //: read x: decides
		exit(0); //: call exit
}

void asserts(void)
{
	int r = x; //: read x: decides; tested; loosely; asserts
	if (r != 1)
		__builtin_trap();
	z = 1; //: write z
}

void asserts_of_two(void)
{
	pthread_mutex_lock(&lock); //: call pthread_mutex_lock: forgets
	int r = x; //: read x: decides; loosely
	int s = y; //: read y: decides; loosely
	pthread_mutex_unlock(&lock); //: call pthread_mutex_unlock: asserts
	if (r + s != 2)
		abort(); //: call abort
	z = 1; //: write z
}

void asserts_and_tests(void)
{
	int r = x; //: read x: decides; loosely
	if (r > 5)
		pthread_mutex_lock(&lock); //: call pthread_mutex_lock
	if (y != r) //: read y: decides; loosely; asserts
		abort(); //: call abort
	z = 1; //: write z
}

void jumps(int k) //0: function jumps: decides: parameter 0 //2: function jumps: decides: parameter 0 | read x | read y
{
	int r = x, s = 0; //0: read x
	if (k)
		goto second;
	s = r;
	goto end;
second:
	s = y; //0: read y
end:
	z = s; //: write z: value from read x, read y, parameter 0
}

void prints_sometimes(void)
{
	if (x) //: read x
		puts("well"); //: call puts
	z = 1; //: write z
}

void locks_sometimes(void)
{
	int r = x; //: read x: decides
	if (r)
		pthread_mutex_lock(&lock); //: call pthread_mutex_lock
	y = 1; //: write y
	if (r)
		pthread_mutex_unlock(&lock); //: call pthread_mutex_unlock
	z = r; //: write z: value from read x
}

/* ---- what a frame still needs, where it asks for a lock (R23) ---- */

void needs_nothing(void)
{
	do {
		pthread_mutex_lock(&lock); //: call pthread_mutex_lock: forgets
		y = 1; //: write y
		pthread_mutex_unlock(&lock); //: call pthread_mutex_unlock: forgets
	} while (x); //: read x: decides
}

void needs_its_parameter(int *by, pthread_mutex_t *mutex) //: function needs_its_parameter: decides: parameter 0 1; as a pointer
{
	do {
		pthread_mutex_lock(mutex); //: call pthread_mutex_lock: forgets; address from parameter 1
		*by = 1; //: write *needs_its_parameter::by: address from parameter 0
		pthread_mutex_unlock(mutex); //: call pthread_mutex_unlock: forgets; address from parameter 1
	} while (x); //: read x: decides
}

void needs_a_count(void)
{
	int count = 0;
	do {
		pthread_mutex_lock(&lock); //: call pthread_mutex_lock
		count++;
		pthread_mutex_unlock(&lock); //: call pthread_mutex_unlock
	} while (x); //: read x: decides
	y = count; //: write y: value from every read x
}

void needs_what_it_read(void)
{
	int r = z; //: read z
	do {
		pthread_mutex_lock(&lock); //: call pthread_mutex_lock
		y = r; //: write y: value from read z
		pthread_mutex_unlock(&lock); //: call pthread_mutex_unlock
	} while (x); //: read x: decides
}

void needs_a_local(void)
{
	int seen[4] = {0};
	do {
		pthread_mutex_lock(&lock); //: call pthread_mutex_lock
		seen[p & 3]++; //: read p: decides
		pthread_mutex_unlock(&lock); //: call pthread_mutex_unlock
	} while (x); //: read x: decides
	y = seen[0]; //: write y
}

/* ---- loops ---- */

void sum(void)
{
	int s = 0;
	for (int i = 0; i < 1000; i++)
		s += x; //0: read x
	z = s; //0: write z: value from every read x
}

void latest_in_loop(void)
{
	for (int i = 0; i < 1000; i++) {
		int r = __atomic_load_n(&x, __ATOMIC_RELAXED); //: read x
		__atomic_store_n(&z, r, __ATOMIC_RELAXED); //: write z: value from read x
	}
}

void last_of_loop(void)
{
	int last = 0;
	for (int i = 0; i < 1000; i++)
		last = __atomic_load_n(&x, __ATOMIC_RELAXED); //: read x
	z = last; //0: write z: value from every read x
}

void waits(void)
{
	while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) //: read flag: decides
		;
	z = 1; //: write z
}

void waits_do(void)
{
	do
		usleep(1);
	while (__atomic_load_n(&flag, __ATOMIC_RELAXED) < 5); //: read flag: decides
	z = 1; //: write z
}

void hoisted(void)
{
	if (!flag) //: read flag: decides
		for (;;)
			;
	z = 1; //: write z
}

unsigned may_not_end(void)
{
	unsigned n = (unsigned)x, steps = 0; //: read x: decides
	while (n != 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

unsigned says_it_ends(void) //: function says_it_ends: result from every read x
{
	unsigned n = (unsigned)x, steps = 0; //: read x
	while (n != 1) {
		NORN_LOOP_ENDS();
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

void loop_in_branch(void)
{
	int r = x; //: read x: decides
	if (r)
		while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) //: read flag: decides
			;
	y = 1; //: write y
}

void leaves_from_within(void)
{
	for (;;) {
		int r = __atomic_load_n(&x, __ATOMIC_RELAXED); //: read x: decides
		int s = __atomic_load_n(&y, __ATOMIC_RELAXED); //: read y: decides
		if (r)
			if (s)
				break;
	}
	z = 1; //: write z
}

void endless(void)
{
	for (;;) {
		int r = __atomic_load_n(&x, __ATOMIC_RELAXED); //: read x
		__atomic_store_n(&z, r, __ATOMIC_RELAXED); //: write z: value from read x
	}
}

/* Two entries: which of its times counts is not known. */
void irreducible(int k) //: function irreducible: decides: parameter 0
{
	int r = 0;
	if (k)
		goto middle;
again:
	r = __atomic_load_n(&x, __ATOMIC_RELAXED); //: read x: decides
middle:
	__atomic_store_n(&z, r, __ATOMIC_RELAXED); //: write z: value from every read x, parameter 0
	if (r < 10)
		goto again;
}

/* ---- addresses, traps ---- */

void index_of(void)
{
	int r = x; //: read x: decides
	z = table[r]; //: read table[] | write z: value from read table[]
}

void through(void)
{
	int *q = pointer; //: read pointer: decides; as a pointer
	*q = 1; //: write *through::q: address from read pointer
}

void index_of_private(void)
{
	int numbers[4] = {1, 2, 3, 4};
	int r = x; //: read x: decides
	z = numbers[r & 3]; //: write z
}

void divides(void)
{
	int r = x; //: read x: decides
	z = 7 / (r + 1); //: write z: value from read x
}

void divides_by_constant(void)
{
	int r = x; //: read x
	z = r / 7; //: write z: value from read x
}

void divides_sometimes(int k) //: function divides_sometimes: decides: parameter 0
{
	int r = x, s = y, v = 0; //: read x: decides | read y: decides
	if (s == 3)
		v = k / r;
	z = v; //: write z: value from read x, read y, parameter 0
}

void fills(char *to, unsigned long n) //: function fills: decides: parameter 0 1; as a pointer
{
	memset(to, x, n); //: read x | set *fills::to: value from read x; address from parameter 0
}

void swaps(void)
{
	int expected = x; //: read x: decides
	__atomic_compare_exchange_n(&y, &expected, p, 0, ORDER, ORDER); //: read p | cmpxchg y: decides; value from read p
}

/* ---- locals in memory ---- */

void volatile_local(void)
{
	volatile int v = x; //: read x
	z = v; //: write z: value from read x
}

void local_in_branch(void)
{
	volatile int v = 0;
	if (x) //: read x
		v = 1;
	z = v; //: write z: value from read x
}

void reused_local(void)
{
	volatile int v = x; //: read x
	v = y; //: read y
	z = v; //: write z: value from read y
}

void local_array(int i) //: function local_array: decides: parameter 0
{
	volatile int numbers[4];
	numbers[i & 3] = x; //: read x
	numbers[(i + 1) & 3] = y; //: read y
	z = numbers[0]; //: write z: value from read x, read y
}

void local_struct(void)
{
	struct pair q = pairs; //0: copy pairs
	z = q.b; //0: write z: value from every copy pairs
}

void threads_own(void)
{
	int r = x; //: read x: decides
	own = r;
}

void threads_own_again(void)
{
	z = own; //: write z: value from private memory
}

/* ---- parameters and calls ---- */

__attribute__((noinline)) void callee(int a, int b) //: function callee: decides: parameter 1
{
	z = a; //: write z: value from parameter 0
	if (b)
		y = 3; //: write y
}

void caller(void)
{
	callee(x, y); //: read x | read y | call callee: argument 0 from read x; argument 1 from read y
}

void result_decides(void)
{
	if (unknown_value(1, 2)) //: call unknown_value: decides
		z = 1; //: write z
}

void result_stored(void)
{
	z = unknown_value(x, 2); //: read x | call unknown_value: argument 0 from read x | write z: value from call unknown_value
}

void calls_pointer(void)
{
	indirect(x); //: read x | read indirect: decides; as a pointer | call: argument 0 from read x; address from read indirect
}

void locks_by_index(pthread_mutex_t *locks) //: function locks_by_index: decides: parameter 0; as a pointer
{
	int r = p; //: read p: decides
	pthread_mutex_lock(locks + r); //: call pthread_mutex_lock: address from parameter 0
}

void allocates(void)
{
	pointer = malloc((size_t)x); //: read x: decides | call malloc | write pointer: value from call malloc
}

void asks_the_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now); //: call clock_gettime: of this frame | write asks_the_time::now
	z = (int)now.tv_nsec; //: read asks_the_time::now.tv_nsec: number; of this frame | write z: value from read asks_the_time::now.tv_nsec
}

void lends_locals(unsigned i) //0: function lends_locals: decides: parameter 0
{
	struct {
		pthread_mutex_t lock;
		pthread_cond_t changed;
		long values[2];
	} own;
	pthread_mutex_init(&own.lock, NULL); //: call pthread_mutex_init: of this frame
	pthread_cond_init(&own.changed, NULL); //: call pthread_cond_init: of this frame
	pthread_cond_wait(&own.changed, &own.lock); //: call pthread_cond_wait
	own.values[1] = 1; //0: write lends_locals::own.values[1]: of this frame
	own.values[i] = 1; //0: write lends_locals::own.values[]
	pointer = (int *)&own; //: write pointer
}

void tries(void)
{
	if (pthread_mutex_trylock(&lock) == 0) //: call pthread_mutex_trylock: decides
		y = 1; //: write y
}

void marks(void)
{
	norn_event("here", x); //: read x: decides | call norn_event
}

void assembles(void)
{
	int r = x; //: read x: decides
	__asm__ volatile("addl $1, %0" : "+m"(z) : "r"(r) : "memory"); //: call inline assembly
}

void relaxes(void)
{
	int r = x; //: read x
	__asm__ volatile("pause" ::: "memory");
	z = r; //: write z: value from read x
}

void prints_format(char *format) //: function prints_format: decides: parameter 0
{
	printf(format, x); //: read x
}

void setjmps(void)
{
	int r = x; //: read x: no facts
	if (setjmp(place)) //: call _setjmp: no facts | write place[0].__jmpbuf|__mask_was_saved: no facts
		z = r; //: write z: no facts
}

void decides_late(void)
{
	int r = x; //: read x: decides; after 2 more
	y = 1; //: write y
	z = 2; //: write z
	while (r)
		relaxes();
}

int main(void)
{
	return 0;
}
