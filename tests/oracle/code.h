/* Code: programs as the machine runs them, one instruction after another; and the property that watches it. */
#ifndef NORN_ORACLE_CODE_H
#define NORN_ORACLE_CODE_H

#include "program.h"

#define CODE 500

enum instruction_op {
	I_STATEMENT, /* an event, or nothing */
	I_LOCAL,
	I_BRANCH, /* goes to target if e is 0 */
	I_WHILE, /* goes to target if what was read does not fulfil the condition */
	I_FOR, /* goes to target if dst < e does not hold */
	I_COUNT, /* dst = dst + 1 */
	I_ZERO, /* dst = 0 */
	I_JUMP,
	I_RESULT, /* what will be returned */
	I_ANNOUNCE, /* an event: a call follows */
	I_CALL,
	I_ENTER,
	I_LEAVE,
	I_END,
};

struct instruction {
	uint8_t op, statement, body;
	uint16_t target;
};

/* A property: an automaton that sees marks A B C and writes of even and odd values to z; its last state is the violation. */
#define MONITOR_STATES 4
#define MONITOR_LETTERS 5
#define LETTER_Z 3

struct code {
	const struct program *program;
	struct instruction code[CODE];
	unsigned count;
	uint16_t start[BODIES];
	bool atomic_blocks;
	bool weak; /* there are memory orders other than seq_cst, or fences */
	bool monitored;
	uint8_t monitor[MONITOR_STATES][MONITOR_LETTERS];
};

/* false: the program is too long. program must outlive code. */
bool code_make(const struct program *program, struct code *ret_code);

#endif
