package main

import (
	"errors"
	"fmt"
	"strings"
)

type OpCode byte

const (
	PUSH OpCode = iota
	ADD
	SUB
	MUL
	DIV
	DUP
	SWAP
	JMP
	JZ
	CALL
	RET
	PRINT
	LOAD
	STORE
	LT
	HALT
)

var names = map[string]OpCode{"push": PUSH, "add": ADD, "sub": SUB, "mul": MUL, "div": DIV, "dup": DUP, "swap": SWAP, "jmp": JMP, "jz": JZ, "call": CALL, "ret": RET, "print": PRINT, "load": LOAD, "store": STORE, "lt": LT, "halt": HALT}

type Instr struct {
	Op  OpCode
	Arg int
	Src string
}

type Stack[T any] []T

func (s *Stack[T]) Push(v T) { *s = append(*s, v) }
func (s *Stack[T]) Pop() T {
	if len(*s) == 0 {
		panic(ErrUnderflow)
	}
	v := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return v
}
func (s Stack[T]) Peek() (v T, ok bool) {
	if len(s) == 0 {
		return
	}
	return s[len(s)-1], true
}

var (
	ErrUnderflow = errors.New("stack underflow")
	ErrSteps     = errors.New("step limit")
)

type VMError struct {
	PC    int
	Instr Instr
	Err   error
}

func (e *VMError) Error() string { return fmt.Sprintf("pc=%d (%s): %v", e.PC, e.Instr.Src, e.Err) }
func (e *VMError) Unwrap() error { return e.Err }

type VM struct {
	code  []Instr
	data  Stack[int]
	calls Stack[int]
	mem   [8]int
	out   strings.Builder
	steps int
}

func assemble(src string) (code []Instr, err error) {
	labels := map[string]int{}
	type fix struct {
		at    int
		label string
	}
	var fixes []fix
	for n, line := range strings.Split(src, "\n") {
		line, _, _ = strings.Cut(line, ";")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if l, ok := strings.CutSuffix(f[0], ":"); ok {
			labels[l] = len(code)
			f = f[1:]
		}
		if len(f) == 0 {
			continue
		}
		op, ok := names[f[0]]
		if !ok {
			return nil, fmt.Errorf("line %d: unknown op %q", n+1, f[0])
		}
		in := Instr{Op: op, Src: strings.Join(f, " ")}
		if len(f) > 1 {
			if _, err := fmt.Sscan(f[1], &in.Arg); err != nil {
				fixes = append(fixes, fix{len(code), f[1]})
			}
		}
		code = append(code, in)
	}
	for _, fx := range fixes {
		addr, ok := labels[fx.label]
		if !ok {
			err = errors.Join(err, fmt.Errorf("undefined label %s", fx.label))
			continue
		}
		code[fx.at].Arg = addr
	}
	return code, err
}

func (vm *VM) Run(limit int) (err error) {
	pc := 0
	var in Instr
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				e = fmt.Errorf("%v", r)
			}
			err = &VMError{pc, in, e}
		}
	}()
	bin := func(f func(a, b int) int) {
		b, a := vm.data.Pop(), vm.data.Pop()
		vm.data.Push(f(a, b))
	}
loop:
	for {
		if vm.steps++; vm.steps > limit {
			return ErrSteps
		}
		in = vm.code[pc]
		next := pc + 1
		switch in.Op {
		case PUSH:
			vm.data.Push(in.Arg)
		case ADD:
			bin(func(a, b int) int { return a + b })
		case SUB:
			bin(func(a, b int) int { return a - b })
		case MUL:
			bin(func(a, b int) int { return a * b })
		case DIV:
			bin(func(a, b int) int { return a / b })
		case LT:
			bin(func(a, b int) int {
				if a < b {
					return 1
				}
				return 0
			})
		case DUP:
			v, ok := vm.data.Peek()
			if !ok {
				return &VMError{pc, in, ErrUnderflow}
			}
			vm.data.Push(v)
		case SWAP:
			n := len(vm.data)
			vm.data[n-1], vm.data[n-2] = vm.data[n-2], vm.data[n-1]
		case JZ:
			if vm.data.Pop() != 0 {
				break
			}
			fallthrough
		case JMP:
			next = in.Arg
		case CALL:
			vm.calls.Push(next)
			next = in.Arg
		case RET:
			next = vm.calls.Pop()
		case LOAD:
			vm.data.Push(vm.mem[in.Arg])
		case STORE:
			vm.mem[in.Arg] = vm.data.Pop()
		case PRINT:
			fmt.Fprint(&vm.out, vm.data.Pop(), " ")
		case HALT:
			break loop
		}
		pc = next
	}
	return nil
}

func main() {
	progs := map[string]string{
		"fact":  "push 10\nstore 0\npush 1\nstore 1\nloop: load 0\njz end\nload 1\nload 0\nmul\nstore 1\nload 0\npush 1\nsub\nstore 0\njmp loop\nend: load 1\nprint\nhalt",
		"call":  "push 7 ; arg\ncall sq\nprint\nhalt\nsq: dup\nmul\nret",
		"div0":  "push 1\npush 0\ndiv\nhalt",
		"under": "push 1\nadd\nhalt",
		"loop":  "x: jmp x",
		"off":   "push 1",
		"mem":   "load 9\nhalt",
		"swap":  "swap\nhalt",
		"label": "jmp a\njz b",
		"what":  "frob 1",
		"retx":  "ret",
		"lt":    "push 1\npush 2\nlt\nprint\npush 3\npush 2\nlt\nprint\nhalt",
	}
	for _, name := range []string{"fact", "call", "div0", "under", "loop", "off", "mem", "swap", "label", "what", "retx", "lt"} {
		code, err := assemble(progs[name])
		if err != nil {
			fmt.Printf("%-6s asm: %q\n", name, err.Error())
			continue
		}
		vm := VM{code: code}
		err = vm.Run(1000)
		var ve *VMError
		fmt.Printf("%-6s out=%q err=%v steps=%d under=%v vmerr=%v\n", name, vm.out.String(), err, vm.steps, errors.Is(err, ErrUnderflow), errors.As(err, &ve))
	}
}
