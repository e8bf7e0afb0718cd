/* New blocks and branches. See shim.h. */
#include "instrument/shim.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

LLVMValueRef norn_shim_split_normal(LLVMValueRef invoke)
{
	auto *i = cast<InvokeInst>(unwrap(invoke));
	BasicBlock *block = SplitEdge(i->getParent(), i->getNormalDest());
	return block ? wrap(&*block->getFirstInsertionPt()) : nullptr;
}

LLVMValueRef norn_shim_split_successor(LLVMValueRef terminator, unsigned successor)
{
	auto *end = cast<Instruction>(unwrap(terminator));
	BasicBlock *from = end->getParent(), *to = end->getSuccessor(successor);
	BasicBlock *between = BasicBlock::Create(from->getContext(), "", from->getParent(), to);
	auto *jump = BranchInst::Create(to, between);
	jump->setDebugLoc(end->getDebugLoc());
	end->setSuccessor(successor, between);
	for (PHINode &phi : to->phis())
		phi.setIncomingBlock(phi.getBasicBlockIndex(from), between);
	return wrap(jump);
}

namespace
{

/* The argument's value when it is not 0: the same, but for a truth value, which is 1. */
Value *other_than_zero(Value *argument)
{
	const auto *wider = dyn_cast<ZExtInst>(argument);
	bool truth = argument->getType()->isIntegerTy(1) || (wider && wider->getOperand(0)->getType()->isIntegerTy(1));
	return truth ? ConstantInt::get(argument->getType(), 1) : argument;
}

void split_call(CallInst *call, unsigned argument)
{
	IRBuilder<> builder(call);
	Value *condition = call->getArgOperand(argument), *failure = builder.CreateIsNull(condition);
	Instruction *then, *otherwise;
	SplitBlockAndInsertIfThenElse(failure, call, &then, &otherwise);
	BasicBlock *behind = call->getParent();
	auto *failing = cast<CallInst>(call->clone());
	failing->setArgOperand(argument, Constant::getNullValue(condition->getType()));
	failing->insertBefore(then);
	if (!call->use_empty()) {
		PHINode *result = PHINode::Create(call->getType(), 2, "", behind->begin());
		call->replaceAllUsesWith(result);
		result->addIncoming(failing, then->getParent());
		result->addIncoming(call, otherwise->getParent());
	}
	call->moveBefore(otherwise);
	call->setArgOperand(argument, other_than_zero(condition));
}

void split_invoke(InvokeInst *invoke, unsigned argument)
{
	Value *condition = invoke->getArgOperand(argument);
	BasicBlock *before = invoke->getParent(), *otherwise = before->splitBasicBlock(invoke);
	BasicBlock *failed = BasicBlock::Create(before->getContext(), "", before->getParent(), otherwise);
	auto *failing = cast<InvokeInst>(invoke->clone());
	failing->setArgOperand(argument, Constant::getNullValue(condition->getType()));
	failing->insertInto(failed, failed->end());
	for (BasicBlock *to : {invoke->getNormalDest(), invoke->getUnwindDest()})
		for (PHINode &phi : to->phis())
			phi.addIncoming(phi.getIncomingValueForBlock(otherwise), failed);
	before->getTerminator()->eraseFromParent();
	IRBuilder<> builder(before);
	builder.SetCurrentDebugLocation(invoke->getDebugLoc());
	builder.CreateCondBr(builder.CreateIsNull(condition), failed, otherwise);
	invoke->setArgOperand(argument, other_than_zero(condition));
}

} // namespace

void norn_shim_split_by_argument(LLVMValueRef value, unsigned argument)
{
	auto *c = cast<CallBase>(unwrap(value));
	const Value *condition = c->getArgOperand(argument);
	if (isa<Constant>(condition) || !(condition->getType()->isIntegerTy() || condition->getType()->isPointerTy()) ||
	        c->hasOperandBundles())
		return;
	if (auto *call = dyn_cast<CallInst>(c); call && !call->isMustTailCall())
		split_call(call, argument);
	else if (auto *invoke = dyn_cast<InvokeInst>(c); invoke && invoke->use_empty())
		split_invoke(invoke, argument);
}
