#include "base/bisect.h"
#include "program/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"

#define PAGE_BYTES 4096u
#define GUARD_BYTES 64 /* of zeros behind a section */

/* ---- opening ---- */

static int open_file(const char *path, int *ret_fd, struct norn_error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		int code = errno;
		if (code == ENOENT || code == ENOTDIR)
			return norn_error_set(
			        err, -code, "there is no %s: name the program where it is now, or build it again", path);
		if (code == EACCES)
			return norn_error_set(err, -code, "%s may not be read: chmod +r it", path);
		return norn_error_set(err, -code, "%s cannot be opened: %s", path, strerror(code));
	}
	struct stat status;
	if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
		close(fd);
		return norn_error_set(err, -EINVAL, "%s is no file: name the program itself", path);
	}
	*ret_fd = fd;
	return 0;
}

/* A sentence about a file that is no ELF file. */
static int refuse_text(const char *path, int fd, struct norn_error *err)
{
	char head[2] = {0};
	if (pread(fd, head, sizeof head, 0) == 2 && memcmp(head, "#!", 2) == 0)
		return norn_error_set(err, -ENOEXEC, "%s is a script: name the program that it starts", path);
	return norn_error_set(err, -ENOEXEC, "%s is no ELF file: name a program or library that norn cc has linked", path);
}

static int check_header(const char *path, Elf *elf, struct norn_error *err)
{
	GElf_Ehdr header;
	if (!gelf_getehdr(elf, &header))
		return norn_error_set(err, -ENOEXEC, "%s is damaged or only a part of a file: build it again", path);
	if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return norn_error_set(err, -ENOEXEC, "%s is for another machine: build it for x86-64 Linux", path);
	if (header.e_type == ET_REL)
		return norn_error_set(err, -ENOEXEC, "%s is an object file: name the program that it is linked into", path);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return norn_error_set(err, -ENOEXEC, "%s is neither a program nor a library: name one", path);
	return 0;
}

/* True if the file has all that its header and segments name. */
static bool is_whole(const struct norn_elf *elf)
{
	struct stat status;
	GElf_Ehdr header;
	if (fstat(elf->fd, &status) < 0 || !gelf_getehdr(elf->elf, &header))
		return false;
	uint64_t size = status.st_size, sections = (uint64_t)header.e_shnum * header.e_shentsize;
	if (header.e_shoff > size || sections > size - header.e_shoff || elf->segments.count == 0)
		return false;
	for (uint32_t i = 0; i < elf->segments.count; i++)
		if (elf->segments.items[i].p_offset > size ||
		        elf->segments.items[i].p_filesz > size - elf->segments.items[i].p_offset)
			return false;
	return true;
}

static void read_segments(struct norn_elf *elf)
{
	size_t count;
	if (elf_getphdrnum(elf->elf, &count) < 0 || count > INT_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(elf->elf, i, &segment) || segment.p_filesz > segment.p_memsz ||
		        segment.p_vaddr + segment.p_memsz < segment.p_vaddr)
			continue;
		if (segment.p_type == PT_LOAD)
			norn_must_push(&elf->segments, segment);
		else if (segment.p_type == PT_TLS)
			elf->tls = segment;
	}
}

/* ---- relocations ---- */

static void read_rela(struct norn_elf *elf, const Elf64_Rela *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ELF64_R_TYPE(entries[i].r_info) != R_X86_64_NONE)
			norn_must_push(&elf->relocations, (struct norn_elf_relocation){
			                                          .address = entries[i].r_offset,
			                                          .addend = entries[i].r_addend,
			                                          .type = ELF64_R_TYPE(entries[i].r_info),
			                                          .symbol = ELF64_R_SYM(entries[i].r_info),
			                                  });
}

static void add_relative(struct norn_elf *elf, uint64_t address)
{
	uint64_t value;
	if (norn_elf_read(elf, address, &value, sizeof value) == 0)
		norn_must_push(&elf->relocations,
		        (struct norn_elf_relocation){.address = address, .addend = value, .type = R_X86_64_RELATIVE});
}

/* Relative relocations, packed: an even entry is an address, an odd one a bit map of the 63 words after the last address. */
static void read_relr(struct norn_elf *elf, const uint64_t *entries, size_t count)
{
	uint64_t next = 0;
	for (size_t i = 0; i < count; i++) {
		if (entries[i] % 2 == 0) {
			next = entries[i] + 8;
			add_relative(elf, entries[i]);
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++)
			if (entries[i] >> bit & 1)
				add_relative(elf, next + (bit - 1) * UINT64_C(8));
		next += UINT64_C(63) * 8;
	}
}

