/* See shim.h. */
#include "instrument/shim.h"

extern "C" {
#include "instrument/hook_filter.h"
}

#include <map>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/EHPersonalities.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace
{

template <typename T> T *node(LLVMMetadataRef metadata)
{
	return dyn_cast_or_null<T>(unwrap(metadata));
}

LLVMMetadataRef ref(const Metadata *metadata)
{
	return wrap(const_cast<Metadata *>(metadata));
}

struct NornPass : PassInfoMixin<NornPass> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		return norn_pass_module(wrap(&module)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
	}
	static bool isRequired() /* optnone functions too */
	{
		return true;
	}
};

/* The optimiser takes the line from what it moves; what it does not know it takes along, as long as the access is the source's on
 * its way. */
const char LINE[] = "norn.line";

void noteLines(Module &module)
{
	for (Function &function : module)
		for (Instruction &i : instructions(function))
			if (i.mayReadOrWriteMemory() && !isa<CallBase>(i) && i.getDebugLoc() && i.getDebugLoc().getLine())
				i.setMetadata(LINE, i.getDebugLoc().get());
}

struct KeepPass : PassInfoMixin<KeepPass> {
	bool functions, merges;
	explicit KeepPass(bool functions, bool merges) : functions(functions), merges(merges)
	{
	}
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		if (!norn_pass_wants(wrap(&module)))
			return PreservedAnalyses::all();
		noteLines(module);
		bool changed = norn_preserve_conditions(wrap(&module));
		changed |= norn_preserve_asserts(wrap(&module));
		changed |= norn_preserve_calls(wrap(&module));
		changed |= norn_preserve_variables(wrap(&module), functions || norn_hook_filter_set());
		changed |= norn_preserve_writes(wrap(&module), functions, merges);
		if (functions || norn_hook_filter_set())
			changed |= norn_preserve_functions(wrap(&module));
		return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
	}
};

/* Options of the optimiser that have no other handle than its command line (preserve_source.h says why each is set). One that the
 * user gave stays. */
void setOption(StringRef name, StringRef value)
{
	auto &options = cl::getRegisteredOptions();
	auto found = options.find(name);
	if (found != options.end() && !found->second->getNumOccurrences())
		found->second->addOccurrence(0, name, value);
}

/* A load whose address was chosen, and which might read what is not private: SROA and InstCombine would read both, then choose. */
bool isChosen(const LoadInst &load)
{
	const Value *pointer = load.getPointerOperand()->stripInBoundsOffsets();
	if (const auto *address = dyn_cast<GetElementPtrInst>(pointer))
		pointer = getUnderlyingObject(address, 0);
	if (!load.isSimple() || !isa<SelectInst, PHINode>(pointer))
		return false;
	SmallVector<const Value *, 8> objects;
	getUnderlyingObjects(pointer, objects, nullptr, 0);
	return !all_of(objects, [](const Value *object) { return isa<AllocaInst>(object); });
}

const char HELD[] = "norn.held";

bool choosesReads(StringRef pass)
{
	return pass == "SROAPass" || pass == "InstCombinePass";
}

const Function *functionOf(const Any &unit)
{
	const auto *function = any_cast<const Function *>(&unit);
	return function ? *function : nullptr;
}

/* InstCombine would read all lanes of a masked load where it may. It knows nothing of a function of another name. */
bool isMaskedLoad(const Instruction &i)
{
	const auto *call = dyn_cast<IntrinsicInst>(&i);
	if (!call || call->getIntrinsicID() != Intrinsic::masked_load)
		return false;
	const auto *mask = dyn_cast<Constant>(call->getArgOperand(2));
	return !mask || !mask->isAllOnesValue();
}

void disguise(CallInst *call)
{
	Function *callee = call->getCalledFunction();
	FunctionCallee other = call->getModule()->getOrInsertFunction(
	        (HELD + callee->getName()).str(), callee->getFunctionType(), callee->getAttributes());
	call->setCalledFunction(other);
}

