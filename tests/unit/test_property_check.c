/* What the checker complains about, and where: text and all diagnostics about it, in the order in which they are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "checked.h"

struct vector {
	const char *text;
	const char *diagnostics; /* "line:column severity: message; help\n" … */
};

/* clang-format off */
static const struct vector names[] = {
	{"var a = x; var a = y;", "1:16 error: `a` is declared twice; the first stands in line 1\n"},
	{"var a = x; event a = note \"n\";", "1:18 error: `a` is declared twice; the first stands in line 1\n"},
	{"var b = struct acct.balance; property p { race on b, a[*], struct x.y except c; } property q { deadlock on m; }", ""},
	{"var z = x.y; property p { ltl: z[3] == 1 && x.y[3] == 1; }", ""},
	{"lock m = x; property p { ltl: m; }", "1:31 error: `m` is a lock, not a value; name an event, as in `event e = lock m;`\n"},
	{"property p { ltl: x; } property p { ltl: y; }", "1:33 error: `p` is declared twice; the first stands in line 1\n"},
	{"property value { ltl: x; } var value = x;", "1:32 error: `value` already stands for a fact about the event; choose another name\n"},
};

static const struct vector forms[] = {
	{"property p { ltl: G x == 0; }", "1:19 error: `G x` is true or false, not a number; write `G (x == 0)`\n"},
	{"property p { ltl: G F x == 0; }", "1:19 error: `G F x` is true or false, not a number; write `G F (x == 0)`\n"},
	{"property p { ltl: !x == 0; }", "1:19 error: `!x` is true or false, not a number; write `!(x == 0)`\n"},
	{"property p { ltl: G (x == 1) == 1; }", "1:19 error: `G (x == 1)` is true or false, not a number; `<->` compares truths\n"},
	{"property p { ltl: (a == 1) == (b == 1); }", "1:19 error: `a == 1` is true or false, not a number; `<->` compares truths\n"
		"1:31 error: `b == 1` is true or false, not a number; `<->` compares truths\n"},
	{"property p { ltl: (a == 1) != (b == 1); }", "1:19 error: `a == 1` is true or false, not a number; `xor` compares truths\n"
		"1:31 error: `b == 1` is true or false, not a number; `xor` compares truths\n"},
	{"event e = note \"e\"; property p { ltl: e == 1; }", "1:39 error: `e` is an event, not a number; an event happens or does not: it needs no comparison\n"},
	{"event e = note \"e\"; property p { ltl: e + 1 > 0; }", "1:39 error: `e` is an event, not a number; an event happens or does not: it needs no comparison\n"},
	{"property p { ltl: once x; }", "1:19 error: `once` looks back, which ltl does not; write the property in `ptltl`\n"},
	{"property p { ptltl: F x; }", "1:21 error: `F` looks ahead, which ptltl does not; write the property in `ltl`\n"},
	{"property p { ptltl: G x; }", "1:21 error: `G` looks ahead, which ptltl does not; leave it away: ptltl must hold at every position; or write the property in `ltl`\n"},
	{"property p { ptltl: a -> (b U c); }", "1:26 error: `U` looks ahead, which ptltl does not; write the property in `ltl`\n"},
	{"property p { ltl: @j x; }", "1:19 error: `@` is only known in mttl; write the property in `mttl`\n"},
	{"property p { ltl: read(x); }", "1:19 error: `read()` is only known in mttl; declare an event, as in `event e = read x;`\n"},
	{"property p { ltl: forall j. x; }", "1:19 error: `forall` is only known in mttl; write the property in `mttl`\n"},
	{"property p { ltl: count(a) == 1; }", "1:19 error: `count()` is only known in the atoms of a scope\n"},
	{"property p { ltl: value == 1; }", "1:19 error: `value` is a fact about an event, known in selectors and handlers only; for a variable of the program write `var my_value = value;`, and use `my_value`\n"},
	{"property p { ltl: suspend(5); }", "1:19 error: no event or predicate is called `suspend`; declare an event, as in `event suspend_called = call suspend(...);`\n"},
	{"event suspend(c) = call f(c); property p { ltl: G (suspend(5) -> X !suspend(x + 1)) && suspend(_) && suspend; }", ""},
	{"event suspend(c) = call f(c); property p { ltl: suspend(5, 6); }", "1:49 error: the event `suspend` has 1 parameter, not 2; write `suspend` for any arguments, or `_` for one that does not matter\n"},
	{"event suspend(c) = call f(c); property p { ltl: suspend(x == 1); }", "1:57 error: an argument is a number, not a truth\n"},
	{"event suspend(c) = call f(c); property p { ltl: suspend(once x); }", "1:57 error: `once` looks along the run, but an event's argument is about one event\n"},
	{"property p { ltl: struct acct.balance == 0; }", "1:19 error: `struct acct.balance` stands for that field of every object, and has no one value; name it in an event, as in `event e = write struct acct.balance;`\n"},
	{"property p { ltl: a[*] == 0; }", "1:19 error: `a[*]` stands for many elements, and has no one value; name one element, or an event, as in `event e = write a[*];`\n"},
	{"property p { race on struct acct; }", "1:22 error: `struct acct` is a type, not a variable; name a field, as in `struct acct.field`\n"},
	{"property p { ltl: 1 / 0 == x; }", "1:19 error: this divides by zero\n"},
	{"property p { ltl: x % 0 == 1; }", "1:19 error: this divides by zero\n"},
	{"property p { ltl: x == 0xffffffffffffffff && -x == 5 && ~x == 3; }", ""},
	{"property p { ltl: x == x || y; }", "1:19 warning: this formula is always true, whatever happens\n"},
	{"property p { ltl: x || !x; }", "1:19 warning: this formula is always true, whatever happens\n"},
	{"property p { ltl: 5 < x && x >= 5 && x <= 5 && 5 >= x && y < x && x > y && x >= y && x != y && y == x && 3 + x == y && (x + 3) * 2 - (y - 1) == 0; }", ""},
	{"property p { ltl: x.y[3].z == 1 && \"f.c\"::st == 2 && fn::st == 3; }", ""},
	{"property p { ptltl: prev true && hist x && (x S true) && (false SW y) && [true, y) && once false; }", "1:21 warning: this formula is always false, whatever happens\n"},
	{"property p { ptltl: prev x && (prev x || y) && start(x) && end(x); }", ""},
	{"event e = write struct acct.balance | write a[*]; event f = lock m | unlock m; property p { ltl: G (e -> F f); }", ""},
	{"property p { ltl: x.y; } event x = note \"x\";", "1:19 error: `x` has no parts\n"},
	{"property p { ltl: x -> once y && z == once w; }", "1:24 error: `once` looks back, which ltl does not; write the property in `ptltl`\n"
		"1:39 error: `once` looks back, which ltl does not; write the property in `ptltl`\n"},
};

