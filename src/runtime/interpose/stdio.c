/* Streams that write.
 *
 * Writes to the inherited standard output cannot be read by the program: they are not logged, and order nothing in predictions. A
 * write into a file is a send, since it may be read there; a write into a pipe, a socket or memory may have had to wait, too. It
 * may have come out of the program at once or not before another thread flushes the stream, so it counts from here on.
 *
 * The printed text may differ in another order of the threads: the values that it shows are not kept (effects/effects.h). */

/* Each function under its own name, and no inline function of the headers in its place. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1

#include <stdarg.h>
#include <string.h>

#include "runtime/interpose/kernel_channel.h"
#include "runtime/interpose/interpose.h"

/* ---- formats ---- */

/* A format that has the count of what was printed stored somewhere. */
static bool stores(const char *format)
{
	while (format && (format = strchr(format, '%'))) {
		format++;
		format += strspn(format, "-+ #0'0123456789.*$hljztLqI");
		if (*format == 'n')
			return true;
		format += *format != 0;
	}
	return false;
}

static void printed(struct norn_channel_call talk, const char *format)
{
	if (norn_self && stores(format))
		norn_call_unknown();
	norn_channel_call_printed(talk);
}

NORN_EXPORT int printf(const char *format, ...)
{
	struct norn_channel_call talk = norn_channel_call_prints(stdout);
	va_list list;
	va_start(list, format);
	int result = REAL(vprintf)(format, list);
	va_end(list);
	printed(talk, format);
	return result;
}

NORN_EXPORT int fprintf(FILE *file, const char *format, ...)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	va_list list;
	va_start(list, format);
	int result = REAL(vfprintf)(file, format, list);
	va_end(list);
	printed(talk, format);
	return result;
}

NORN_EXPORT int dprintf(int fd, const char *format, ...)
{
	struct norn_channel_call talk = norn_channel_call_prints_to(fd);
	va_list list;
	va_start(list, format);
	int result = REAL(vdprintf)(fd, format, list);
	va_end(list);
	printed(talk, format);
	return result;
}

NORN_EXPORT int vprintf(const char *format, va_list list)
{
	struct norn_channel_call talk = norn_channel_call_prints(stdout);
	int result = REAL(vprintf)(format, list);
	printed(talk, format);
	return result;
}

NORN_EXPORT int vfprintf(FILE *file, const char *format, va_list list)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(vfprintf)(file, format, list);
	printed(talk, format);
	return result;
}

NORN_EXPORT int vdprintf(int fd, const char *format, va_list list)
{
	struct norn_channel_call talk = norn_channel_call_prints_to(fd);
	int result = REAL(vdprintf)(fd, format, list);
	printed(talk, format);
	return result;
}

int __printf_chk(int flag, const char *format, ...);
NORN_EXPORT int __printf_chk(int flag, const char *format, ...)
{
	struct norn_channel_call talk = norn_channel_call_prints(stdout);
	va_list list;
	va_start(list, format);
	int result = REAL(__vprintf_chk)(flag, format, list);
	va_end(list);
	printed(talk, format);
	return result;
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...);
NORN_EXPORT int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	va_list list;
	va_start(list, format);
	int result = REAL(__vfprintf_chk)(file, flag, format, list);
	va_end(list);
	printed(talk, format);
	return result;
}

int __dprintf_chk(int fd, int flag, const char *format, ...);
NORN_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
	struct norn_channel_call talk = norn_channel_call_prints_to(fd);
	va_list list;
	va_start(list, format);
	int result = REAL(__vdprintf_chk)(fd, flag, format, list);
	va_end(list);
	printed(talk, format);
	return result;
}

int __vprintf_chk(int flag, const char *format, va_list list);
NORN_EXPORT int __vprintf_chk(int flag, const char *format, va_list list)
{
	struct norn_channel_call talk = norn_channel_call_prints(stdout);
	int result = REAL(__vprintf_chk)(flag, format, list);
	printed(talk, format);
	return result;
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list list);
NORN_EXPORT int __vfprintf_chk(FILE *file, int flag, const char *format, va_list list)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(__vfprintf_chk)(file, flag, format, list);
	printed(talk, format);
	return result;
}

int __vdprintf_chk(int fd, int flag, const char *format, va_list list);
NORN_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list list)
{
	struct norn_channel_call talk = norn_channel_call_prints_to(fd);
	int result = REAL(__vdprintf_chk)(fd, flag, format, list);
	printed(talk, format);
	return result;
}

/* ---- bytes ---- */

NORN_EXPORT int puts(const char *text)
{
	struct norn_channel_call talk = norn_channel_call_prints(stdout);
	int result = REAL(puts)(text);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int putchar(int byte)
{
	struct norn_channel_call talk = norn_channel_call_prints(stdout);
	int result = REAL(putchar)(byte);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int putc(int byte, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(putc)(byte, file);
	norn_channel_call_printed(talk);
	return result;
}

int _IO_putc(int byte, FILE *file);
NORN_EXPORT int _IO_putc(int byte, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(_IO_putc)(byte, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int fputc(int byte, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(fputc)(byte, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int fputs(const char *text, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(fputs)(text, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	size_t result = REAL(fwrite)(from, size, count, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int putchar_unlocked(int byte)
{
	struct norn_channel_call talk = norn_channel_call_prints(stdout);
	int result = REAL(putchar_unlocked)(byte);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int putc_unlocked(int byte, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(putc_unlocked)(byte, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int fputc_unlocked(int byte, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(fputc_unlocked)(byte, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT int fputs_unlocked(const char *text, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	int result = REAL(fputs_unlocked)(text, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT size_t fwrite_unlocked(const void *from, size_t size, size_t count, FILE *file)
{
	struct norn_channel_call talk = norn_channel_call_prints(file);
	size_t result = REAL(fwrite_unlocked)(from, size, count, file);
	norn_channel_call_printed(talk);
	return result;
}

NORN_EXPORT void perror(const char *text)
{
	struct norn_channel_call talk = norn_channel_call_prints(stderr);
	REAL(perror)(text);
	norn_channel_call_printed(talk);
}

NORN_EXPORT int fflush(FILE *file)
{
	if (!file) {
		struct norn_channel_call all = norn_channel_call_flushes();
		int result = REAL(fflush)(NULL);
		norn_channel_call_looked(all.site);
		return result;
	}
	struct norn_channel_call talk = norn_channel_call_by(file);
	int result = REAL(fflush)(file);
	norn_channel_call_waited(talk, result < 0);
	return result;
}

/* ---- buffers of the program in streams ---- */

/* From now on any user of the stream may write there: as with memory that has another address, a noticed write may be any
 * thread's. */
static void set_buffer(char *buffer, size_t bytes, uint32_t site)
{
	if (norn_self && buffer && bytes)
		norn_log_alloc(NORN_ALLOC_SHARED, buffer, bytes, site);
}

NORN_EXPORT int setvbuf(FILE *file, char *buffer, int mode, size_t bytes)
{
	uint32_t site = __norn_call_site;
	int result = REAL(setvbuf)(file, buffer, mode, bytes);
	set_buffer(mode == _IONBF ? NULL : buffer, bytes, site);
	return result;
}

NORN_EXPORT void setbuf(FILE *file, char *buffer)
{
	setvbuf(file, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ);
}

NORN_EXPORT void setbuffer(FILE *file, char *buffer, size_t bytes)
{
	setvbuf(file, buffer, buffer ? _IOFBF : _IONBF, bytes);
}
