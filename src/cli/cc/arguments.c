#include "cli/cc/arguments.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define NESTING 16 /* of response files; one that names itself would never end */

static void expand(struct norn_arguments *words, const char *argument, size_t length, unsigned nesting);

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

static void expand_text(struct norn_arguments *words, const char *text, unsigned nesting)
{
	char *word = norn_must_alloc(strlen(text) + 1, 1);
	for (;;) {
		while (is_space(*text))
			text++;
		if (!*text)
			break;
		size_t length;
		text = take_word(text, word, &length);
		word[length] = 0;
		expand(words, word, length, nesting + 1);
	}
	free(word);
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
		text = feof(f) ? norn_must_text("") : NULL;
	}
	fclose(f);
	return text;
}

static void expand(struct norn_arguments *words, const char *argument, size_t length, unsigned nesting)
{
	char *text = argument[0] == '@' && nesting < NESTING ? read_text(argument + 1) : NULL;
	if (text)
		expand_text(words, text, nesting);
	else
		norn_must_push(words, norn_must_text_n(argument, length));
	free(text);
}

void norn_arguments_expand(struct norn_arguments *words, const char *argument)
{
	expand(words, argument, strlen(argument), 0);
}

void norn_arguments_done(struct norn_arguments *words)
{
	for (uint32_t i = 0; i < words->count; i++)
		free(words->items[i]);
	norn_vector_done(words);
}