Function *undisguised(CallInst *call)
{
	Function *callee = call->getCalledFunction();
	StringRef name = callee ? callee->getName() : "";
	return name.consume_front(HELD) ? call->getModule()->getFunction(name) : nullptr;
}

/* The two leave volatile loads alone. */
void holdReads(StringRef pass, Any unit)
{
	auto *function = const_cast<Function *>(choosesReads(pass) ? functionOf(unit) : nullptr);
	if (!function)
		return;
	for (Instruction &i : instructions(*function)) {
		if (auto *load = dyn_cast<LoadInst>(&i); load && isChosen(*load)) {
			load->setVolatile(true);
			load->setMetadata(HELD, MDNode::get(function->getContext(), {}));
		} else if (isMaskedLoad(i)) {
			disguise(cast<CallInst>(&i));
		}
	}
}

void releaseReads(StringRef pass, Any unit, const PreservedAnalyses &)
{
	auto *function = const_cast<Function *>(choosesReads(pass) ? functionOf(unit) : nullptr);
	if (!function)
		return;
	for (Instruction &i : instructions(*function)) {
		if (auto *load = dyn_cast<LoadInst>(&i); load && load->getMetadata(HELD)) {
			load->setVolatile(false);
			load->setMetadata(HELD, nullptr);
		} else if (auto *call = dyn_cast<CallInst>(&i)) {
			if (Function *callee = undisguised(call))
				call->setCalledFunction(callee);
		}
	}
}

/* An ordinary capture, but volatile accesses through the pointer are only accesses. */
struct Escape : CaptureTracker {
	bool found = false;
	void tooManyUses() override
	{
		found = true;
	}
	bool captured(const Use *use) override
	{
		const auto *user = cast<Instruction>(use->getUser());
		unsigned operand = use->getOperandNo();
		if ((isa<LoadInst>(user) && operand == LoadInst::getPointerOperandIndex()) ||
		        (isa<StoreInst>(user) && operand == StoreInst::getPointerOperandIndex()) ||
		        (isa<AtomicRMWInst>(user) && operand == AtomicRMWInst::getPointerOperandIndex()) ||
		        (isa<AtomicCmpXchgInst>(user) && operand == AtomicCmpXchgInst::getPointerOperandIndex()) ||
		        isa<AnyMemIntrinsic>(user) || isa<VAStartInst>(user) || isa<VAEndInst>(user) || isa<VACopyInst>(user))
			return false;
		return found = true;
	}
};

const unsigned USES_MAX = 20000;

/* True if the object's address is passed to a function that is defined here and may be instrumented, even if it does not keep it.
 * That function's accesses are events; if ours were not, it would seem to read values that were never written. */
bool passed_on(const Value *pointer)
{
	SmallVector<const Value *, 16> work = {pointer};
	SmallPtrSet<const Value *, 16> seen;
	while (!work.empty()) {
		const Value *value = work.pop_back_val();
		if (!seen.insert(value).second)
			continue;
		if (seen.size() > USES_MAX)
			return true;
		for (const User *user : value->users()) {
			if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user))
				work.push_back(user);
			const auto *call = dyn_cast<CallBase>(user);
			const Function *callee = call ? call->getCalledFunction() : nullptr;
			if (callee && !callee->isDeclaration() && !callee->hasAvailableExternallyLinkage())
				return true;
		}
	}
	return false;
}

bool calledByResolver(const Function *function, SmallPtrSetImpl<const Function *> &seen)
{
	if (!seen.insert(function).second)
		return false;
	for (const GlobalIFunc &ifunc : function->getParent()->ifuncs())
		if (ifunc.getResolverFunction() == function)
			return true;
	if (function->getParent()->ifunc_empty())
		return false;
	for (const User *user : function->users())
		if (const auto *call = dyn_cast<CallBase>(user))
			if (calledByResolver(call->getFunction(), seen))
				return true;
	return false;
}

/* Debug information of a value: it is (part of) a variable's value, or the variable's address. */
struct DebugUse {
	DILocalVariable *variable;
	bool address, whole; /* whole: not only a fragment; for an address: the variable starts here */
};

