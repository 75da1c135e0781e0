#include "textflag.h"

// Stub n jumps into the closure in slot n. The arguments stay where they are,
// so a stub serves every signature. Each takes 16 bytes.
#define S1(n) MOVD ·slots+((n)*8)(SB), R26; MOVD (R26), R16; JMP (R16); PCALIGN $16;
#define S8(n) S1(n) S1(n+1) S1(n+2) S1(n+3) S1(n+4) S1(n+5) S1(n+6) S1(n+7)
#define S64(n) S8(n) S8(n+8) S8(n+16) S8(n+24) S8(n+32) S8(n+40) S8(n+48) S8(n+56)
#define S512(n) S64(n) S64(n+64) S64(n+128) S64(n+192) S64(n+256) S64(n+320) S64(n+384) S64(n+448)

TEXT ·stub(SB), NOSPLIT|NOFRAME, $0-0
	PCALIGN $16
	S512(0) S512(512) S512(1024) S512(1536) S512(2048) S512(2560) S512(3072) S512(3584)
	RET

// func stubBase() uintptr
TEXT ·stubBase(SB), NOSPLIT, $0-8
	MOVD $·stub(SB), R0
	MOVD R0, ret+0(FP)
	RET
