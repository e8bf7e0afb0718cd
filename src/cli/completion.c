#include "cli/completion.h"

#include <string.h>

#include "cli/commands.h"
#include "jobs/say.h"

/* The first sentence of a help text, fit to stand in single quotes of any of the shells. */
static void put_sentence(FILE *to, const char *text)
{
	for (; *text && !(text[0] == '.' && (text[1] == ' ' || text[1] == 0)); text++)
		if (strchr("'[]:\\`$\"", *text))
			fputc(' ', to);
		else
			fputc(*text, to);
}

/* "prop check": the command, and the part of it; part "": it has none. */
static const char *part_of(const struct norn_command *c)
{
	const char *blank = strchr(c->name, ' ');
	return blank ? blank + 1 : "";
}

typedef void visit_command(FILE *to, const struct norn_command *command);

static void each_command(FILE *to, visit_command *visit)
{
	for (unsigned i = 0; norn_commands[i]; i++) {
		const struct norn_command *c = norn_commands[i];
		visit(to, c);
		for (unsigned k = 0; c->commands && c->commands[k]; k++)
			visit(to, c->commands[k]);
	}
}

/* ---- bash ---- */

static void bash_command(FILE *to, const struct norn_command *c)
{
	const struct norn_option *o;
	fprintf(to, "\t'%s') words='", c->name);
	for (unsigned i = 0; (o = norn_option_at(c, i)); i++)
		fprintf(to, "--%s%s", o->name, o->argument ? "= " : " ");
	for (unsigned i = 0; c->commands && c->commands[i]; i++)
		fprintf(to, "%s ", part_of(c->commands[i]));
	fputs("' ;;\n", to);
}

static void bash(FILE *to)
{
	fputs("# Completions of norn for bash; made by norn --completion bash.\n_norn()\n{\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '",
	        to);
	for (unsigned i = 0; norn_commands[i]; i++)
		fprintf(to, "%s ", norn_commands[i]->name);
	fputs("help --help --version' -- \"$word\"))\n\t\treturn\n\tfi\n"
	      "\tcase $command in\n\tprop | scope) [ \"$COMP_CWORD\" -gt 2 ] && command=\"$command ${COMP_WORDS[2]}\" ;;\n\tesac\n"
	      "\tcase $command in\n",
	        to);
	each_command(to, bash_command);
	fputs("\tesac\n\tcase $word in\n\t-*) compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	      "\t    [ \"${#COMPREPLY[@]}\" -eq 1 ] && [ \"${COMPREPLY[0]%=}\" = \"${COMPREPLY[0]}\" ] && compopt +o nospace "
	      "2>/dev/null ;;\n"
	      "\t*) COMPREPLY=($(compgen -W \"${words//--*([^ ])/}\" -- \"$word\") $(compgen -f -- \"$word\")) ;;\n"
	      "\tesac\n\treturn 0\n}\ncomplete -o filenames -F _norn norn\n",
	        to);
}

/* ---- zsh ---- */

static void zsh_command(FILE *to, const struct norn_command *c)
{
	const struct norn_option *o;
	fprintf(to, "\t'%s') _arguments", c->name);
	for (unsigned i = 0; (o = norn_option_at(c, i)); i++) {
		fprintf(to, " \\\n\t\t'--%s%s[", o->name, o->argument ? "=" : "");
		put_sentence(to, o->help);
		fprintf(to, "]%s%s%s'", o->argument ? ":" : "", o->argument ? o->argument : "", o->argument ? ":_files" : "");
	}
	fputs(" '*:file:_files' ;;\n", to);
}

static void zsh_summary(FILE *to, const struct norn_command *c)
{
	if (*part_of(c))
		return;
	fprintf(to, "\t\t'%s:", c->name);
	put_sentence(to, c->summary);
	fputs("'\n", to);
}

static void zsh(FILE *to)
{
	fputs("#compdef norn\n# Completions of norn for zsh; made by norn --completion zsh.\n_norn()\n{\n\tlocal -a "
	      "commands\n\tcommands=(\n",
	        to);
	each_command(to, zsh_summary);
	fputs("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n"
	      "\t[[ $command == (prop|scope) && CURRENT -gt 3 ]] && command=\"$command $words[3]\"\n\tcase $command in\n",
	        to);
	each_command(to, zsh_command);
	fputs("\tesac\n}\n_norn \"$@\"\n", to);
}

/* ---- fish ---- */

static void fish_command(FILE *to, const struct norn_command *c)
{
	const struct norn_option *o;
	const char *part = part_of(c);
	int length = (int)strcspn(c->name, " ");
	if (*part)
		fprintf(to, "complete -c norn -n '__fish_seen_subcommand_from %.*s' -a '%s' -d '", length, c->name, part);
	else
		fprintf(to, "complete -c norn -n '__fish_use_subcommand' -f -a '%s' -d '", c->name);
	put_sentence(to, c->summary);
	fputs("'\n", to);
	for (unsigned i = 0; (o = norn_option_at(c, i)); i++) {
		fprintf(to, "complete -c norn -n '__fish_seen_subcommand_from %.*s%s%s' -l %s%s -d '", length, c->name,
		        *part ? "; and __fish_seen_subcommand_from " : "", part, o->name, o->argument ? " -r" : "");
		put_sentence(to, o->help);
		fputs("'\n", to);
	}
}

static void fish(FILE *to)
{
	fputs("# Completions of norn for fish; made by norn --completion fish.\n", to);
	each_command(to, fish_command);
}

int norn_completion(const char *shell, FILE *to)
{
	if (strcmp(shell, "bash") == 0)
		bash(to);
	else if (strcmp(shell, "zsh") == 0)
		zsh(to);
	else if (strcmp(shell, "fish") == 0)
		fish(to);
	else
		return norn_fail("there are completions for bash, zsh and fish, not for %s", shell);
	return NORN_EXIT_OK;
}
