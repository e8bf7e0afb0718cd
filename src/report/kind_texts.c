#include "report/kind_texts.h"

static const struct norn_kind_text texts[] = {
        [NORN_FINDING_RACE] = {"DataRace", "Two threads access the same memory at once, and one of them writes.",
                "The behaviour of such a program is undefined (C17, 5.1.2.4): updates are lost, a value may be read half written, "
                "and the "
                "compiler may assume that it does not happen, and read a variable twice or not at all.",
                "Guard both accesses by one lock, or make both atomic.", "races", false},
        [NORN_FINDING_DEADLOCK] = {"Deadlock", "Each of several threads waits for what the next one holds.",
                "The threads block for ever, and with them whatever waits for them: the service stops answering, without a "
                "message "
                "and without load on the processor.",
                "Take these locks in the same order everywhere, or back off by trylock.", "deadlocks", false},
        [NORN_FINDING_ATOMICITY] = {"AtomicityViolation", "Another thread gets between steps that belong together.",
                "Each access is guarded, so that no race is reported, and the result is wrong all the same: what was looked at "
                "first "
                "is no longer true when the thread acts on it.",
                "Hold one lock over the whole block, and wherever others touch what it works on.", "broken-atomicity", false},
        [NORN_FINDING_USE_AFTER_FREE] = {"UseAfterFree", "Memory is used after another thread may have freed it.",
                "The block may belong to something else by then: data of others are read or written, the program crashes later "
                "and elsewhere, and an attacker who can time it may run code.",
                "Let the last user free it: wait for the others, or count them.", "uses-after-free", true},
        [NORN_FINDING_DOUBLE_FREE] = {"DoubleFree", "Memory is freed twice.",
                "The allocator's own data are damaged, or a block that was given away again in between is taken from its owner.",
                "Let one thread own it, or count its users.", "uses-after-free", true},
        [NORN_FINDING_USE_AFTER_RETURN] = {"UseAfterReturn",
                "A local variable is used by another thread after its function may have returned.",
                "The stack is used again by the next call: another function's variables, or its return address, are read or "
                "written.",
                "Keep it in memory that lives longer, or wait for the other thread before returning.", "uses-after-free", true},
        [NORN_FINDING_NULL] = {"NullDereference",
                "A pointer that other threads write is dereferenced when it may be null: not set yet, or cleared.",
                "The program crashes there; in code that maps the first page, it reads or writes what lies there.",
                "Look whether the pointer is null, under the lock that guards it; or set it before others can read it, and clear "
                "it when none can.",
                "null-dereferences", true},
        [NORN_FINDING_PROPERTY] = {"PropertyViolation", "A property that was written for this program does not hold.",
                "What the property was written to keep from happening, happens.",
                "See the order of the steps: nothing in the program makes sure of the other one.", "", false},
        [NORN_FINDING_LIVENESS] = {"LivenessViolation", "Something that must happen eventually may never happen.",
                "The threads go on as in the loop that is shown, and what the property promises does not come.",
                "See the loop: nothing in it makes sure that it ends.", "", false},
        [NORN_FINDING_CRASH] = {"Crash", "The program was ended by a signal.", "It happened in the run that was recorded.",
                "See what its threads did last; other errors of the run may be the cause.", "programs-that-fail", false},
        [NORN_FINDING_ASSERTION] = {"AssertionFailure", "An assertion of the program failed.",
                "What the program itself says must hold does not.",
                "See what its threads did last; other errors of the run may be the cause.", "programs-that-fail", false},
};
_Static_assert(sizeof texts / sizeof *texts == NORN_FINDING_KINDS, "a kind of finding has no texts");

const struct norn_kind_text *norn_kind_text(enum norn_finding_kind kind)
{
	return &texts[kind];
}
