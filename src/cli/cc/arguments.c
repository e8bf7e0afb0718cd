#include "cli/cc/arguments.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTING 16 /* of response files; one that names itself would never end */

int norn_arguments_add(struct norn_arguments *words, const char *word, size_t length)
{
	if (words->count + 2 > words->room) {
		size_t room = words->room ? 2 * words->room : 64;
		char **at = realloc(words->at, room * sizeof *at);
		if (!at)
			return -ENOMEM;
		words->at = at;
		words->room = room;
	}
	char *copy = strndup(word, length);
	if (!copy)
		return -ENOMEM;
	words->at[words->count++] = copy;
	words->at[words->count] = NULL;
	return 0;
}

static int expand(struct norn_arguments *words, const char *argument, size_t length, unsigned nesting);

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Takes one word from text into word (at least as long as text) and returns where it ended. */
static const char *take_word(const char *text, char *word, size_t *ret_length)
{
	size_t length = 0;
	char quote = 0;
	for (; *text && (quote || !is_space(*text)); text++) {
		if (*text == '\\' && text[1])
			word[length++] = *++text;
		else if (quote && *text == quote)
			quote = 0;
		else if (!quote && (*text == '"' || *text == '\''))
			quote = *text;
		else
			word[length++] = *text;
	}
	*ret_length = length;
	return text;
}

static int expand_text(struct norn_arguments *words, const char *text, unsigned nesting)
{
	char *word = malloc(strlen(text) + 1);
	int r = word ? 0 : -ENOMEM;
	while (r == 0) {
		while (is_space(*text))
			text++;
		if (!*text)
			break;
		size_t length;
		text = take_word(text, word, &length);
		word[length] = 0;
		r = expand(words, word, length, nesting + 1);
	}
	free(word);
	return r;
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t bytes = 0;
	if (!f)
		return NULL;
	if (getdelim(&text, &bytes, 0, f) < 0) {
		free(text);
		text = feof(f) ? strdup("") : NULL;
	}
	fclose(f);
	return text;
}

static int expand(struct norn_arguments *words, const char *argument, size_t length, unsigned nesting)
{
	char *text = argument[0] == '@' && nesting < NESTING ? read_text(argument + 1) : NULL;
	if (!text)
		return norn_arguments_add(words, argument, length);
	int r = expand_text(words, text, nesting);
	free(text);
	return r;
}

int norn_arguments_expand(struct norn_arguments *words, const char *argument)
{
	return expand(words, argument, strlen(argument), 0);
}

void norn_arguments_done(struct norn_arguments *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->at[i]);
	free(words->at);
	*words = (struct norn_arguments){0};
}
