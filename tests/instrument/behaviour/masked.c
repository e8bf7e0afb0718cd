/* Loops that become masked and gathered vector accesses where the machine has AVX2. */
#include <stdio.h>

int a[100], b[100], c[100];
float f[100];
double d[100];
#define AVX2 __attribute__((target("avx2,tune=haswell"), noinline))

AVX2 static void conditional_store(int n)
{
	for (int i = 0; i < n; i++)
		if (b[i] > 20)
			a[i] = 1 - i;
}

AVX2 static void conditional_load(int n)
{
	for (int i = 0; i < n; i++)
		if (b[i] > 20)
			f[i] = d[i] > 3 ? c[i] : f[i] + 1;
}

AVX2 static void gather(int n)
{
	for (int i = 0; i < n; i++)
		if (b[i] > 3)
			d[i] += c[b[i]];
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		b[i] = i * 7 % 50;
		c[i] = i;
		d[i] = i % 7;
	}
	if (__builtin_cpu_supports("avx2")) {
		conditional_store(99);
		conditional_load(97);
		gather(93);
	}
	long s = 0;
	for (int i = 0; i < 100; i++)
		s = s * 31 + a[i] + (long)f[i] + (long)d[i];
	printf("%ld\n", s);
	return 0;
}