static const struct vector events_and_ghosts[] = {
	{"ghost g = 0 { e: value; } event e = note \"n\";", "1:18 error: `value` is a fact about an event, known in selectors and handlers only; for a variable of the program write `var my_value = value;`, and use `my_value`\n"},
	{"ghost g = x { e: 1; } event e = note \"n\";", "1:11 error: the first value of a ghost is a constant\n"},
	{"ghost g = 1 + 2 { ee: 1; } event e = note \"n\";", "1:19 error: no event is called `ee`; did you mean `e`?\n"},
	{"ghost g = 0 { e: g + 1; e: 2; } event e = note \"n\"; property p { ptltl: g > 2; }", "1:25 error: `e` updates `g` twice\n"},
	{"event e(c) = call f(c) | call g(_);", "1:26 error: this selector does not bind the parameter `c` of `e`; name it among the arguments, as in `g(c)`\n"},
	{"event e(c) = write x;", "1:14 error: this selector does not bind the parameter `c` of `e`; only arguments and results of functions can be bound\n"},
	{"event e(c) = call f(c, c);", "1:24 error: `c` is bound twice; write `_` for an argument that does not matter\n"},
	{"event e = call f(..., x);", "1:18 error: `...` stands for all further arguments, so it is the last\n"},
	{"event e = call f(x) -> r;", "1:24 error: a call has no result yet; write `return f(…) -> r`\n"},
	{"event e = return f(x, ...) -> r if r != 0 && x < 5 && value > 0;", ""},
	{"event e = call f(x) if value == 1;", "1:24 error: `call` has no `value`\n"},
	{"event e = read x if old == 1;", "1:21 error: `read` has no `old`\n"},
	{"event e = write x if old != value && tid == 1 && self != 0;", ""},
	{"event e = call f(x) if y by reader;", "1:29 error: no thread type is called `reader`; declare it, as in `thread reader = spawn(start_routine);`\n"},
	{"thread reader = spawn(r); event e = call f(x) by raeder;", "1:50 error: no thread type is called `raeder`; did you mean `reader`?\n"},
	{"thread reader = spawn(r); event e = start reader by reader; event f = exit worker;", "1:53 error: the thread type is given already; leave `by` away\n"},
	{"event e = note \"e\" if e; ", "1:23 error: `e` is an event, which only formulas, expressions and automata can name\n"},
	{"ghost g = 0 { e: 1; } event e = note \"e\" if g; ", "1:45 error: a ghost cannot be named in a selector: ghosts change when events happen, not the other way round\n"},
	{"event e = note \"e\" if once x; ", "1:23 error: `once` looks along the run, but a selector's condition is about one event\n"},
	{"event value = note \"x\"; event e(value) = call f(value);", "1:7 error: `value` already stands for a fact about the event; choose another name\n"
		"1:33 error: `value` already stands for a fact about the event; choose another name for the parameter\n"
		"1:49 error: `value` already stands for a fact about the event; choose another name\n"},
	{"event e = call f(_) if 1 + true == 2;", "1:28 error: `true` is true or false, not a number\n"},
	{"ghost g = 0 { e: c + d; } event e(c) = call f(c); property p { ptltl: g == 1 && d; }", ""},
	{"ghost g = 0 { e: k.x; } event e(k) = call f(k);", "1:18 error: `k` is a value, and has no parts\n"},
};

