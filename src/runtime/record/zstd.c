/* libzstd calls these functions if anyone defines them, and the watched program may: zstd does. Without definitions of our own,
 * compressing a block would run the program's code, inside a hook. */

unsigned long long ZSTD_trace_compress_begin(const void *context);
void ZSTD_trace_compress_end(unsigned long long trace, const void *what);
unsigned long long ZSTD_trace_decompress_begin(const void *context);
void ZSTD_trace_decompress_end(unsigned long long trace, const void *what);

unsigned long long ZSTD_trace_compress_begin(const void *context)
{
	return 0;
}

void ZSTD_trace_compress_end(unsigned long long trace, const void *what)
{
}

unsigned long long ZSTD_trace_decompress_begin(const void *context)
{
	return 0;
}

void ZSTD_trace_decompress_end(unsigned long long trace, const void *what)
{
}