bool startsHere(const DIExpression *expression)
{
	auto fragment = expression->getFragmentInfo();
	return expression->getNumElements() == (fragment ? 3 : 0) && (!fragment || fragment->OffsetInBits == 0);
}

DebugUse describeUse(DILocalVariable *variable, const DIExpression *expression, bool declares)
{
	if (declares)
		return {variable, true, startsHere(expression)};
	if (expression->isDeref())
		return {variable, true, true};
	return {variable, false, expression->getNumElements() == 0};
}

/* Visits the debug records and intrinsics that speak of value until visit returns true. */
template <typename Visit> void eachDebugUse(Value *value, Visit visit)
{
	SmallVector<DbgVariableIntrinsic *, 4> intrinsics;
	SmallVector<DbgVariableRecord *, 4> records;
	findDbgUsers(intrinsics, value, &records);
	for (auto *r : records) {
		if (r->isDbgAssign() && r->getAddress() == value && r->getAddressExpression()->getNumElements() == 0 &&
		        visit(DebugUse{r->getVariable(), true, startsHere(r->getExpression())}))
			return;
		if (!r->hasArgList() && r->getVariableLocationOp(0) == value &&
		        visit(describeUse(r->getVariable(), r->getExpression(), r->isDbgDeclare())))
			return;
	}
	for (auto *i : intrinsics)
		if (!i->hasArgList() && i->getVariableLocationOp(0) == value &&
		        visit(describeUse(i->getVariable(), i->getExpression(), isa<DbgDeclareInst>(i))))
			return;
}

/* True if memory holds the value of the variable, or of a part of it. A flag that is only ever 0 or 1 may have become a byte. */
bool holdsValue(const DIExpression *expression)
{
	const uint64_t narrowed[] = {dwarf::DW_OP_deref_size, 1, dwarf::DW_OP_constu, 1, dwarf::DW_OP_mul, dwarf::DW_OP_constu, 0,
	        dwarf::DW_OP_plus, dwarf::DW_OP_stack_value};
	ArrayRef<uint64_t> elements = expression->getElements();
	if (expression->getFragmentInfo())
		elements = elements.drop_back(3);
	return elements.empty() || elements == ArrayRef<uint64_t>(narrowed);
}

StringRef nameOf(const Metadata *metadata)
{
	if (const auto *variable = dyn_cast<DIVariable>(metadata))
		return variable->getName();
	if (const auto *scope = dyn_cast<DIScope>(metadata)) /* types and functions too */
		return scope->getName();
	return "";
}

const DIScope *scopeOf(const Metadata *metadata)
{
	if (const auto *variable = dyn_cast<DIVariable>(metadata))
		return variable->getScope();
	if (const auto *scope = dyn_cast<DIScope>(metadata))
		return scope->getScope();
	return nullptr;
}

} // namespace

struct norn_types {
	std::map<std::string, DICompositeType *> byName;
};

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return {LLVM_PLUGIN_API_VERSION, "norn", "1", [](PassBuilder &builder) {
		        setOption("disable-licm-promotion", "true");
		        setOption("enable-load-in-loop-pre", "false");
		        setOption("enable-interleaved-mem-accesses", "false");
		        setOption("pick-merged-source-locations", "true");
		        if (auto *callbacks = builder.getPassInstrumentationCallbacks()) {
			        callbacks->registerShouldRunOptionalPassCallback(
			                [](StringRef pass, Any) { return pass != "ArgumentPromotionPass"; });
			        callbacks->registerBeforeNonSkippedPassCallback(holdReads);
			        callbacks->registerAfterPassCallback(releaseReads);
		        }
		        builder.registerPipelineStartEPCallback([](ModulePassManager &manager, OptimizationLevel level) {
			        bool all = level == OptimizationLevel::O1;
			        manager.addPass(KeepPass(all, !all && level != OptimizationLevel::O0));
		        });
		        builder.registerOptimizerLastEPCallback(
		                [](ModulePassManager &manager, OptimizationLevel) { manager.addPass(NornPass()); });
		        builder.registerPipelineParsingCallback(
		                [](StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
			                if (name != "norn")
				                return false;
			                manager.addPass(NornPass());
			                return true;
		                });
	        }};
}