static int compare_relocations(const void *a, const void *b)
{
	const struct norn_elf_relocation *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

/* A file from `objcopy --only-keep-debug`: the code is not in it, nor are initial values. */
static bool is_debug_file(const struct norn_elf *elf)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf->elf, section));) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOBITS && header.sh_flags & SHF_EXECINSTR)
			return true;
	}
	return false;
}

static void read_sections(struct norn_elf *elf)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf->elf, section));) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB)
			elf->symbols = section;
		if (header.sh_type == SHT_DYNSYM)
			elf->dynamic_symbols = section;
		bool packed = header.sh_type == SHT_RELR;
		if ((header.sh_type != SHT_RELA && !packed) || !(header.sh_flags & SHF_ALLOC))
			continue;
		Elf_Data *data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			continue;
		if (packed)
			read_relr(elf, data->d_buf, data->d_size / 8);
		else
			read_rela(elf, data->d_buf, data->d_size / sizeof(Elf64_Rela));
	}
	if (elf->relocations.count)
		qsort(elf->relocations.items, elf->relocations.count, sizeof *elf->relocations.items, compare_relocations);
}

size_t norn_elf_relocation_from(const struct norn_elf *elf, uint64_t address)
{
	return NORN_BISECT(0, elf->relocations.count, i, elf->relocations.items[i].address + 7 < address);
}

static int read_parts(const char *path, struct norn_elf *elf, struct norn_error *err)
{
	read_segments(elf);
	if (is_debug_file(elf))
		return norn_error_set(
		        err, -ENOEXEC, "%s has only debugging information: name the program that it was taken from", path);
	if (!is_whole(elf))
		return norn_error_set(err, -ENOEXEC, "%s is damaged or only a part of a file: build it again", path);
	read_sections(elf);
	return 0;
}

static int open_elf(const char *path, bool debug, struct norn_elf *ret_elf, struct norn_error *err)
{
	struct norn_elf elf = {.fd = -1};
	int r = open_file(path, &elf.fd, err);
	if (r < 0)
		return r;
	elf_version(EV_CURRENT);
	/* Not mapped: a file that is truncated meanwhile must not kill this process. */
	elf.elf = elf_begin(elf.fd, ELF_C_READ, NULL);
	if (!elf.elf || elf_kind(elf.elf) != ELF_K_ELF)
		r = refuse_text(path, elf.fd, err);
	else
		r = check_header(path, elf.elf, err);
	if (r == 0 && !debug)
		r = read_parts(path, &elf, err);
	if (r < 0)
		norn_elf_done(&elf);
	else
		*ret_elf = elf;
	return r;
}

int norn_elf_open(const char *path, struct norn_elf *ret_elf, struct norn_error *err)
{
	return open_elf(path, false, ret_elf, err);
}

int norn_elf_open_debug(const char *path, struct norn_elf *ret_elf, struct norn_error *err)
{
	return open_elf(path, true, ret_elf, err);
}

void norn_elf_done(struct norn_elf *elf)
{
	elf_end(elf->elf);
	if (elf->fd >= 0)
		close(elf->fd);
	for (uint32_t i = 0; i < elf->copies.count; i++)
		free(elf->copies.items[i]);
	norn_vector_done(&elf->copies);
	norn_vector_done(&elf->segments);
	norn_vector_done(&elf->relocations);
	*elf = (struct norn_elf){.fd = -1};
}

/* ---- memory ---- */

uint64_t norn_elf_base(const struct norn_elf *elf)
{
	uint64_t base = UINT64_MAX;
	for (uint32_t i = 0; i < elf->segments.count; i++)
		if (elf->segments.items[i].p_vaddr < base)
			base = elf->segments.items[i].p_vaddr;
	return elf->segments.count ? base & ~(uint64_t)(PAGE_BYTES - 1) : 0;
}

static bool within(const GElf_Phdr *segment, uint64_t offset, uint64_t size)
{
	return offset <= segment->p_memsz && size <= segment->p_memsz - offset;
}

static const GElf_Phdr *segment_of(const struct norn_elf *elf, uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < elf->segments.count; i++)
		if (address >= elf->segments.items[i].p_vaddr &&
		        within(&elf->segments.items[i], address - elf->segments.items[i].p_vaddr, size))
			return &elf->segments.items[i];
	return NULL;
}

