#include "jobs/watch/watch_plan.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/must.h"
#include "jobs/checker.h"
#include "jobs/say.h"
#include "monitor/monitor.h"
#include "program/program.h"
#include "trace/site.h"

#define PROBE (UINT64_C(1) << 40) /* any load address */

/* ---- files ---- */

struct image {
	const uint8_t *bytes;
	size_t length;
};

static bool map_image(const char *path, struct image *ret_image)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	void *bytes = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(Elf64_Ehdr))
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return false;
	*ret_image = (struct image){bytes, (size_t)st.st_size};
	if (memcmp(bytes, ELFMAG, SELFMAG) == 0)
		return true;
	munmap(bytes, (size_t)st.st_size);
	return false;
}

static void unmap_image(struct image *image)
{
	munmap((void *)(uintptr_t)image->bytes, image->length);
}

/* Section number i, NULL past the last or if the file is damaged. */
static const Elf64_Shdr *section_at(const struct image *image, unsigned i)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->bytes;
	if (i >= head->e_shnum || head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff > image->length ||
	        (i + 1ul) * sizeof(Elf64_Shdr) > image->length - head->e_shoff)
		return NULL;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(const void *)(image->bytes + head->e_shoff) + i;
	return s->sh_type == SHT_NOBITS || (s->sh_offset <= image->length && s->sh_size <= image->length - s->sh_offset) ? s : NULL;
}

/* The table of sites that the pass leaves has a section of its own. */
static bool holds_sites(const struct image *image, const Elf64_Shdr *s)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->bytes;
	const Elf64_Shdr *names = section_at(image, head->e_shstrndx);
	return names && s->sh_name + sizeof "norn_sites" <= names->sh_size &&
	       strcmp((const char *)image->bytes + names->sh_offset + s->sh_name, "norn_sites") == 0;
}

static bool has_sites(const struct image *image)
{
	const Elf64_Shdr *s;
	for (unsigned i = 0; (s = section_at(image, i)); i++)
		if (holds_sites(image, s))
			return true;
	return false;
}

static bool is_instrumented(const char *path)
{
	struct image image;
	if (!map_image(path, &image))
		return false;
	bool found = has_sites(&image);
	unmap_image(&image);
	return found;
}

/* True if it takes a function of that name from elsewhere. */
static bool imports(const char *path, const char *name)
{
	struct image image;
	const Elf64_Shdr *s, *names;
	bool found = false;
	if (!map_image(path, &image))
		return false;
	for (unsigned i = 0; (s = section_at(&image, i)) && s->sh_type != SHT_DYNSYM; i++)
		;
	names = s ? section_at(&image, s->sh_link) : NULL;
	for (size_t i = 0; names && !found && i < s->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)(const void *)(image.bytes + s->sh_offset) + i;
		found = symbol->st_shndx == SHN_UNDEF && symbol->st_name + strlen(name) < names->sh_size &&
		        strcmp((const char *)image.bytes + names->sh_offset + symbol->st_name, name) == 0;
	}
	unmap_image(&image);
	return found;
}