/* ---- pointers ---- */

unsigned norn_shim_objects(LLVMValueRef pointer, LLVMValueRef *ret_objects, unsigned max)
{
	SmallVector<const Value *, 8> objects;
	getUnderlyingObjects(unwrap(pointer), objects, nullptr, 0);
	for (unsigned i = 0; i < objects.size() && i < max; i++)
		ret_objects[i] = wrap(objects[i]);
	return objects.size();
}

bool norn_shim_captured(LLVMValueRef pointer)
{
	Escape escape;
	PointerMayBeCaptured(unwrap(pointer), &escape, USES_MAX);
	return escape.found || passed_on(unwrap(pointer));
}

LLVMValueRef norn_shim_constant_offset(LLVMValueRef pointer, int64_t *ret_offset)
{
	const Value *value = unwrap(pointer);
	const Module *module = nullptr;
	if (const auto *i = dyn_cast<Instruction>(value))
		module = i->getModule();
	else if (const auto *global = dyn_cast<GlobalValue>(value->stripInBoundsOffsets()))
		module = global->getParent();
	*ret_offset = 0;
	if (!module)
		return pointer;
	const DataLayout &layout = module->getDataLayout();
	APInt offset(layout.getIndexTypeSizeInBits(value->getType()), 0);
	value = value->stripAndAccumulateConstantOffsets(layout, offset, true);
	*ret_offset = offset.getSExtValue();
	return wrap(value);
}

bool norn_shim_is_swifterror(LLVMValueRef value)
{
	return unwrap(value)->isSwiftError();
}

bool norn_shim_is_byval(LLVMValueRef argument)
{
	const auto *a = dyn_cast<Argument>(unwrap(argument));
	return a && a->hasPassPointeeByValueCopyAttr();
}

/* ---- instructions and functions ---- */

bool norn_shim_is_unfit(LLVMValueRef function)
{
	const auto *f = cast<Function>(unwrap(function));
	if (f->hasFnAttribute(Attribute::Naked) || f->hasFnAttribute(Attribute::DisableSanitizerInstrumentation) || f->hasGC() ||
	        f->isPresplitCoroutine() || f->hasFnAttribute("interrupt") || f->hasFnAttribute("no_caller_saved_registers"))
		return true;
	CallingConv::ID convention = f->getCallingConv();
	if (convention == CallingConv::GHC || convention == CallingConv::HiPE || convention == CallingConv::X86_INTR)
		return true;
	if (f->hasPersonalityFn() && isScopedEHPersonality(classifyEHPersonality(f->getPersonalityFn())))
		return true;
	for (const BasicBlock &block : *f)
		if (const Instruction *first = block.getFirstNonPHI())
			if (first->isEHPad() && !isa<LandingPadInst>(first))
				return true;
	return false;
}

bool norn_shim_is_pure_call(LLVMValueRef call)
{
	const auto *c = cast<CallBase>(unwrap(call));
	return c->doesNotAccessMemory() && c->doesNotThrow() && c->hasFnAttr(Attribute::WillReturn);
}

void norn_shim_mark(LLVMValueRef function, uint64_t mark)
{
	auto *f = cast<Function>(unwrap(function));
	if (!f->hasPrefixData())
		f->setPrefixData(ConstantInt::get(Type::getInt64Ty(f->getContext()), mark));
}

bool norn_shim_demangle(const char *linker, char *buffer, size_t size)
{
	ItaniumPartialDemangler demangler;
	if (demangler.partialDemangle(linker) || !demangler.isFunction())
		return false;
	char *name = demangler.getFunctionName(nullptr, nullptr);
	bool fits = name && strlen(name) < size;
	if (fits)
		strcpy(buffer, name);
	free(name);
	return fits;
}

