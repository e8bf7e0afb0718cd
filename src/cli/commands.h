/* The sub-commands that exist: one file each, in the order in which help shows them (the table is in main.c). */
#ifndef NORN_CLI_COMMANDS_H
#define NORN_CLI_COMMANDS_H

#include "jobs/options.h"

extern const struct norn_command norn_command_cc; /* cc.c */
extern const struct norn_command norn_command_cxx; /* cc.c: `norn c++` */
extern const struct norn_command norn_command_run;
extern const struct norn_command norn_command_record;
extern const struct norn_command norn_command_check, norn_command_report, norn_command_coverage; /* check.c */
extern const struct norn_command norn_command_confirm;
extern const struct norn_command norn_command_replay;
extern const struct norn_command norn_command_observe;
extern const struct norn_command norn_command_watch;
extern const struct norn_command norn_command_baseline;
extern const struct norn_command norn_command_diff;
extern const struct norn_command norn_command_explain;
extern const struct norn_command norn_command_dump;
extern const struct norn_command norn_command_stats;
extern const struct norn_command norn_command_convert;
extern const struct norn_command norn_command_prop; /* prop.c: has commands of its own */
extern const struct norn_command norn_command_scope; /* scope.c */
extern const struct norn_command norn_command_effects;
extern const struct norn_command norn_command_doctor;

extern const char norn_commit[]; /* commit.c, made by Meson */
extern const struct norn_command *const norn_commands[]; /* ends with NULL */

#endif
