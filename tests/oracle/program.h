/* Small C-like programs, as trees: what the oracle makes up, prints, compiles (machine.h) and computes facts of (flow.h).
 *
 * Text form, in which programs are printed and can be read back (finding_text.h):
 *
 *   x=1 a=2                          initial values; all else is 0
 *   F(r){ s=x; if(s==r){ return 1; } return 0; }       functions F G H, with up to two parameters
 *   T0{ fork 1; fork 2(r); join 1; }                   threads T0 … T3; T0 starts; a parameter comes from its fork
 *   sched 0 2. 1                     (recording) run thread 0 until it blocks or ends, one step of 2, …
 *
 *   locals      i j q r s t u v      values 0..3, pointers 4..7; arithmetic is modulo 4
 *   shared      f g p w x y z        two bytes each; x.l and x.h are its bytes, @x is an atomic access
 *   orders      @~x @<x @>x @&x      relaxed, acquire, release, acq_rel; without: seq_cst. add(@~x,1) likewise. fence <; fence @;
 *   arrays      a b                  a[r] traps outside 0..1; a[r&1] does not; elements are bytes
 *   blocks      r=malloc; *r=1; s=*r; free r; (maps: they are mapped and unmapped)
 *   mutexes     K L M N, la[r&1] is M or N      lock L; unlock L; r=try L;
 *               create L; destroy L; of any lock: what is destroyed must not be used
 *   rwlocks     R S                  rdlock R; wrlock R; unlock R; r=tryrd R; r=trywr R;
 *   conditions  c d                  wait c L; r=timedwait c L; signal c; broadcast c;
 *   others init e 2; post e; take e; r=trytake e; (semaphore; it is 0 without init, and then not known) arrive; (barrier of two;
 *   which is not known without init b) once F;
 *   ranges      copy x y; (x=y by memcpy)  set x e; (memset)  x.d is x and y, as 16 bytes
 *   rmw         r=add(x,1); r=xchg(x,s); r=cas(x,0,1);
 *   control     if(e){…}else{…} while(x==1){…} for(i<2){…} break; return e; r=F(e,e); exit; assert(e); r=div(e,e);
 *   marks       begin; end; (of an atomic block)  mark A; mark B; mark C;
 *   calls       r=rand; (keeps a hidden state)  opaque; (unknown code; it lets w be x+1)
 *   resources   r=look; r=watch; (read U, V)  put e; (U=e)  r=swap e; (r=U; U=e)  r=carry e; (r=U; V=U+e)
 *               lateswap, latecarry: which do so when they end, not when they begin
 *
 * Locks that the thread holds already are not taken again, those that it does not hold are not given up: such statements do
 * nothing. */
#ifndef NORN_ORACLE_PROGRAM_H
#define NORN_ORACLE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define THREADS 4
#define FUNCTIONS 3
#define BODIES (THREADS + FUNCTIONS) /* T0 … T3, F G H */
#define LOCALS 8
#define STATEMENTS 160
#define SCHEDULE 400

enum variable { VAR_F, VAR_G, VAR_P, VAR_W, VAR_X, VAR_Y, VAR_Z, VAR_A, VAR_B, VARIABLES };
enum lock { MUTEX_K, MUTEX_L, MUTEX_M, MUTEX_N, RWLOCK_R, RWLOCK_S, LOCKS };
#define BLOCKS 4
#define POINTER 4 /* of block 0; 0 is the null pointer */

enum operation { E_CONST, E_LOCAL, E_ADD, E_SUB, E_AND, E_XOR, E_EQ, E_NE, E_LT, E_NOT };

/* c, or local a, or local a op (local b, if b is not negative, else c). */
struct expression {
	uint8_t op;
	int8_t a, b;
	uint8_t c;
};

enum place_kind { PLACE_SCALAR, PLACE_ARRAY, PLACE_BLOCK };
enum part { PART_WHOLE, PART_LOW, PART_HIGH, PART_DOUBLE }; /* DOUBLE: this variable and the next one, 16 bytes; of ranges only */

struct place {
	uint8_t kind, variable, part;
	bool masked, atomic;
	uint8_t order; /* enum norn_site_order of an atomic access; 0: seq_cst */
	struct expression index; /* array: element; block: pointer */
};