bool norn_shim_returns_twice(LLVMValueRef call)
{
	return cast<CallBase>(unwrap(call))->hasFnAttr(Attribute::ReturnsTwice);
}

uint64_t norn_shim_byval_bytes(LLVMValueRef call, unsigned i)
{
	const auto *c = cast<CallBase>(unwrap(call));
	return c->isByValArgument(i) ? c->getDataLayout().getTypeAllocSize(c->getParamByValType(i)).getFixedValue() : 0;
}

LLVMValueRef norn_shim_callee(LLVMValueRef call)
{
	const Value *callee = cast<CallBase>(unwrap(call))->getCalledOperand()->stripPointerCastsAndAliases();
	return isa<Function>(callee) ? wrap(callee) : nullptr;
}

bool norn_shim_never_returns(LLVMValueRef call)
{
	return cast<CallBase>(unwrap(call))->doesNotReturn();
}

bool norn_shim_is_resolver(LLVMValueRef function)
{
	SmallPtrSet<const Function *, 8> seen;
	return calledByResolver(cast<Function>(unwrap(function)), seen);
}

void norn_shim_drop_attributes(LLVMValueRef function)
{
	auto *f = cast<Function>(unwrap(function));
	const Attribute::AttrKind untrue[] = {Attribute::Memory, Attribute::Speculatable, Attribute::NoSync, Attribute::NoCallback};
	for (Attribute::AttrKind kind : untrue) {
		f->removeFnAttr(kind);
		for (User *user : f->users())
			if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == f)
				call->removeFnAttr(kind);
	}
}

LLVMValueRef norn_shim_first_insertion(LLVMBasicBlockRef block)
{
	BasicBlock *b = unwrap(block);
	auto place = b->getFirstInsertionPt();
	return place == b->end() ? nullptr : wrap(&*place);
}

void norn_shim_add_constructor(LLVMModuleRef module, LLVMValueRef function, int priority)
{
	appendToGlobalCtors(*unwrap(module), cast<Function>(unwrap(function)), priority);
}

void norn_shim_keep(LLVMModuleRef module, LLVMValueRef global)
{
	appendToUsed(*unwrap(module), {cast<GlobalValue>(unwrap(global))});
}

void norn_shim_keep_for_compiler(LLVMModuleRef module, LLVMValueRef global)
{
	appendToCompilerUsed(*unwrap(module), {cast<GlobalValue>(unwrap(global))});
}

LLVMValueRef norn_shim_split_if(LLVMValueRef condition, LLVMValueRef before)
{
	return wrap(SplitBlockAndInsertIfThen(unwrap(condition), cast<Instruction>(unwrap(before)), false));
}

void norn_shim_split_if_else(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef ret_ends[2])
{
	Instruction *ends[2];
	SplitBlockAndInsertIfThenElse(unwrap(condition), cast<Instruction>(unwrap(before)), ends, ends + 1);
	ret_ends[0] = wrap(ends[0]);
	ret_ends[1] = wrap(ends[1]);
}

void norn_shim_promote(LLVMValueRef variable)
{
	auto *alloca = cast<AllocaInst>(unwrap(variable));
	DominatorTree tree(*alloca->getFunction());
	PromoteMemToReg({alloca}, tree);
}

/* ---- aliasing metadata ---- */

bool norn_shim_tbaa_path(LLVMValueRef access, const char **ret_name, size_t *ret_length, uint64_t *ret_offset)
{
	const MDNode *tag = cast<Instruction>(unwrap(access))->getMetadata(LLVMContext::MD_tbaa);
	if (!tag || tag->getNumOperands() < 3 || tag->getOperand(0) == tag->getOperand(1))
		return false;
	const auto *base = dyn_cast_or_null<MDNode>(tag->getOperand(0));
	const auto *offset = mdconst::dyn_extract_or_null<ConstantInt>(tag->getOperand(2));
	if (!base || base->getNumOperands() < 1 || !offset)
		return false;
	const auto *name = dyn_cast_or_null<MDString>(base->getOperand(0));
	if (!name || name->getString().empty())
		return false;
	*ret_name = name->getString().data();
	*ret_length = name->getString().size();
	*ret_offset = offset->getZExtValue();
	return true;
}

