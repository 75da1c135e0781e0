#include "textflag.h"

// func dotSSE2(q []int16, row string) int32
//
// 16 elements a turn. A byte is unpacked with itself into a word and shifted
// right by 8, which extends its sign; PMADDWL multiplies words and adds pairs.
TEXT ·dotSSE2(SB), NOSPLIT, $0-44
	MOVQ q_base+0(FP), SI
	MOVQ q_len+8(FP), CX
	MOVQ row_base+24(FP), DI
	PXOR X0, X0
	PXOR X1, X1

loop:
	MOVOU     (DI), X2
	MOVOU     (SI), X4
	MOVOU     16(SI), X5
	MOVO      X2, X3
	PUNPCKLBW X2, X2
	PUNPCKHBW X3, X3
	PSRAW     $8, X2
	PSRAW     $8, X3
	PMADDWL   X4, X2
	PMADDWL   X5, X3
	PADDL     X2, X0
	PADDL     X3, X1
	ADDQ      $16, DI
	ADDQ      $32, SI
	SUBQ      $16, CX
	JNZ       loop

	PADDL  X1, X0
	PSHUFD $0x4E, X0, X1
	PADDL  X1, X0
	PSHUFD $0xB1, X0, X1
	PADDL  X1, X0
	MOVL   X0, ret+40(FP)
	RET

// func addSSE2(sum []float32, row string, scale float32)
//
// 16 elements a turn. A byte is put four times into a double word, whose shift
// by 24 extends its sign.
TEXT ·addSSE2(SB), NOSPLIT, $0-44
	MOVQ   sum_base+0(FP), SI
	MOVQ   sum_len+8(FP), CX
	MOVQ   row_base+24(FP), DI
	MOVSS  scale+40(FP), X7
	SHUFPS $0, X7, X7

next:
	MOVOU     (DI), X0
	MOVO      X0, X2
	PUNPCKLBW X0, X0
	PUNPCKHBW X2, X2
	MOVO      X0, X1
	MOVO      X2, X3
	PUNPCKLWL X0, X0
	PUNPCKHWL X1, X1
	PUNPCKLWL X2, X2
	PUNPCKHWL X3, X3
	PSRAL     $24, X0
	PSRAL     $24, X1
	PSRAL     $24, X2
	PSRAL     $24, X3
	CVTPL2PS  X0, X0
	CVTPL2PS  X1, X1
	CVTPL2PS  X2, X2
	CVTPL2PS  X3, X3
	MULPS     X7, X0
	MULPS     X7, X1
	MULPS     X7, X2
	MULPS     X7, X3
	MOVUPS    (SI), X4
	MOVUPS    16(SI), X5
	MOVUPS    32(SI), X6
	MOVUPS    48(SI), X8
	ADDPS     X4, X0
	ADDPS     X5, X1
	ADDPS     X6, X2
	ADDPS     X8, X3
	MOVUPS    X0, (SI)
	MOVUPS    X1, 16(SI)
	MOVUPS    X2, 32(SI)
	MOVUPS    X3, 48(SI)
	ADDQ      $16, DI
	ADDQ      $64, SI
	SUBQ      $16, CX
	JNZ       next
	RET