static const struct vector predicates[] = {
	{"pred p = q; pred q = p; property x { ltl: p; }", "1:6 error: the predicate `p` is defined through itself; `p` → `q` → `p`\n"},
	{"pred p(a) = a == 0; property x { ltl: p(y) && p(z) && !p(1); }", ""},
	{"pred p(a) = a == 0; property x { ltl: p; }", "1:39 error: the predicate `p` has 1 parameter, not 0\n"},
	{"pred p(a) = a == 0; property x { ltl: p(1, 2); }", "1:39 error: the predicate `p` has 1 parameter, not 2\n"},
	{"pred p(q) = q.head == 0; property x { ltl: p(y.z) && y.z.head == 0; }", ""},
	{"pred p(q) = q.head == 0; property x { ltl: p(1 + 2); }", "1:46 error: `q` needs a variable here\n"},
	{"pred p(q) = q.head == 0; pred r(w) = p(w.n); property x { ltl: r(y); }", ""},
	{"pred big = value > 10; event e = write x if big; property p { ltl: big; }", "1:12 error: `value` is a fact about an event, known in selectors and handlers only; for a variable of the program write `var my_value = value;`, and use `my_value`\n"},
};

static const struct vector keys[] = {
	{"event s(c) = call f(c); event t(d) = call f(d); property p { per c; ltl: G (s -> F t); }", ""},
	{"event s(c, d) = call f(c, d); event t(d) = call f(d); property p { per c, d; ltl: G (s -> F t); }", "1:93 error: `t` binds 1 of the keys of `p`, but not `c`: an event binds all keys or none; give `t` the parameter `c`\n"},
	{"event s(c) = call f(c); property p { per c; ptltl: s -> c > 5; on violation: report(\"%p\", c); }", ""},
	{"event e(c) = call f(c); property p { per c; ltl: e(c) && c.x == 0; }", "1:58 error: `c` is a value, and has no parts\n"},
};

