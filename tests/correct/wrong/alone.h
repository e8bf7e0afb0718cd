/* What v01 and its like share. Each is a wrong program in the manner of a public benchmark, and right with -DFIXED. */
#pragma once
#include "../correct.h"
#include "../settle.h"
#include <assert.h>
#define MUTEX(m) static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER
#ifdef FIXED
#define RIGHT(...) __VA_ARGS__
#define WRONG(...)
#else
#define RIGHT(...)
#define WRONG(...) __VA_ARGS__
#endif
