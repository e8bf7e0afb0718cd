/* The shim: what the pass needs of LLVM and LLVM-C does not offer.
 *
 * shim.cpp is the only C++ in Norn. It registers the pass with clang's pass manager, hands each module to norn_pass_module as an
 * LLVMModuleRef, and answers the questions below. Each is a narrow C accessor without policy: what may be shared, what becomes an
 * event and what it is called is decided in C. Nothing here owns anything but struct norn_types; strings are LLVM's own and live
 * as long as the context. */
#ifndef NORN_INSTRUMENT_SHIM_H
#define NORN_INSTRUMENT_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pass.c and preserve_source.c, called by the shim: true if the module was changed ---- */
bool norn_pass_wants(LLVMModuleRef module); /* does it get hooks? */
bool norn_pass_module(LLVMModuleRef module);
bool norn_preserve_conditions(LLVMModuleRef module);
bool norn_preserve_variables(LLVMModuleRef module, bool all);
bool norn_preserve_asserts(LLVMModuleRef module); /* functions that the user names as assertions, at all levels */
#define NORN_CALL_MARK "norn.call" /* metadata of a call: its number, and the function that it was written in */
bool norn_preserve_calls(LLVMModuleRef module);
bool norn_preserve_functions(LLVMModuleRef module);
bool norn_preserve_writes(LLVMModuleRef module, bool all, bool merges); /* merges: the optimiser may make one of several writes */

/* ---- pointers ---- */
/* The objects that pointer may point into, through GEPs, casts, phis and selects; at most max of them are stored, and the number
 * found is returned (it may be more). An object that cannot be looked through (a load, an argument) stands for itself. */
unsigned norn_shim_objects(LLVMValueRef pointer, LLVMValueRef *ret_objects, unsigned max);
/* May the address (of an alloca, an argument, an instruction) be known to anyone but this function's own accesses? A volatile
 * access through it does not make it known. */
bool norn_shim_captured(LLVMValueRef pointer);
/* The pointer's base and its constant distance from it in bytes. */
LLVMValueRef norn_shim_constant_offset(LLVMValueRef pointer, int64_t *ret_offset);
bool norn_shim_is_swifterror(LLVMValueRef value);
/* Storage passed in by the caller for this call only (byval, inalloca, preallocated). */
bool norn_shim_is_byval(LLVMValueRef argument);

/* ---- instructions and functions ---- */
/* Reasons why a function cannot have hook calls: no prologue, funclets, coroutines before their split, a garbage collector, … */
bool norn_shim_is_unfit(LLVMValueRef function);
/* A call that reads and writes no memory, returns and does not unwind. */
bool norn_shim_is_pure_call(LLVMValueRef call);
bool norn_shim_returns_twice(LLVMValueRef call);
/* Bytes that argument i of this call passes by value out of memory; 0 if it is passed otherwise. */
uint64_t norn_shim_byval_bytes(LLVMValueRef call, unsigned i);
/* The function that is called, casts and aliases looked through; NULL for a call through a pointer and for inline assembly. */
LLVMValueRef norn_shim_callee(LLVMValueRef call);
bool norn_shim_never_returns(LLVMValueRef call);
/* The functions that ifuncs name as their resolvers, and what these call in this module: they run before relocation is done. */
bool norn_shim_is_resolver(LLVMValueRef function);
/* No longer true once the function calls hooks: memory effects, speculatable, nosync, norecurse. */
void norn_shim_drop_attributes(LLVMValueRef function);
/* Puts a number before the function's first byte. */
void norn_shim_mark(LLVMValueRef function, uint64_t mark);
/* A place that is come to only when this invoke returns; NULL if there can be none. */
LLVMValueRef norn_shim_split_normal(LLVMValueRef invoke);
/* In place of this call one that is given 0 as this argument, if it is 0, and otherwise one that is not: 1, if it is 0 or 1.
 * Nothing is done where that cannot be. What stands behind the call comes into a block of its own. */