static const struct vector automata[] = {
	{"event s(c, d) = call f(c, d); event t = note \"t\"; property p { per c, d; ere: (s t)*; }", ""},
	{"event s(c) = call f(c); property p { per k; ere: s; }", "1:42 error: no event of `p` has a parameter `k`; give its events that parameter, as in `event e(k) = call f(k);`\n"},
	{"event s = note \"s\"; property p { fsm { a { s -> b; } } }", "1:40 error: no state of the fsm is initial; write `initial a { … }`\n"
		"1:49 error: the fsm has no state `b`\n"},
	{"event s = note \"s\"; property p { fsm { initial a { s -> c; } initial b { s -> a; } } }", "1:57 error: the fsm has no state `c`\n"
		"1:70 error: an fsm has one initial state, and `b` is another; the other is `a`, line 1\n"},
	{"event s = note \"s\"; property p { fsm { initial a { s -> a; } b { s -> a; } } on state c: report; }", "1:62 warning: the state `b` cannot be reached\n"
		"1:87 error: the fsm has no state `c`\n"},
	{"event s = note \"s\"; property p { fsm { initial a { s -> a; s -> b; else -> a; else -> b; } b { } b { } } }", "1:60 error: the state `a` has two transitions for `s`\n"
		"1:87 error: the state `a` has two `else`\n"
		"1:98 error: `b` is declared twice; the first stands in line 1\n"},
	{"property p { fsm { initial a { } } }", "1:10 warning: `p` names no event, so nothing ever happens to it\n"},
	{"property p { ere: a b; }", "1:19 error: no event is called `a`; declare it, as in `event a = call f(...);`\n"
		"1:21 error: no event is called `b`; declare it, as in `event b = call f(...);`\n"},
	{"event abc = note \"x\"; property p { ere: abd b; } var b = x;", "1:41 error: no event is called `abd`; did you mean `abc`?\n"
		"1:45 error: `b` is not an event; it is declared in line 1\n"},
	{"event a = note \"x\"; property p { forbid: .* a{3,2}; }", "1:47 error: this repetition is at least 3 and at most 2; the smaller number comes first\n"},
	{"event e = note \"e\"; property p { forbid: e; on fail: report; on violation: report; on match: reset; } property q { ere: e; on satisfaction: report; }", "1:124 error: ere has no outcome `satisfaction`; it can have: violation, match, fail, inconclusive\n"},
};

static const struct vector attributes_and_handlers[] = {
	{"property p [predict=mcv] { ltl: x; }", "1:21 error: `mcv` is no value of `predict`; did you mean `mvc`?\n"},
	{"property p [perdict=mvc] { ltl: x; }", "1:13 error: no attribute is called `perdict`; did you mean `predict`?\n"},
	{"property p [end=open, end=finite] { ltl: x; }", "1:23 error: `end` is given twice\n"},
	{"property p { ltl: x; on match: report; }", "1:22 error: ltl has no outcome `match`; it can have: violation, satisfaction, inconclusive\n"},
	{"property p { ltl: x; on violation: report(\"%d %d\", x); }", "1:36 error: the format has 2 conversions, but report has 1 argument for it\n"},
	{"property p { ltl: x; on violation: report(\"%s\", x); }", "1:36 error: `%s` cannot be shown: events carry numbers, not strings; write %d, %u, %x, %c, %p or, for floating point, %g; %% is a percent sign\n"},
	{"property p { ltl: x; on violation: report(\"%q\", x); }", "1:36 error: `%q` is no conversion that report knows; write %d, %u, %x, %c, %p or, for floating point, %g; %% is a percent sign\n"},
	{"property p { ltl: x; on violation: report(\"%g\", x); }", ""},
	{"property p { ltl: x; on violation: report(\"100%% %5d %lx %c\", x, value, tid + 1), abort, reset, call f(x, old); }", ""},
	{"ghost busy = false { e: true; } event e = note \"e\"; property p { ptltl: busy -> e; on violation: report(\"%d\", busy); }", ""},
	{"property p { race; on satisfaction: report; } property q { deadlock; on violation: reset; }", "1:20 error: race has no outcome `satisfaction`; it can have: violation\n"
		"1:84 error: deadlock has nothing to reset\n"},
	{"property p { ptltl: x; on violation: report(\"%d%\"); }", "1:38 error: the format ends in the middle of a conversion; write %% for a percent sign\n"},
	{"property p [end=later] { ltl: x; }", "1:17 error: `later` is no value of `end`; it is one of open, finite, stutter\n"},
};

static const struct vector mttl[] = {
	{"property p { mttl for i: x -> @j y; }", "1:32 error: no thread is called `j` here; quantify it, as in `exists j != i. …`\n"},
	{"property p { mttl for i: forall j != k. x; }", "1:38 error: no thread is called `k` here; quantify it, as in `exists k != i. …`\n"},
	{"property p { mttl for i: forall i != i. x; }", "1:33 error: `i` already names a thread here; choose another name\n"},
	{"property p { mttl for i: i == 0; }", "1:26 error: `i` is a thread, not a value; `@i x` is what is known of `x` in that thread\n"},
	{"property p { mttl for i: F x; }", "1:26 error: `F` looks ahead, which mttl does not; mttl has prev, once, hist, start, end, S, SW and intervals\n"},
	{"property p { mttl for i: t: read(struct a.b) || read(e); } event e = note \"e\";", "1:26 error: no thread type is called `t`; declare it, as in `thread t = spawn(start_routine);`\n"
		"1:34 error: `struct a.b` stands for many variables, and mttl must know which\n"
		"1:54 error: `e` is not a variable of the program\n"},
	{"property p { per c; mttl for i: x; }", "1:18 error: `per` is for ptltl, ltl, ere, forbid and fsm\n"},
};