/* True if the file has this text among its constants: a name may be one that norn_set gives a value to. */
static bool has_text(const struct image *image, const char *text, size_t length)
{
	const Elf64_Shdr *s;
	for (unsigned i = 0; (s = section_at(image, i)); i++) {
		const uint8_t *at = image->bytes + s->sh_offset, *end = at + s->sh_size;
		if (s->sh_type != SHT_PROGBITS || !(s->sh_flags & SHF_ALLOC) || s->sh_flags & SHF_EXECINSTR ||
		        holds_sites(image, s))
			continue;
		for (const uint8_t *found; (found = memmem(at, (size_t)(end - at), text, length)); at = found + 1)
			if (found + length < end && !found[length] && (found == image->bytes + s->sh_offset || !found[-1]))
				return true;
	}
	return false;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Words of the properties that are constants of the module may be names that it calls norn_set with. */
static void add_guessed(struct norn_program *program, const char *file, const char *props)
{
	struct image image;
	FILE *from = fopen(props, "re");
	char line[4096];
	if (!from || !map_image(file, &image)) {
		if (from)
			fclose(from);
		return; /* it is said elsewhere */
	}
	while (fgets(line, sizeof line, from))
		for (char *at = line, *end; *at; at = end) {
			for (end = at; is_word(*end); end++)
				;
			char after = *end;
			*end = 0;
			if (end > at && has_text(&image, at, (size_t)(end - at)))
				norn_program_add_set(program, at);
			*end = after;
			end += end == at || after != 0;
		}
	fclose(from);
	unmap_image(&image);
}

/* Names that norn_set gives values to are guessed where they are no constants, or where code without hooks calls norn_set.
 * Variables go before them. */
static void add_sets(struct norn_program *program, uint32_t module, const struct norn_watching_options *options)
{
	bool unnamed;
	if (norn_program_sets(program, module, &unnamed) ? !unnamed : !imports(norn_program_path(program, module), "norn_set"))
		return;
	for (unsigned i = 0; i < options->prop_count; i++)
		add_guessed(program, norn_program_path(program, module), options->props[i]);
}

/* ---- modules ---- */

static int add_module(struct norn_program *program, const char *path)
{
	struct norn_error err = {0};
	return norn_program_add(program, path, 0, &err) == 0 ? NORN_EXIT_OK : norn_fail("%s", err.message);
}

/* True if the dynamic linker loads it; if not, asking that would run the program. */
static bool is_dynamic(const struct image *image)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->bytes;
	const Elf64_Phdr *parts = (const Elf64_Phdr *)(const void *)(image->bytes + head->e_phoff);
	bool whole = head->e_phentsize == sizeof *parts && head->e_phoff <= image->length &&
	             head->e_phnum <= (image->length - head->e_phoff) / sizeof *parts;
	for (unsigned i = 0; whole && i < head->e_phnum; i++)
		if (parts[i].p_type == PT_INTERP)
			return true;
	return false;
}

/* True if the program needs libraries that may have hooks; the system's own have none. An unknown library may. */
static bool needs_libraries(const struct image *image)
{
	static const char *const plain[] = {"libnorn.so", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6",
	        "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"};
	const char *preloaded = getenv("LD_PRELOAD"), *audited = getenv("LD_AUDIT");
	const Elf64_Shdr *s, *names = NULL;
	bool needs = (preloaded && *preloaded) || (audited && *audited) || access("/etc/ld.so.preload", F_OK) == 0;
	for (unsigned i = 0; (s = section_at(image, i)) && s->sh_type != SHT_DYNAMIC; i++)
		;
	names = s ? section_at(image, s->sh_link) : NULL;
	for (size_t i = 0; names && !needs && i < s->sh_size / sizeof(Elf64_Dyn); i++) {
		const Elf64_Dyn *d = (const Elf64_Dyn *)(const void *)(image->bytes + s->sh_offset) + i;
		bool found = d->d_tag != DT_NEEDED && d->d_tag != DT_FILTER && d->d_tag != DT_AUXILIARY;
		for (unsigned k = 0; k < sizeof plain / sizeof *plain && !found; k++)
			found = d->d_un.d_val + strlen(plain[k]) < names->sh_size &&
			        strcmp((const char *)image->bytes + names->sh_offset + d->d_un.d_val, plain[k]) == 0;
		needs = !found;
	}
	return is_dynamic(image) && (needs || !names);
}