void norn_shim_split_by_argument(LLVMValueRef call, unsigned argument);
/* A place that is come to only by this way out of a terminator. */
LLVMValueRef norn_shim_split_successor(LLVMValueRef terminator, unsigned successor);
/* A block's first place that may take a call (after phis and the pad). */
LLVMValueRef norn_shim_first_insertion(LLVMBasicBlockRef block);
/* Splits the block before an instruction and makes a block that runs only if condition holds: its terminator. */
LLVMValueRef norn_shim_split_if(LLVMValueRef condition, LLVMValueRef before);
/* The same with a block for either case. */
void norn_shim_split_if_else(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef ret_ends[2]);
void norn_shim_promote(LLVMValueRef variable); /* of the stack, only loaded and stored, becomes values */
/* Registers a constructor; keeps a global in spite of linkers' section garbage collection. */
void norn_shim_add_constructor(LLVMModuleRef module, LLVMValueRef function, int priority);
void norn_shim_keep(LLVMModuleRef module, LLVMValueRef global);
void norn_shim_keep_for_compiler(LLVMModuleRef module, LLVMValueRef global); /* only the linker may drop it */

/* ---- aliasing metadata ---- */
/* The struct path of an access: name (or C++ identifier) of the outermost struct, and the offset in it. False if there is none. */
bool norn_shim_tbaa_path(LLVMValueRef access, const char **ret_name, size_t *ret_length, uint64_t *ret_offset);
bool norn_shim_has_tbaa(LLVMValueRef access);
bool norn_shim_is_vtable_access(LLVMValueRef access);
bool norn_shim_is_vtable(LLVMValueRef value); /* an address in the table of virtual functions of a class of C++ */

/* ---- debug information ---- */
/* Name of a variable, type, member or function with the functions, classes and namespaces around it: "f::count", "ns::Queue". */
/* The name that people write for a function of C++, without parameters; false: it is none. */
bool norn_shim_demangle(const char *linker, char *buffer, size_t size);
void norn_shim_qualified_name(LLVMMetadataRef node, char *buffer, size_t size);
const char *norn_shim_name(LLVMMetadataRef node, size_t *ret_length);
LLVMMetadataRef norn_shim_enclosing_function(LLVMMetadataRef scope); /* the DISubprogram around a scope; NULL if none */
/* The source position of the instruction (a DILocation): what the optimiser left, what it was at first, or where its value is
 * used; NULL, or line 0: not known. */
LLVMMetadataRef norn_shim_location(LLVMValueRef instruction);
void norn_shim_forget_lines(LLVMValueRef function); /* that were noted at first */
/* The DIGlobalVariable that the global is, or, *ret_offset bytes from its start, a part of; NULL if none. */
LLVMMetadataRef norn_shim_global_variable(LLVMValueRef global, uint64_t *ret_offset);
/* The DILocalVariable that lives at this address (an alloca, a byval argument); NULL if none. */
LLVMMetadataRef norn_shim_variable_at(LLVMValueRef address);
/* The DILocalVariable whose value this is; NULL if none. */
LLVMMetadataRef norn_shim_variable_of(LLVMValueRef value);
LLVMMetadataRef norn_shim_variable_type(LLVMMetadataRef variable);
/* Position of the source parameter that this argument carries the value of, from 0; -1 if debug information does not tell. */
int norn_shim_parameter(LLVMValueRef argument);
LLVMMetadataRef norn_shim_result_type(LLVMValueRef function); /* of a function, from its DISubprogram; NULL if void or unknown */
LLVMMetadataRef norn_shim_base_type(LLVMMetadataRef type); /* pointee, element, underlying or member type; NULL: void or none */
unsigned norn_shim_encoding(LLVMMetadataRef type); /* DW_ATE_… of a basic type, else 0 */
unsigned norn_shim_elements(LLVMMetadataRef type); /* members of a struct, dimensions of an array */
LLVMMetadataRef norn_shim_element(LLVMMetadataRef type, unsigned i);
int64_t norn_shim_dimension(LLVMMetadataRef subrange); /* how many; -1 if it varies or is unknown */

/* All structs, unions and classes that the module's debug information describes, by name and by identifier. */
struct norn_types;
struct norn_types *norn_shim_types_new(LLVMModuleRef module);
LLVMMetadataRef norn_shim_types_find(const struct norn_types *types, const char *name, size_t length);
void norn_shim_types_free(struct norn_types *types);

/* ---- control and dependence: post-dominators, loops and alias analysis get their accessors here with the slicing facts ---- */

#ifdef __cplusplus
}
#endif

#endif