static const struct vector scopes[] = {
	{"scope s sync e { local l for t: ltl F a; atom q = some(k); check : ltl G q; } event e = note \"e\"; event a = note \"a\";", "1:30 error: no thread type is called `t`; declare it, as in `thread t = spawn(start_routine);`\n"
		"1:56 error: the scope has no local `k`\n"},
	{"thread t = main; scope s sync e { local l for t: ltl F a; atom q = some(l) && count(l, t) <= size(t); check : ltl G (q -> l); check x: ptltl F q; } event e = note \"e\"; event a = note \"a\";", "1:123 error: `l` is a local, with a verdict for each thread; count its threads, as in `some(l)`\n"
		"1:142 error: `F` looks ahead, which ptltl does not; write the property in `ltl`\n"},
	{"thread t = main; scope s sync e { local l for t: ltl F a; atom q = l; atom r = x == 0; check : ltl G zz; } event e = note \"e\"; event a = note \"a\";", "1:68 error: `l` is a local, with a verdict for each thread; count its threads, as in `some(l)`\n"
		"1:80 error: an atom is made of all, some, none, count and size of locals, and `x` is no other atom\n"
		"1:102 error: a check is made of the atoms of its scope, and `zz` is none\n"},
	{"thread t = main; scope s sync e { local a for t: ltl F a; } event e = note \"e\"; event a = note \"a\";", "1:24 warning: the scope `s` checks nothing\n"
		"1:41 error: `a` is declared twice; the first stands in line 1\n"},
	{"thread x = main; event x = note \"x\"; property x { ltl: x; } scope x sync x { check : ltl true; }", "1:67 error: `x` is declared twice; the first stands in line 1\n"},
};