bool norn_shim_has_tbaa(LLVMValueRef access)
{
	return cast<Instruction>(unwrap(access))->getMetadata(LLVMContext::MD_tbaa) != nullptr;
}

bool norn_shim_is_vtable_access(LLVMValueRef access)
{
	const auto *instruction = dyn_cast<Instruction>(unwrap(access));
	const MDNode *tag = instruction ? instruction->getMetadata(LLVMContext::MD_tbaa) : nullptr;
	return tag && tag->isTBAAVtableAccess();
}

bool norn_shim_is_vtable(LLVMValueRef value)
{
	const auto *global = dyn_cast<GlobalValue>(unwrap(value)->stripInBoundsConstantOffsets());
	return global && (global->getName().starts_with("_ZTV") || global->getName().starts_with("_ZTC"));
}

/* ---- debug information ---- */

void norn_shim_qualified_name(LLVMMetadataRef node, char *buffer, size_t size)
{
	std::string name;
	const Metadata *at = unwrap(node);
	if (at)
		name = nameOf(at).str();
	for (const DIScope *scope = at ? scopeOf(at) : nullptr; scope; scope = scope->getScope()) {
		bool names = isa<DISubprogram>(scope) || isa<DIType>(scope) || isa<DINamespace>(scope);
		if (names && !scope->getName().empty())
			name = scope->getName().str() + "::" + name;
	}
	size_t n = std::min(name.size(), size - 1);
	memcpy(buffer, name.data(), n);
	buffer[n] = 0;
}

const char *norn_shim_name(LLVMMetadataRef node, size_t *ret_length)
{
	StringRef name = node ? nameOf(unwrap(node)) : StringRef("");
	*ret_length = name.size();
	return name.data();
}

LLVMMetadataRef norn_shim_enclosing_function(LLVMMetadataRef scope)
{
	const auto *local = node<DILocalScope>(scope);
	return local ? ref(local->getSubprogram()) : nullptr;
}

LLVMMetadataRef norn_shim_location(LLVMValueRef instruction)
{
	const auto *i = cast<Instruction>(unwrap(instruction));
	if (i->getDebugLoc() && i->getDebugLoc().getLine())
		return ref(i->getDebugLoc().get());
	if (const MDNode *noted = i->getMetadata(LINE))
		return ref(noted);
	for (const User *user : i->users())
		if (const auto *other = dyn_cast<Instruction>(user);
		        other && other->getDebugLoc() && other->getDebugLoc().getLine())
			return ref(other->getDebugLoc().get());
	return ref(i->getDebugLoc().get());
}

void norn_shim_forget_lines(LLVMValueRef function)
{
	for (Instruction &i : instructions(*cast<Function>(unwrap(function))))
		i.setMetadata(LINE, nullptr);
}

LLVMMetadataRef norn_shim_global_variable(LLVMValueRef global, uint64_t *ret_offset)
{
	const auto *variable = dyn_cast<GlobalVariable>(unwrap(global));
	if (!variable)
		return nullptr;
	SmallVector<DIGlobalVariableExpression *, 2> expressions;
	variable->getDebugInfo(expressions);
	for (const auto *e : expressions) {
		auto fragment = e->getExpression()->getFragmentInfo();
		if (!holdsValue(e->getExpression()) || (fragment && fragment->OffsetInBits % 8))
			continue;
		*ret_offset = fragment ? fragment->OffsetInBits / 8 : 0;
		return ref(e->getVariable());
	}
	return nullptr;
}

LLVMMetadataRef norn_shim_variable_at(LLVMValueRef address)
{
	LLVMMetadataRef found = nullptr;
	eachDebugUse(unwrap(address), [&](const DebugUse &use) {
		if (use.address && use.whole)
			found = ref(use.variable);
		return found != nullptr;
	});
	return found;
}

