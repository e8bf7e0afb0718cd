/* Damages an ELF file in many ways and reads each version whole: damage-program FILE [BYTES-PER-FLIP]
 *
 * Truncated at every 64th byte, and with each so-many-th byte changed, one at a time. Whatever the damage, a file is read or refused with
 * a sentence; crashes, leaks and wild reads are for sanitizers to see. Prints how many versions were read and how many refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/name_index.h"

static unsigned long read_count, refused_count, symbol_count, member_count;

static void use_type(const struct norn_type *type)
{
	uint64_t offset;
	member_count += strlen(type->name);
	for (uint32_t i = 0; i < type->member_count; i++)
		if (type->kind != NORN_TYPE_FUNCTION && norn_type_member(type, type->members[i].name, &offset))
			member_count++;
	norn_type_nearest_member(type, "nothing");
}

static void use_symbol(const struct norn_program *program, const struct norn_symbol *symbol)
{
	unsigned char bytes[4096];
	size_t size = symbol->size < sizeof bytes ? symbol->size : sizeof bytes;
	symbol_count += strlen(symbol->file) + strlen(symbol->function) + 1;
	use_type(symbol->type);
	if (symbol->is_thread_local)
		norn_program_initial_tls(program, symbol->module, symbol->address, bytes, size);
	else
		norn_program_initial(program, symbol->module, symbol->address, bytes, size);
}

static void use(const struct norn_program *program)
{
	for (int kind = 0; kind < 2; kind++) {
		for (uint32_t i = 0; i < program->names[kind].names.count; i++) {
			const struct norn_symbol *symbol;
			const char *name = norn_table_key(&program->names[kind].names, i);
			for (size_t cursor = 0; (symbol = norn_program_symbol(program, kind, name, NULL, NULL, &cursor));)
				use_symbol(program, symbol);
		}
		norn_program_nearest(program, kind, "nothing");
	}
	for (uint32_t i = 0; i < program->tags.count; i++) {
		const struct norn_type *type =
		        norn_program_tag(program, program->tags.items[i].is_union, program->tags.items[i].name);
		if (type)
			use_type(type);
	}
}

static void try(const unsigned char *bytes, size_t size)
{
	int fd = memfd_create("damaged", MFD_CLOEXEC);
	char path[64];
	struct norn_program *program = norn_program_new();
	struct norn_error err = {0};
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(2);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (norn_program_add(program, path, 0x1000, &err) == 0) {
		read_count++;
		use(program);
	} else {
		refused_count++;
		if (!err.message[0])
			exit(2);
	}
	norn_program_free(program);
	close(fd);
}

int main(int argc, char **argv)
{
	size_t step = argc > 2 ? strtoul(argv[2], NULL, 0) : 64;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	unsigned char *bytes = size > 0 ? malloc(size) : NULL;
	if (!bytes || pread(fd, bytes, size, 0) != size)
		return 2;
	for (off_t cut = 0; cut < size; cut += 64)
		try(bytes, cut);
	for (off_t at = 0; at < size; at += step) {
		static const unsigned char masks[] = {0xff, 0x01, 0x80, 0x10};
		unsigned char was = bytes[at];
		bytes[at] ^= masks[at / step % 4];
		if (getenv("VERBOSE"))
			fprintf(stderr, "byte %#lx\n", (long)at);
		try(bytes, size);
		bytes[at] = was;
	}
	printf("%lu read, %lu refused, %lu symbols, %lu members\n", read_count, refused_count, symbol_count, member_count);
	free(bytes);
	close(fd);
	return 0;
}