static const struct vector against_program[] = {
	{"property p { ltl: landing == BUSY; }", ""},
	{"property p { ltl: landing == IDLE; }", "1:30 error: `IDLE` has different values in the program's enumerations; write the number\n"},
	{"property p { ltl: BUSY() == 1; }", "1:19 error: no event or predicate is called `BUSY`; declare an event, as in `event BUSY_called = call BUSY(...);`\n"},
	{"property p { ltl: landign == 1; }", "1:19 error: `landign` is not declared, and the program has no variable of that name; did you mean `landing`?\n"},
	{"property p { ltl: G (landing == 1 -> radio); on violation: call wroker(); }", "1:65 warning: the program has no function `wroker`, so this action cannot be run; did you mean `worker`?\n"},
	{"property p { ltl: tries < 0 || tries >= 0 || radio == 2 || tries == 4294967296 || landing < -2147483648 || bank[0].open > 3 || 3 >= bank[0].open; }", "1:19 warning: this is always false, since no unsigned int is negative\n"
		"1:19 warning: this formula is always true, whatever happens\n"
		"1:32 warning: this is always true, since no unsigned int is negative\n"
		"1:46 warning: this is always false, since no _Bool is so large\n"
		"1:60 warning: this is always false, since no unsigned int is so large\n"
		"1:83 warning: this is always false, since no int is so small\n"
		"1:108 warning: this is always false, since no bit-field of 2 bits is so large\n"
		"1:128 warning: this is always true, since no bit-field of 2 bits is so large\n"},
	{"property p { ltl: tries == 3.4 || landing != -2.5 || speed == 3.4 || 2.5f != landing || tries == 3.0; }", "1:19 warning: this is always false, since no unsigned int is 3.4\n"
		"1:35 warning: this is always true, since no int is -2.5\n"
		"1:70 warning: this is always true, since no int is 2.5\n"},
	{"property p { ltl: G !(landing == \"bad\"); }", "1:23 error: `landing` is no array of characters, no pointer to characters and no std::string\n"},
	{"property p { ltl: G !(landing > \"bad\"); }", "1:22 error: strings have no order here; strings are compared by `==` and `!=`\n"},
	{"property p { ltl: quota == 3.4 || quota == 3.4f || quota == 2.5 || quota < 3.4; }", "1:19 warning: this is always false, since no float is 3.4; write `3.4f`, which is rounded to a float as the variable is, or compare with a range\n"},
	{"ghost g = 1.5 { } property p { ltl: g > 1; }", "1:11 error: a ghost begins with an integer; begin with an integer; an event may make it a floating-point number\n"},
	{"property p { ltl: speed < 3.4.5; }", "1:27 error: this is no number; floating-point numbers are written as in C: 3.4, 3.4f, 1e-6\n"},
	{"property p { ltl: speed % 2 == 1; }", "1:19 error: `%` is not defined for floating-point numbers\n"},
	{"property p { ltl: speed >= 2 && speed < 3 && speed > 2 && speed <= 3; on violation: report(\"%d\", speed); }", "1:85 error: `%d` shows an integer, but argument 1 is a floating-point number; write %g\n"},
	{"property p { ltl: exact > 1; }", "1:19 error: `exact` is `long double`: values have at most 64 bits\n"},
	{"property p { ltl: own > 1; }", "1:19 error: `own` is thread-local: it has a value for each thread, and its accesses are not recorded; use a ghost, which is a variable of each thread, too\n"},
	{"property p { ltl: count > 1; }", "1:19 error: the program has 3 variables called `count`; write `\"one.c\"::count`, `\"two.c\"::count` or `transfer::count`\n"},
	{"property p { ltl: \"one.c\"::count > 1 && transfer::count == 2 && hidden == 1 && \"two.c\"::count; }", ""},
	{"property p { ltl: tranfer::count > 1; }", "1:19 error: the program has no function `tranfer`; did you mean `transfer`?\n"},
	{"property p { ltl: transfer::cuont > 1; }", "1:29 error: the function `transfer` has no static variable `cuont`; did you mean `count`?\n"},
	{"property p { ltl: \"three.c\"::count > 1; }", "1:30 error: the file \"three.c\" has no variable `count`; there is a `count` elsewhere in the program\n"},
	{"property p { ltl: transfer > 1; }", "1:19 error: `transfer` is not declared, and the program has no variable of that name; it is a function: declare an event, as in `event e = call transfer(...);`\n"},
	{"property p { ltl: transfer(1); }", "1:19 error: no event or predicate is called `transfer`; declare an event, as in `event transfer_called = call transfer(...);`\n"},
	{"property p { ltl: bank == 1; }", "1:19 error: `bank` is an array, not a value; name an element, as in `bank[0]`\n"},
	{"property p { ltl: bank[0] == 1; }", "1:19 error: `bank[0]` is a struct acct, not a value; name a field, as in `bank[0].balance`\n"},
	{"property p { ltl: bank[10].balance == 1; }", "1:19 error: `bank` has no element 10; the last one is `bank[9]`\n"},
	{"property p { ltl: bank[9].balence == 1; }", "1:27 error: struct acct has no field `balence`; did you mean `balance`?\n"},
	{"property p { ltl: bank.balance == 1; }", "1:24 error: `bank` is an array, and has no fields; name an element, as in `bank[0]`\n"},
	{"property p { ltl: first.next.next.limits.max == 1 && first[2].balance == 3 && bank[3].next.open == 1; }", ""},
	{"property p { ltl: landing.x == 1; }", "1:27 error: `landing` is `int`, and has no fields\n"},
	{"property p { ltl: landing[1] == 1; }", "1:19 error: `landing` is `int`, and has no elements\n"},
	{"property p { ltl: stripped == 1 && phase == 2; }", ""},
	{"property p { ltl: stripped.x == 1; }", "1:28 error: `stripped` is of a type that is not known, and has no fields; compile the program with -g\n"},
	{"property p { ltl: phase.x == 1; }", "1:19 error: `phase` is a value that norn_set gives, and has no parts\n"},
	{"event e = call foreign();", "1:16 error: the calls of `foreign` are not recorded, since it has no hooks of norn cc; compile its file with `norn cc`; if the optimiser put it into its callers, give it __attribute__((noinline)), or compile with -O1\n"},
	{"event e = call transfer(a);", "1:11 error: the function `transfer` has 2 parameters, not 1; write `transfer(_, _)`, or `transfer(...)`\n"},
	{"event e = call transfer(a, ...); event f = return transfer(a, b) -> r if r < 0 && b < 0; event g = return worker() -> r;", "1:83 warning: this is always false, since no unsigned int is negative\n"
		"1:119 error: the function `worker` has no result\n"},
	{"event e = call trnsfer(a);", "1:16 error: the program has no function `trnsfer`; did you mean `transfer`?\n"},
	{"thread t = spawn(wroker); event e = start t; event f = exit worker; event g = exit main;", "1:18 error: the program has no function `wroker`; did you mean `worker`?\n"
		"1:84 error: the program has no function `main`; it must be compiled by norn cc; the optimiser removes functions that do nothing, and puts small ones into their callers: see docs/property-language.md\n"},
	{"property p { race on struct acct.balance, struct acct.limits.max, bank[*].history[*], bank[*].balance, first.history[*]; }", "1:67 error: only one `[*]` can be followed at a time; `bank[*].history` stands for all of it\n"},
	{"property p { race on struct acc.balance, struct acct.balanc, struct acct.next.balance, bank[*].next.balance; }", "1:29 error: the program has no struct `acc`; did you mean `acct`?\n"
		"1:54 error: struct acct has no field `balanc`; did you mean `balance`?\n"
		"1:79 error: the pointers of all objects cannot be followed at once; write `struct acct.balance`\n"
		"1:101 error: the pointers of all objects cannot be followed at once; write `struct acct.balance`\n"},
	{"lock m = mutex_pointer; event e = lock m; event f = unlock mutex; property p { deadlock on mutex; } property q { ltl: mutex; }", "1:119 error: `mutex` is a union pthread_mutex_t, not a value; name a field, as in `mutex.field`\n"},
	{"property p { ltl: landing; on violation: call transfer(1); }", "1:42 error: the function `transfer` has 2 parameters, not 1\n"},
	{"property p { atomic call foreign, call nothing, block \"x\"; }", "1:26 error: the calls of `foreign` are not recorded, since it has no hooks of norn cc; compile its file with `norn cc`; if the optimiser put it into its callers, give it __attribute__((noinline)), or compile with -O1\n"
		"1:40 error: the program has no function `nothing`; it must be compiled by norn cc; the optimiser removes functions that do nothing, and puts small ones into their callers: see docs/property-language.md\n"},
	{"var r = radio; property p { ltl: r == 1 && radio == 1; }", ""},
	{"property p { ltl: speed >= 2 && 3 < speed && speed == speed; on violation: report(\"%g %d\", speed, landing); }", ""},
	{"property p { race on struct acct.history[*], struct acct.history[1], bank[3].history[*]; }", "1:46 error: elements of a field of every object cannot be told apart; write `struct acct.history[*]`\n"},
	{"property p { mttl for i: forall j != i. (write(bank[1].balance) -> @j tries == 0); }", ""},
	{"lock m = mutex; lock m2 = m; var b = bank; event e = write b[2].limits.max if value < 0; property p { ltl: b[2].limits.max == 1 && e; }", ""},
	{"pred low(a) = a.balance < 0; property p { ltl: low(bank[1]) || low(first) || low(tries); }", "1:17 error: `tries` is `unsigned int`, and has no fields\n"},
};
/* clang-format on */

