#define NAME assembled
	.text
	.globl NAME
NAME:
	ret
	.section .note.GNU-stack,"",@progbits
