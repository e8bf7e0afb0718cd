/* Automata as written: states with a name, and per event where it leads.
 *
 * A state is F if it is an error state, M if it accepts, else ?. If no transition fits, the run is dead: F for ever. If one
 * event of the program is several of the property's at once, the transition that the state lists first wins; `else` fits only if
 * none that names an event does. */
#ifndef NORN_MONITOR_FSM_H
#define NORN_MONITOR_FSM_H

#include "monitor/automata/dfa.h"

/* State i is the property's state i (the initial one need not be 0); a dead state is added if there is need of one. */
int norn_fsm_make(const struct norn_property *property, const struct norn_letters *letters, struct norn_limits *limits,
        struct norn_dfa *ret_dfa, struct norn_error *err);

#endif