static void complains(const struct vector *vector, const struct norn_program *program)
{
	struct checked checked = check_text(vector->text, program);
	if (strcmp(checked.diagnostics, vector->diagnostics) != 0)
		fail_msg("%s\nis: %sshould be: %s", vector->text, checked.diagnostics, vector->diagnostics);
	check_done(&checked);
}

static void test_names(void **state)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		complains(&names[i], NULL);
}

static void test_forms(void **state)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		complains(&forms[i], NULL);
}

static void test_events_and_ghosts(void **state)
{
	for (size_t i = 0; i < sizeof events_and_ghosts / sizeof *events_and_ghosts; i++)
		complains(&events_and_ghosts[i], NULL);
}

static void test_predicates(void **state)
{
	for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++)
		complains(&predicates[i], NULL);
}

static void test_keys(void **state)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		complains(&keys[i], NULL);
}

static void test_automata(void **state)
{
	for (size_t i = 0; i < sizeof automata / sizeof *automata; i++)
		complains(&automata[i], NULL);
}

static void test_attributes_and_handlers(void **state)
{
	for (size_t i = 0; i < sizeof attributes_and_handlers / sizeof *attributes_and_handlers; i++)
		complains(&attributes_and_handlers[i], NULL);
}

static void test_mttl(void **state)
{
	for (size_t i = 0; i < sizeof mttl / sizeof *mttl; i++)
		complains(&mttl[i], NULL);
}

