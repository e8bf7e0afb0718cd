/* The inside of a monitor, for the files of this room. */
#ifndef NORN_MONITOR_MACHINE_H
#define NORN_MONITOR_MACHINE_H

#include "monitor/automata/dfa.h"
#include "monitor/ptltl.h"

enum norn_machine {
	NORN_MACHINE_TABLE, /* ptLTL, small: table holds the next state by state and letter */
	NORN_MACHINE_BITS, /* ptLTL */
	NORN_MACHINE_DFA
};

struct norn_monitor {
	enum norn_machine machine;
	uint16_t *table;
	struct norn_ptltl ptltl;
	struct norn_dfa dfa;
	struct norn_letters letters; /* of the dfa */
	struct norn_alphabet alphabet;
	enum norn_logic_kind logic;
	enum norn_end end;
	uint32_t initial; /* state */
	uint32_t fsm_states; /* FSM: as written; the state of this number, if there is one, is the dead one */
};

#endif
