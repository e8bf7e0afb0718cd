/* Sandboxes that a thread enters (seccomp): from then on a system call that the sandbox does not allow ends it.
 *
 * The runtime needs system calls of its own: it writes buffers out, and asks the kernel for memory. A thread that enters a sandbox
 * which does not allow all of them is recorded up to there, and no more; nor are threads and processes that it creates later, which
 * are in the sandbox, too. Each is counted as lost. What a filter says is found out by running it, as the kernel will. */
#include "runtime/interpose/interpose.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/sys.h"

/* System calls of hooks. */
static const uint16_t needed[] = {SYS_write, SYS_close, SYS_fstat, SYS_mmap, SYS_munmap, SYS_rt_sigaction, SYS_rt_sigprocmask,
        SYS_pread64, SYS_pwrite64, SYS_sched_yield, SYS_mremap, SYS_madvise, SYS_nanosleep, SYS_getpid, SYS_gettid, SYS_futex,
        SYS_fcntl, SYS_ftruncate, SYS_openat, SYS_prlimit64, SYS_fallocate, SYS_rt_tgsigqueueinfo, SYS_process_vm_readv,
        SYS_membarrier};

/* ---- filters ---- */

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
};

static uint32_t compute(uint16_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	case BPF_XOR:
		return a ^ b;
	default:
		return -a;
	}
}

static bool holds(uint16_t test, uint32_t a, uint32_t b)
{
	switch (test) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default:
		return a & b;
	}
}

static uint32_t load(const struct machine *m, const struct sock_filter *i)
{
	uint32_t value = 0;
	switch (BPF_MODE(i->code)) {
	case BPF_ABS:
		if (i->k <= sizeof *m->data - sizeof value)
			memcpy(&value, (const char *)m->data + i->k, sizeof value);
		return value;
	case BPF_MEM:
		return i->k < BPF_MEMWORDS ? m->memory[i->k] : 0;
	case BPF_LEN:
		return sizeof *m->data;
	default:
		return i->k;
	}
}

/* One instruction that neither jumps nor returns. */
static void execute(struct machine *m, const struct sock_filter *i)
{
	switch (BPF_CLASS(i->code)) {
	case BPF_LD:
		m->a = load(m, i);
		break;
	case BPF_LDX:
		m->x = load(m, i);
		break;
	case BPF_ST:
	case BPF_STX:
		if (i->k < BPF_MEMWORDS)
			m->memory[i->k] = BPF_CLASS(i->code) == BPF_ST ? m->a : m->x;
		break;
	case BPF_ALU:
		m->a = compute(BPF_OP(i->code), m->a, BPF_SRC(i->code) == BPF_X ? m->x : i->k);
		break;
	default:
		*(BPF_MISCOP(i->code) == BPF_TAX ? &m->x : &m->a) = BPF_MISCOP(i->code) == BPF_TAX ? m->a : m->x;
	}
}

/* The filter's answer; of one that does not end, which the kernel refuses: that the thread is killed. */
static uint32_t answer(const struct sock_fprog *filter, const struct seccomp_data *data)
{
	struct machine m = {.data = data};
	for (uint32_t at = 0; at < filter->len; at++) {
		const struct sock_filter *i = &filter->filter[at];
		if (BPF_CLASS(i->code) == BPF_RET)
			return BPF_RVAL(i->code) == BPF_A ? m.a : i->k;
		if (BPF_CLASS(i->code) != BPF_JMP)
			execute(&m, i);
		else if (BPF_OP(i->code) == BPF_JA)
			at += i->k;
		else
			at += holds(BPF_OP(i->code), m.a, BPF_SRC(i->code) == BPF_X ? m.x : i->k) ? i->jt : i->jf;
	}
	return SECCOMP_RET_KILL_THREAD;
}

static bool allows(const struct sock_fprog *filter)
{
	if (!norn_sys_readable(filter, sizeof *filter) || !filter->len ||
	        !norn_sys_readable(filter->filter, filter->len * sizeof *filter->filter))
		return true; /* the kernel will refuse it */
	for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++) {
		const struct seccomp_data data = {.nr = needed[i], .arch = AUDIT_ARCH_X86_64};
		uint32_t action = answer(filter, &data) & SECCOMP_RET_ACTION_FULL;
		if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG)
			return false;
	}
	return true;
}

/* ---- entering ---- */

static bool enters(long number, const long *a)
{
	if (number == SYS_prctl && a[0] == PR_SET_SECCOMP)
		return a[1] == SECCOMP_MODE_STRICT || (a[1] == SECCOMP_MODE_FILTER && !allows((const void *)a[2]));
	if (number == SYS_seccomp)
		return a[0] == SECCOMP_SET_MODE_STRICT || (a[0] == SECCOMP_SET_MODE_FILTER && !allows((const void *)a[2]));
	return false;
}

long norn_sandbox_call(long number, const long *a)
{
	bool leaves = norn_session && enters(number, a);
	struct norn_slot *self = leaves ? norn_thread_pause() : NULL;
	long result = norn_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	/* The kernel answers a thread's number where another thread could not be taken along. */
	if (leaves && result == 0)
		norn_thread_withdraw(self);
	else if (leaves)
		norn_thread_resume(self);
	return result;
}

NORN_EXPORT int prctl(int option, ...)
{
	va_list arguments;
	long a[6] = {option};
	va_start(arguments, option);
	for (unsigned i = 1; i < 5; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	long result = norn_sandbox_call(SYS_prctl, a);
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}