static void test_scopes(void **state)
{
	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
		complains(&scopes[i], NULL);
}

static void test_program(void **state)
{
	for (size_t i = 0; i < sizeof against_program / sizeof *against_program; i++)
		complains(&against_program[i], hand_program());
}

/* Properties with mistakes are left out, those without are there. */
static void test_keeps_what_is_right(void **state)
{
	struct checked checked = check_text("event e(c) = write x; event f = note \"f\"; var v = struct s; ghost g = y { f: 1; }\n"
	                                    "property a { ltl: G x; }\nproperty b { ltl: G x == 0; }\nproperty c { ltl: e; }\n"
	                                    "property d { ltl: v; }\nproperty h { ptltl: g; }\nproperty i { ere: f; }",
	        NULL);
	assert_non_null(norn_spec_property(checked.spec, "a"));
	assert_non_null(norn_spec_property(checked.spec, "i"));
	assert_int_equal(checked.spec->property_count, 2);
	assert_int_equal(checked.spec->event_count, 2);
	assert_int_equal(norn_diagnostics_errors(checked.sources), 4);
	check_done(&checked);
}

/* A text that repeats a piece. */
static char *repeated(const char *before, const char *piece, unsigned count, const char *after)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	fputs(before, f);
	for (unsigned i = 0; i < count; i++)
		fprintf(f, piece, i, i + 1);
	fputs(after, f);
	fclose(f);
	return text;
}

static void complains_about(const char *before, const char *piece, unsigned count, const char *after, const char *diagnostic)
{
	char *text = repeated(before, piece, count, after);
	struct checked checked = check_text(text, NULL);
	if (*diagnostic ? !strstr(checked.diagnostics, diagnostic) : *checked.diagnostics)
		fail_msg("%.80s…\nis: %sshould be: %s", text, checked.diagnostics, diagnostic);
	check_done(&checked);
	free(text);
}

static void test_limits(void **state)
{
	complains_about("property p { ltl: x", " && x == %u", 61, "; }", "");
	complains_about("property p { ltl: x", " && x == %u", 62, "; }",
	        "error: a property has at most 62 different atoms, and `x == 61` is one too many; split the property\n");
	complains_about("pred p0 = x;", "pred p%2$u = p%1$u && p%1$u;", 14, "property q { ltl: p14; }", "");
	complains_about("pred p0 = x;", "pred p%2$u = p%1$u && p%1$u;", 60, "property q { ltl: p60; }",
	        "error: with its predicates expanded, this formula has more than 100000 parts; split the formula\n");
	complains_about("pred p0 = x;", "pred p%2$u = !p%1$u;", 5000, "property q { ltl: p5000; }",
	        "error: with its predicates expanded, this formula nests deeper than 2000; split the formula\n");
	complains_about("pred p5000 = p0;", "pred p%1$u = !p%2$u;", 5000, "property q { ltl: p5000; }",
	        "1:6 error: the predicate `p5000` is defined through itself; `p5000` → `p0` → `p1` → `p2` → `p3` → `p4` → `p5` → "
	        "`p6` → … → `p5000`\n");
	complains_about("event e(a0", ", a%1$u_%2$u", 70, ") = call f(...);", "error: there are more than 64 parameters\n");
	complains_about("property p { ltl: x", " && x", 1500, "; }", "");
	complains_about("", "property p%1$u { ltl: once v; }\n", 100, "", "50:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_names),
	        cmocka_unit_test(test_forms),
	        cmocka_unit_test(test_events_and_ghosts),
	        cmocka_unit_test(test_predicates),
	        cmocka_unit_test(test_keys),
	        cmocka_unit_test(test_automata),
	        cmocka_unit_test(test_attributes_and_handlers),
	        cmocka_unit_test(test_mttl),
	        cmocka_unit_test(test_scopes),
	        cmocka_unit_test(test_program),
	        cmocka_unit_test(test_keeps_what_is_right),
	        cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