enum statement_kind {
	S_NONE,
	S_LOCAL, /* dst = e */
	S_READ, /* dst = place */
	S_WRITE, /* place = e */
	S_ADD, /* dst = add(place, e) */
	S_XCHG,
	S_CAS, /* dst = cas(place, e, e2): the old value */
	S_IF, /* e, body, other */
	S_WHILE, /* while (place e.op e.c) body: reads place in each round */
	S_FOR, /* for (dst < e) body */
	S_BREAK,
	S_RETURN, /* e */
	S_CALL, /* dst = F(e, e2) */
	S_LOCK, /* number: lock; masked: la[e & 1] */
	S_UNLOCK,
	S_TRYLOCK, /* dst = success */
	S_RDLOCK,
	S_TRYRDLOCK,
	S_FORK, /* number: thread; e: argument */
	S_JOIN,
	S_WAIT, /* number: condition; lock */
	S_SIGNAL,
	S_BROADCAST,
	S_INIT, /* number: value; masked: of the barrier, without one */
	S_POST,
	S_TAKE,
	S_TRYTAKE,
	S_ARRIVE,
	S_ONCE, /* number: function */
	S_MALLOC, /* dst */
	S_FREE, /* e */
	S_EXIT,
	S_ASSERT, /* e */
	S_DIV, /* dst = e / e2 */
	S_BEGIN,
	S_END,
	S_MARK,
	S_RAND, /* dst */
	S_OPAQUE,
	S_COPY, /* place = place2, as memcpy does */
	S_SET, /* both bytes of place = e */
	S_TIMEDWAIT, /* as S_WAIT; dst = whether it was notified */
	S_CREATE, /* number: lock */
	S_DESTROY,
	S_RESOURCE, /* number: enum resource_form; dst; e; masked: late */
	S_FENCE, /* number: enum norn_site_order */
	STATEMENT_KINDS
};

enum resource_form { RESOURCE_LOOK, RESOURCE_WATCH, RESOURCE_PUT, RESOURCE_SWAP, RESOURCE_CARRY };

struct statement {
	uint8_t kind, number, lock;
	int8_t dst; /* local, negative: none */
	bool masked;
	struct expression e, e2;
	struct place place, place2;
	uint8_t body, other, next; /* first statements of the parts; the next in the list; 0: none */
};

struct program {
	struct statement statements[STATEMENTS]; /* 0 is not used */
	uint8_t count;
	uint8_t first[BODIES]; /* of threads, then functions; 0: empty */
	uint8_t initial[VARIABLES]; /* low bytes */
	uint8_t parameters[BODIES]; /* how many: their locals are r and s */
	bool announces; /* calls of functions are recorded before, as of those in other files */
	bool maps; /* malloc maps memory, and free unmaps it; who accesses or unmaps it then ends the process */
	bool dirty; /* malloc returns memory as it was left; else it is zero */
	bool atomic; /* function F is meant to be atomic */
	bool returns; /* T0 returns from main, which ends the process; else only the thread ends */
	uint8_t schedule[SCHEDULE]; /* thread, or 0x80 | thread for a single step */
	unsigned steps;
};

#define PARAMETER_LOCAL 3 /* the first parameter is local r, the second s */

static inline unsigned evaluate(const struct expression *e, const uint8_t *locals)
{
	unsigned a = e->op == E_CONST ? 0 : locals[e->a], b = e->b >= 0 ? locals[e->b] : e->c;
	switch (e->op) {
	case E_CONST:
		return e->c;
	case E_LOCAL:
		return a;
	case E_ADD:
		return (a + b) & 3;
	case E_SUB:
		return (a - b) & 3;
	case E_AND:
		return a & b & 3;
	case E_XOR:
		return (a ^ b) & 3;
	case E_EQ:
		return a == b;
	case E_NE:
		return a != b;
	case E_LT:
		return a < b;
	default:
		return !a;
	}
}

/* The lock that a statement names, given what its index is worth. */
static inline unsigned lock_of(const struct statement *s, const uint8_t *locals)
{
	return s->masked ? MUTEX_M + (evaluate(&s->e, locals) & 1) : s->number;
}

#endif