/* The libraries that the dynamic linker would load, as it says when it is asked: "name => /path (0x…)", or "/path (0x…)". */
static int add_libraries(struct norn_program *program, const char *path, bool *ret_instrumented)
{
	int out[2], status = NORN_EXIT_OK;
	char line[PATH_MAX + 256], file[PATH_MAX];
	if (pipe2(out, O_CLOEXEC) != 0)
		return norn_fail("cannot make a pipe: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(out[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		dup2(null, STDIN_FILENO);
		unsetenv("NORN_OPTIONS");
		setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	FILE *from = fdopen(out[0], "r");
	while (from && fgets(line, sizeof line, from)) {
		const char *arrow = strstr(line, "=> ");
		if (status == NORN_EXIT_OK && sscanf(arrow ? arrow + 3 : line, "%4095s", file) == 1 && file[0] == '/' &&
		        is_instrumented(file)) {
			*ret_instrumented = true;
			status = add_module(program, file);
		}
	}
	if (from)
		fclose(from);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int add_modules(struct norn_watch_plan *plan, const struct norn_watching_options *options, const char *path)
{
	struct image image;
	const struct norn_site_table *table;
	plan->program = norn_program_new();
	if (!map_image(path, &image))
		return norn_fail("%s is not a program that norn can watch: it is not an ELF file", path);
	bool instrumented = has_sites(&image), libraries = needs_libraries(&image);
	unmap_image(&image);
	int status = add_module(plan->program, path);
	if (status == NORN_EXIT_OK && libraries)
		status = add_libraries(plan->program, path, &instrumented);
	for (unsigned i = 0; status == NORN_EXIT_OK && i < options->module_count; i++)
		status = add_module(plan->program, options->modules[i]);
	if (status == NORN_EXIT_OK && !instrumented)
		return norn_fail("%s was not built by norn: build it with `norn cc`, or CC=\"norn cc\" ./configure && make", path);
	for (uint32_t m = 0; status == NORN_EXIT_OK && m < norn_program_modules(plan->program); m++)
		for (uint32_t i = 0; (table = norn_program_unit(plan->program, m, i)); i++)
			if (table->version != NORN_SITE_VERSION)
				return norn_fail_outdated(norn_program_path(plan->program, m));
	for (uint32_t m = 0; status == NORN_EXIT_OK && m < norn_program_modules(plan->program); m++)
		add_sets(plan->program, m, options);
	return status;
}

/* ---- properties ---- */

static int make_monitors(struct norn_watch_props_file *props)
{
	props->monitors = norn_must_calloc(props->file.spec->property_count, sizeof(struct norn_monitor *));
	for (uint32_t i = 0; i < props->file.spec->property_count; i++) {
		const struct norn_property *p = &props->file.spec->properties[i];
		struct norn_error err = {0};
		if (p->logic > NORN_LOGIC_FSM)
			continue;
		if (norn_monitor_new(props->file.spec, p, NULL, &props->monitors[i], &err) != 0)
			return norn_fail("%s: property %s: %s", props->path, p->name, err.message);
	}
	return NORN_EXIT_OK;
}

/* The properties that can be judged inside the program; the others are reported. */
static unsigned count_judged(const struct norn_watch_props_file *props)
{
	unsigned count = props->file.spec->scope_count;
	for (uint32_t i = 0; i < props->file.spec->property_count; i++) {
		const struct norn_property *p = &props->file.spec->properties[i];
		if (p->logic <= NORN_LOGIC_MTTL)
			count++;
		else
			norn_note("property %s is predicted from a recorded run (norn run, norn check), and not watched", p->name);
	}
	return count;
}

/* Vectors are of all formulas together, and words have room for those of one file. */
static int check_mttl(const struct norn_watch_plan *plan)
{
	const char *first = NULL;
	for (uint32_t l = 0; l < plan->props_count; l++) {
		if (!norn_spec_has(plan->props[l].file.spec, NORN_LOGIC_MTTL))
			continue;
		if (first)
			return norn_fail(
			        "%s and %s both have mttl properties, which must be in one file: let one include the other", first,
			        plan->props[l].path);
		first = plan->props[l].path;
	}
	return NORN_EXIT_OK;
}

static int read_props(struct norn_watch_plan *plan, const struct norn_watching_options *options)
{
	unsigned judged = 0;
	plan->props = norn_must_calloc(options->prop_count, sizeof *plan->props);
	for (unsigned i = 0; i < options->prop_count; i++) {
		struct norn_watch_props_file *props = &plan->props[plan->props_count++];
		props->path = options->props[i];
		int status = norn_prop_load_for(&props->file, props->path, plan->program);
		if (status == NORN_EXIT_OK)
			status = make_monitors(props);
		if (status != NORN_EXIT_OK)
			return status;
		judged += count_judged(props);
	}
	return judged ? check_mttl(plan) : norn_fail("there is no property that can be watched");
}

/* ---- the plan ---- */

struct plan_parts {
	struct norn_plan_module *modules;
	struct norn_plan_function *functions;
	uint32_t function_count;
};

static struct norn_plan_function *new_function(struct plan_parts *to, const struct norn_symbol *symbol, const char *name)
{
	to->functions = norn_must_realloc(to->functions, to->function_count + 1ul, sizeof *to->functions);
	struct norn_plan_function *function = &to->functions[to->function_count++];
	*function = (struct norn_plan_function){.name = name, .module = symbol->module, .address = symbol->address};
	return function;
}

static bool is_listed(const struct plan_parts *parts, const struct norn_symbol *symbol)
{
	for (uint32_t i = 0; i < parts->function_count; i++)
		if (parts->functions[i].module == symbol->module && parts->functions[i].address == symbol->address)
			return true;
	return false;
}

/* Start routines: a thread's type is known when it is made. */
static void add_routines(struct plan_parts *to, const struct norn_program *program, const char *name)
{
	size_t cursor = 0;
	const struct norn_symbol *symbol;
	while ((symbol = norn_program_function(program, name, &cursor)))
		if (symbol->address && !is_listed(to, symbol))
			new_function(to, symbol, name);
}

static int add_function(struct plan_parts *to, const struct norn_program *program, const char *name)
{
	size_t cursor = 0;
	const struct norn_symbol *symbol;
	for (uint32_t i = 0; i < to->function_count; i++)
		if (strcmp(to->functions[i].name, name) == 0)
			return NORN_EXIT_OK;
	while ((symbol = norn_program_symbol(program, true, name, NULL, NULL, &cursor)) && !symbol->address)
		;
	if (!symbol)
		return norn_fail("%s cannot be called: the program has no such function, or the compiler removed it", name);
	struct norn_plan_function *f = new_function(to, symbol, name);
	for (uint32_t i = 0; symbol->type->kind == NORN_TYPE_FUNCTION && i < symbol->type->member_count && i < 32; i++) {
		const struct norn_type *type = symbol->type->members[i].type;
		if (type && type->kind == NORN_TYPE_FLOAT)
			*(type->size == 4 ? &f->floats : &f->doubles) |= 1u << i;
	}
	return NORN_EXIT_OK;
}

static int add_handlers(
        struct plan_parts *to, const struct norn_program *program, const struct norn_checked_handler *handlers, uint32_t count)
{
	int status = NORN_EXIT_OK;
	for (uint32_t h = 0; h < count; h++)
		for (uint32_t i = 0; status == NORN_EXIT_OK && i < handlers[h].action_count; i++)
			if (handlers[h].actions[i].kind == NORN_ACTION_CALL)
				status = add_function(to, program, handlers[h].actions[i].function);
	return status;
}

static int find_functions(const struct norn_watch_plan *plan, struct plan_parts *to)
{
	int status = NORN_EXIT_OK;
	for (uint32_t l = 0; l < plan->props_count; l++) {
		const struct norn_spec *spec = plan->props[l].file.spec;
		for (uint32_t i = 0; status == NORN_EXIT_OK && i < spec->property_count; i++)
			status = add_handlers(to, plan->program, spec->properties[i].handlers, spec->properties[i].handler_count);
		for (uint32_t s = 0; s < spec->scope_count; s++)
			for (uint32_t i = 0; status == NORN_EXIT_OK && i < spec->scopes[s].check_count; i++)
				status = add_handlers(to, plan->program, spec->scopes[s].checks[i].property.handlers,
				        spec->scopes[s].checks[i].property.handler_count);
	}
	for (uint32_t l = 0; l < plan->props_count; l++)
		for (uint32_t i = 0; status == NORN_EXIT_OK && i < plan->props[l].file.spec->type_count; i++)
			for (const struct norn_tsel *t = plan->props[l].file.spec->types[i].selectors; t; t = t->next)
				if (t->kind == NORN_TSEL_SPAWN)
					add_routines(to, plan->program, t->function.text);
	return status;
}

static int pack(struct norn_watch_plan *plan, enum norn_watch_mode mode, const struct plan_parts *parts)
{
	struct norn_error err = {0};
	const struct norn_plan head = {.mode = mode,
	        .modules = parts->modules,
	        .module_count = norn_program_modules(plan->program),
	        .functions = parts->functions,
	        .function_count = parts->function_count,
	        .props_count = plan->props_count};
	int r = 0;
	norn_plan_begin(&plan->pack, &head);
	for (uint32_t i = 0; r == 0 && i < plan->props_count; i++)
		r = norn_plan_props(
		        &plan->pack, plan->props[i].file.sources, plan->props[i].file.spec, plan->props[i].monitors, &err);
	if (r == 0)
		r = norn_plan_end(&plan->pack, &err);
	return r == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
}

static int put_together(struct norn_watch_plan *plan, enum norn_watch_mode mode)
{
	uint32_t count = norn_program_modules(plan->program);
	struct plan_parts parts = {.modules = norn_must_calloc(count, sizeof *parts.modules)};
	for (uint32_t i = 0; i < count; i++) {
		norn_program_set_load(plan->program, i, PROBE);
		parts.modules[i] =
		        (struct norn_plan_module){norn_program_path(plan->program, i), PROBE - norn_program_bias(plan->program, i)};
		norn_program_set_load(plan->program, i, 0);
	}
	int status = find_functions(plan, &parts);
	if (status == NORN_EXIT_OK)
		status = pack(plan, mode, &parts);
	free(parts.modules);
	free(parts.functions);
	return status;
}

int norn_watch_plan_make(struct norn_watch_plan *plan, const struct norn_watching_options *options, const char *program)
{
	char path[PATH_MAX];
	*plan = (struct norn_watch_plan){0};
	if (!norn_find_program(program, path))
		return norn_fail("there is no program %s%s%s", program,
		        strchr(program, '/') ? "" : " in $PATH: for one in this directory write ./",
		        strchr(program, '/') ? "" : program);
	int status = add_modules(plan, options, path);
	if (status == NORN_EXIT_OK)
		status = read_props(plan, options);
	if (status == NORN_EXIT_OK)
		status = put_together(plan, options->mode);
	return status;
}

void norn_watch_plan_done(struct norn_watch_plan *plan)
{
	for (uint32_t l = 0; l < plan->props_count; l++) {
		struct norn_watch_props_file *props = &plan->props[l];
		for (uint32_t i = 0; props->monitors && i < props->file.spec->property_count; i++)
			norn_monitor_free(props->monitors[i]);
		free(props->monitors);
		norn_prop_unload(&props->file);
	}
	free(plan->props);
	norn_program_free(plan->program);
	norn_pack_done(&plan->pack);
}

int norn_watch_plan_file(const struct norn_watch_plan *plan)
{
	int fd = memfd_create("norn-plan", MFD_CLOEXEC);
	size_t done = 0;
	while (fd >= 0 && done < plan->pack.length) {
		ssize_t n = write(fd, plan->pack.bytes + done, plan->pack.length - done);
		if (n < 0 && errno != EINTR) {
			int error = errno;
			close(fd);
			return -error;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return fd < 0 ? -errno : fd;
}