bool norn_elf_holds(const struct norn_elf *elf, uint64_t address, uint64_t size)
{
	return segment_of(elf, address, size) != NULL;
}

/* The file's bytes of a segment, then zeros. */
static int read_segment(
        const struct norn_elf *elf, const GElf_Phdr *segment, uint64_t offset, unsigned char *ret_bytes, size_t size)
{
	size_t stored = 0, done = 0;
	if (offset < segment->p_filesz)
		stored = size < segment->p_filesz - offset ? size : segment->p_filesz - offset;
	while (done < stored) {
		ssize_t n = pread(elf->fd, ret_bytes + done, stored - done, segment->p_offset + offset + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -ENOENT;
		done += n;
	}
	memset(ret_bytes + stored, 0, size - stored);
	return 0;
}

int norn_elf_read(const struct norn_elf *elf, uint64_t address, void *ret_bytes, size_t size)
{
	const GElf_Phdr *segment = segment_of(elf, address, size);
	return segment ? read_segment(elf, segment, address - segment->p_vaddr, ret_bytes, size) : -ENOENT;
}

int norn_elf_read_tls(const struct norn_elf *elf, uint64_t offset, void *ret_bytes, size_t size)
{
	return within(&elf->tls, offset, size) ? read_segment(elf, &elf->tls, offset, ret_bytes, size) : -ENOENT;
}

/* ---- sections ---- */

static void guard_section(struct norn_elf *elf, Elf_Scn *section, bool compressed)
{
	if (compressed && elf_compress(section, 0, 0) < 0)
		return; /* libdw cannot read it either */
	Elf_Data *data = elf_rawdata(section, NULL), *cooked = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return;
	char *copy = norn_must_alloc(data->d_size + GUARD_BYTES, 1);
	norn_must_push(&elf->copies, copy);
	memcpy(copy, data->d_buf, data->d_size);
	memset(copy + data->d_size, 0, GUARD_BYTES);
	if (cooked && cooked->d_buf == data->d_buf)
		cooked->d_buf = copy;
	data->d_buf = copy; /* libelf frees what it has allocated by another pointer */
}

void norn_elf_guard_debug(struct norn_elf *elf)
{
	size_t names;
	if (elf_getshdrstrndx(elf->elf, &names) != 0)
		return;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf->elf, section));) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf->elf, names, header.sh_name) : NULL;
		if (name && strncmp(name, ".debug_", 7) == 0 && header.sh_type != SHT_NOBITS)
			guard_section(elf, section, header.sh_flags & SHF_COMPRESSED);
	}
}

const void *norn_elf_section(const struct norn_elf *elf, const char *name, size_t *ret_bytes)
{
	size_t names;
	if (elf_getshdrstrndx(elf->elf, &names) < 0)
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf->elf, section));) {
		GElf_Shdr header;
		const char *found = gelf_getshdr(section, &header) ? elf_strptr(elf->elf, names, header.sh_name) : NULL;
		if (!found || strcmp(found, name) != 0 || header.sh_type == SHT_NOBITS)
			continue;
		Elf_Data *data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			return NULL;
		*ret_bytes = data->d_size;
		return data->d_buf;
	}
	return NULL;
}

size_t norn_elf_symbol_count(Elf_Scn *table)
{
	Elf_Data *data = table ? elf_getdata(table, NULL) : NULL;
	return data && data->d_buf ? data->d_size / sizeof(Elf64_Sym) : 0;
}

bool norn_elf_symbol(const struct norn_elf *elf, Elf_Scn *table, size_t i, GElf_Sym *ret_symbol, const char **ret_name)
{
	GElf_Shdr header;
	Elf_Data *data = table ? elf_getdata(table, NULL) : NULL;
	if (!data || i > INT_MAX || !gelf_getshdr(table, &header) || !gelf_getsym(data, i, ret_symbol))
		return false;
	*ret_name = elf_strptr(elf->elf, header.sh_link, ret_symbol->st_name);
	return *ret_name && **ret_name;
}

Dwarf *norn_elf_dwarf(const struct norn_elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf->elf, DWARF_C_READ, NULL);
	if (dwarf)
		dwarf_new_oom_handler(dwarf, norn_out_of_memory);
	return dwarf;
}
