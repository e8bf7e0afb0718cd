/* Values of every shape: bit-fields, unions, packed and unaligned, vectors, __int128, long double, _Complex, structs by value, VLAs,
 * flexible arrays, _BitInt, bool. */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bits {
	unsigned a : 3;
	int b : 7;
	unsigned long long c : 40;
	_Bool d : 1;
	int : 0;
	short e : 5;
} bits;

union pun {
	double d;
	uint64_t u;
	float f[2];
	unsigned char c[8];
} pun;

struct __attribute__((packed)) packed {
	char c;
	int i;
	long double l;
	short s;
	double d;
} packed[3];

typedef int v4 __attribute__((vector_size(16)));
typedef float v2 __attribute__((vector_size(8)));
typedef char v3 __attribute__((ext_vector_type(3)));
typedef double v8 __attribute__((vector_size(64)));
v4 vector4;
v2 vector2;
v3 vector3;
v8 vector8;
__int128 wide;
long double precise;
_Complex double complicated;
_Complex float small_complex;
_BitInt(17) odd;
_BitInt(77) odder;
bool truth;
_Float16 half;
void (*function)(void);

struct big {
	long values[9];
};
struct two {
	int a;
	float b;
};
struct mixed {
	double d;
	int i;
};
struct big big;
struct two two;
struct mixed mixed;

typedef uint32_t unaligned32 __attribute__((aligned(1)));
typedef uint64_t unaligned64 __attribute__((aligned(1)));

struct flexible {
	int count;
	short items[];
};

__attribute__((noinline)) struct big twice(struct big b)
{
	for (int i = 0; i < 9; i++)
		b.values[i] *= 2;
	return b;
}

__attribute__((noinline)) struct two schedule_search(struct two t)
{
	return (struct two){(int)t.b, (float)t.a};
}

__attribute__((noinline)) struct mixed mix(struct mixed m, struct two t, long double l)
{
	return (struct mixed){m.d + t.b + (double)l, m.i - t.a};
}

__attribute__((noinline)) long vla(int n)
{
	long values[n][3], sum = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			values[i][k] = i * k;
	long *p = &values[0][0];
	__asm__ volatile("" : "+r"(p)::"memory");
	for (int i = 0; i < n * 3; i++)
		sum += p[i];
	return sum;
}

static void fields(void)
{
	bits.a = 5;
	bits.b = -3;
	bits.c = 0x123456789aull;
	bits.d = 1;
	bits.e = -7;
	bits.a++;
	bits.c += bits.a;
	printf("%u %d %llx %d %d\n", bits.a, bits.b, (unsigned long long)bits.c, bits.d, bits.e);
	pun.d = 1.5;
	pun.c[7] ^= 0x80;
	printf("%g %llx %g %g\n", pun.d, (unsigned long long)pun.u, pun.f[0], pun.f[1]);
	for (int i = 0; i < 3; i++)
		packed[i] = (struct packed){'a' + i, -i, i / 3.0L, 7 * i, i * 0.1};
	packed[1].i += packed[2].s;
	packed[2].l *= packed[1].l;
	struct packed copy = packed[2];
	printf("%c %d %Lg %d %g\n", copy.c, packed[1].i, copy.l, copy.s, copy.d);
}

static void vectors(void)
{
	vector4 = (v4){1, 2, 3, 4};
	vector4 += vector4 * 3;
	vector2 = (v2){1.5f, -2};
	vector2[1] += vector2[0];
	vector3 = (v3){1, 2, 3};
	vector3 *= (v3){3, 2, 1};
	for (int i = 0; i < 8; i++)
		vector8[i] = i;
	vector8 *= vector8;
	printf("%d %d %g %g %d %d %g %g\n", vector4[0], vector4[3], vector2[0], vector2[1], vector3.x, vector3.z, vector8[2],
	        vector8[7]);
}

static void numbers(void)
{
	wide = (__int128)1 << 100 | 12345;
	wide -= 46;
	precise = 1.0L / 3;
	precise *= 3;
	complicated = 1 + 2 * I;
	complicated *= complicated;
	small_complex = 3 - I;
	small_complex += 1;
	odd = 65535;
	odd++;
	odder = (_BitInt(77))1 << 70;
	odder -= 1;
	truth = odd > 0;
	truth = !truth;
	half = 0.5f;
	half *= 3;
	printf("%llx %llx %Lg %g %g %g %d %llx %d %g\n", (unsigned long long)(wide >> 64), (unsigned long long)wide, precise,
	        creal(complicated), cimag(complicated), creal(small_complex), (int)odd, (unsigned long long)(odder >> 13), truth,
	        (double)half);
}

int main(void)
{
	fields();
	vectors();
	numbers();
	for (int i = 0; i < 9; i++)
		big.values[i] = i;
	big = twice(twice(big));
	two = schedule_search((struct two){3, 4.5f});
	mixed = mix((struct mixed){1, 2}, two, 0.25L);
	printf("%ld %d %g %g %d\n", big.values[8], two.a, two.b, mixed.d, mixed.i);
	struct flexible *f = malloc(sizeof *f + 10 * sizeof *f->items);
	f->count = 10;
	for (int i = 0; i < f->count; i++)
		f->items[i] = i * i;
	printf("%d %ld\n", f->items[9], vla(7));
	free(f);
	char raw[32];
	memset(raw, 0, sizeof raw);
	*(unaligned32 *)(raw + 3) = 0x01020304;
	*(unaligned64 *)(raw + 13) = 0x1112131415161718;
	char *escaped = raw;
	__asm__ volatile("" : "+r"(escaped)::"memory");
	for (int i = 0; i < 32; i++)
		printf("%d,", escaped[i]);
	puts("");
	return bits.a;
}
