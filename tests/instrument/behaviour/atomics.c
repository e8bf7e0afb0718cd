/* Atomics of all sizes and orders, 16 bytes among them. FLAGS: -mcx16 -Wno-atomic-alignment */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#define FOR_ALL(type, name)                                                                                                        \
	_Atomic type name##_value;                                                                                                 \
	__attribute__((noinline)) static void name##_test(void)                                                                    \
	{                                                                                                                          \
		type expected = 3;                                                                                                 \
		atomic_store_explicit(&name##_value, 3, memory_order_relaxed);                                                     \
		atomic_store_explicit(&name##_value, 3, memory_order_release);                                                     \
		atomic_store(&name##_value, 3);                                                                                    \
		int a = atomic_compare_exchange_strong(&name##_value, &expected, (type)9);                                         \
		int b = atomic_compare_exchange_strong_explicit(                                                                   \
		        &name##_value, &expected, (type)11, memory_order_acq_rel, memory_order_relaxed);                           \
		while (!atomic_compare_exchange_weak(&name##_value, &expected, (type)12))                                          \
			;                                                                                                          \
		type c = atomic_fetch_add(&name##_value, 5),                                                                       \
		     d = atomic_fetch_sub_explicit(&name##_value, 1, memory_order_acquire);                                        \
		type e = atomic_fetch_or(&name##_value, 64), f = atomic_fetch_and(&name##_value, 0x7b),                            \
		     g = atomic_fetch_xor(&name##_value, 1);                                                                       \
		type h = atomic_exchange_explicit(&name##_value, 100, memory_order_release);                                       \
		name##_value += 3;                                                                                                 \
		name##_value *= 2;                                                                                                 \
		atomic_thread_fence(memory_order_seq_cst);                                                                         \
		printf(#name " %d %d %d %d %d %d %d %d %d %d\n", a, b, (int)expected, (int)c, (int)d, (int)e, (int)f, (int)g,      \
		        (int)h, (int)atomic_load_explicit(&name##_value, memory_order_acquire));                                   \
	}
FOR_ALL(char, byte)
FOR_ALL(short, half)
FOR_ALL(unsigned, word)
FOR_ALL(long, quad)
FOR_ALL(__int128, wide)

_Atomic float real;
_Atomic double precise;
_Atomic(int *) pointer;
_Atomic _Bool truth;
atomic_flag flag = ATOMIC_FLAG_INIT;
int array[4] = {1, 2, 3, 4};
struct pair {
	long a, b;
};
_Atomic struct pair pair;
volatile int vol;
int legacy;

static void *hammer(void *p)
{
	for (int i = 0; i < 1000; i++)
		word_value++;
	return p;
}

int main(void)
{
	byte_test();
	half_test();
	word_test();
	quad_test();
	wide_test();
	real = 1.5f;
	real += 2;
	precise = 0.5;
	precise *= 3;
	pointer = array;
	pointer++;
	truth = 1;
	truth ^= 1;
	int set = atomic_flag_test_and_set(&flag), again = atomic_flag_test_and_set(&flag);
	atomic_flag_clear(&flag);
	atomic_store(&pair, ((struct pair){1, 2}));
	struct pair p = atomic_exchange(&pair, ((struct pair){3, 4})), q = atomic_load(&pair);
	int swapped = atomic_compare_exchange_strong(&pair, &q, p);
	vol = 4;
	vol += vol;
	__sync_fetch_and_add(&legacy, 4);
	__sync_lock_test_and_set(&legacy, 9);
	int old = __sync_val_compare_and_swap(&legacy, 9, 10);
	__sync_synchronize();
	printf("%g %g %d %d %d %d %ld %ld %d %d %d %d\n", (double)real, (double)precise, *pointer, truth, set, again, p.b, q.a,
	        swapped, vol, old, __atomic_load_n(&legacy, __ATOMIC_CONSUME));
	word_value = 0;
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(threads + i, NULL, hammer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", word_value);
	return 0;
}