LLVMMetadataRef norn_shim_variable_of(LLVMValueRef value)
{
	LLVMMetadataRef found = nullptr;
	if (isa<Constant>(unwrap(value)))
		return nullptr;
	eachDebugUse(unwrap(value), [&](const DebugUse &use) {
		if (!use.address && use.whole)
			found = ref(use.variable);
		return found != nullptr;
	});
	return found;
}

LLVMMetadataRef norn_shim_variable_type(LLVMMetadataRef variable)
{
	const auto *v = node<DIVariable>(variable);
	return v ? ref(v->getType()) : nullptr;
}

int norn_shim_parameter(LLVMValueRef argument)
{
	Value *value = unwrap(argument);
	const DISubprogram *subprogram = cast<Argument>(value)->getParent()->getSubprogram();
	int found = -1;
	auto visit = [&](const DebugUse &use) {
		if (use.whole && use.variable->getArg() && use.variable->getScope() == subprogram)
			found = use.variable->getArg() - 1;
		return found >= 0;
	};
	eachDebugUse(value, visit);
	for (User *user : value->users())
		if (auto *store = dyn_cast<StoreInst>(user); store && found < 0 && store->getValueOperand() == value)
			if (auto *home = dyn_cast<AllocaInst>(store->getPointerOperand()))
				eachDebugUse(home, visit);
	return found;
}

LLVMMetadataRef norn_shim_result_type(LLVMValueRef function)
{
	const auto *f = dyn_cast_or_null<Function>(unwrap(function));
	const DISubprogram *subprogram = f ? f->getSubprogram() : nullptr;
	if (!subprogram || !subprogram->getType())
		return nullptr;
	auto types = subprogram->getType()->getTypeArray();
	return types && types.size() ? ref(types[0]) : nullptr;
}

LLVMMetadataRef norn_shim_base_type(LLVMMetadataRef type)
{
	if (const auto *derived = node<DIDerivedType>(type))
		return ref(derived->getBaseType());
	if (const auto *composite = node<DICompositeType>(type))
		return ref(composite->getBaseType());
	return nullptr;
}

unsigned norn_shim_encoding(LLVMMetadataRef type)
{
	const auto *basic = node<DIBasicType>(type);
	return basic ? basic->getEncoding() : 0;
}

unsigned norn_shim_elements(LLVMMetadataRef type)
{
	const auto *composite = node<DICompositeType>(type);
	return composite && composite->getElements() ? composite->getElements().size() : 0;
}

LLVMMetadataRef norn_shim_element(LLVMMetadataRef type, unsigned i)
{
	return ref(node<DICompositeType>(type)->getElements()[i]);
}

int64_t norn_shim_dimension(LLVMMetadataRef subrange)
{
	const auto *range = node<DISubrange>(subrange);
	if (!range)
		return -1;
	auto count = range->getCount();
	auto *constant = count ? dyn_cast_if_present<ConstantInt *>(count) : nullptr;
	return constant ? constant->getSExtValue() : -1;
}

struct norn_types *norn_shim_types_new(LLVMModuleRef module)
{
	auto *types = new norn_types;
	DebugInfoFinder finder;
	finder.processModule(*unwrap(module));
	for (DIType *type : finder.types()) {
		auto *composite = dyn_cast<DICompositeType>(type);
		if (!composite || composite->isForwardDecl() || composite->getTag() == dwarf::DW_TAG_array_type)
			continue;
		if (!composite->getName().empty())
			types->byName.emplace(composite->getName().str(), composite);
		if (!composite->getIdentifier().empty())
			types->byName.emplace(composite->getIdentifier().str(), composite);
	}
	return types;
}

LLVMMetadataRef norn_shim_types_find(const struct norn_types *types, const char *name, size_t length)
{
	auto found = types->byName.find(std::string(name, length));
	return found == types->byName.end() ? nullptr : ref(found->second);
}

void norn_shim_types_free(struct norn_types *types)
{
	delete types;
}
