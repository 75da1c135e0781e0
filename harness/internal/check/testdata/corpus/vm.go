package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
)

type OpCode byte

const (
	PUSH OpCode = iota
	ADD
	SUB
	MUL
	DIV
	JMP
	JNZ
	LOAD
	STORE
	PRINT
	CALL
	RET
	HALT
	numOps
)

var names = [numOps]string{PUSH: "PUSH", ADD: "ADD", SUB: "SUB", MUL: "MUL", DIV: "DIV", JMP: "JMP", JNZ: "JNZ", LOAD: "LOAD", STORE: "STORE", PRINT: "PRINT", CALL: "CALL", RET: "RET", HALT: "HALT"}

func (o OpCode) String() string {
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("OpCode(%#02x)", byte(o))
}

func (o OpCode) hasArg() bool {
	switch o {
	case PUSH, JMP, JNZ, LOAD, STORE, CALL:
		return true
	}
	return false
}

type Fault struct {
	PC   int
	Op   OpCode
	Kind error
}

func (f *Fault) Error() string { return fmt.Sprintf("fault at %04d (%v): %v", f.PC, f.Op, f.Kind) }
func (f *Fault) Unwrap() error { return f.Kind }

var (
	ErrStack = errors.New("stack underflow")
	ErrDiv   = errors.New("divide by zero")
	ErrOp    = errors.New("illegal instruction")
	ErrSteps = errors.New("step limit")
)

type VM struct {
	code  []byte
	pc    int
	stack []int32
	calls []int
	mem   [8]int32
	out   strings.Builder
}

func (vm *VM) push(v int32) { vm.stack = append(vm.stack, v) }
func (vm *VM) pop() int32 {
	n := len(vm.stack)
	if n == 0 {
		panic(ErrStack)
	}
	v := vm.stack[n-1]
	vm.stack = vm.stack[:n-1]
	return v
}

func (vm *VM) Run(limit int) (err error) {
	var op OpCode
	start := 0
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(error); ok {
				err = &Fault{start, op, e}
				return
			}
			panic(r)
		}
	}()
	for step := 0; ; step++ {
		if step >= limit {
			panic(ErrSteps)
		}
		start = vm.pc
		op = OpCode(vm.code[vm.pc])
		vm.pc++
		var arg int32
		if op.hasArg() {
			arg = int32(binary.BigEndian.Uint32(vm.code[vm.pc:]))
			vm.pc += 4
		}
		switch op {
		case PUSH:
			vm.push(arg)
		case ADD, SUB, MUL, DIV:
			b, a := vm.pop(), vm.pop()
			switch op {
			case ADD:
				a += b
			case SUB:
				a -= b
			case MUL:
				a *= b
			case DIV:
				if b == 0 {
					panic(ErrDiv)
				}
				a /= b
			}
			vm.push(a)
		case JMP:
			vm.pc = int(arg)
		case JNZ:
			if vm.pop() != 0 {
				vm.pc = int(arg)
			}
		case LOAD:
			vm.push(vm.mem[arg])
		case STORE:
			vm.mem[arg] = vm.pop()
		case PRINT:
			fmt.Fprintf(&vm.out, "%d ", vm.pop())
		case CALL:
			vm.calls = append(vm.calls, vm.pc)
			vm.pc = int(arg)
		case RET:
			vm.pc, vm.calls = vm.calls[len(vm.calls)-1], vm.calls[:len(vm.calls)-1]
		case HALT:
			return nil
		default:
			panic(ErrOp)
		}
	}
}

func assemble(src string) ([]byte, map[string]int, error) {
	labels := map[string]int{}
	type fix struct {
		at    int
		label string
	}
	var fixes []fix
	var code []byte
next:
	for i, line := range strings.Split(src, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' {
			continue next
		}
		if l, ok := strings.CutSuffix(line, ":"); ok {
			labels[l] = len(code)
			continue
		}
		var mn, arg string
		fmt.Sscan(line, &mn, &arg)
		for op, n := range names {
			if n != strings.ToUpper(mn) {
				continue
			}
			code = append(code, byte(op))
			if OpCode(op).hasArg() {
				var v int32
				if _, err := fmt.Sscanf(arg, "%d", &v); err != nil {
					fixes = append(fixes, fix{len(code), arg})
				}
				code = binary.BigEndian.AppendUint32(code, uint32(v))
			}
			continue next
		}
		return nil, nil, fmt.Errorf("line %d: unknown mnemonic %q", i+1, mn)
	}
	for _, f := range fixes {
		at, ok := labels[f.label]
		if !ok {
			return nil, nil, fmt.Errorf("undefined label %s", f.label)
		}
		binary.BigEndian.PutUint32(code[f.at:], uint32(at))
	}
	return code, labels, nil
}

func main() {
	progs := []string{
		"push 5\nstore 0\nloop:\nload 0\nprint\nload 0\npush 1\nsub\nstore 0\nload 0\njnz loop\nhalt",
		"push 6\ncall sq\nprint\nhalt\nsq:\nstore 1\nload 1\nload 1\nmul\nret",
		"add", "push 1\npush 0\ndiv\nhalt", "x:\njmp x", "push 1\nfrob", "jmp nowhere", "push 9\nload 12\nhalt", "ret", "push 1",
	}
	for _, p := range progs {
		code, labels, err := assemble(p)
		if err != nil {
			fmt.Println("asm:", err)
			continue
		}
		vm := &VM{code: code}
		err = vm.Run(1000)
		var f *Fault
		fmt.Printf("%-14s labels=%d err=%v", vm.out.String(), len(labels), err)
		if errors.As(err, &f) {
			fmt.Printf(" op=%d is=%t", f.Op, errors.Is(err, ErrStack) || errors.Is(err, ErrDiv))
		}
		fmt.Println()
	}
	fmt.Println(OpCode(77), PUSH, []OpCode{ADD, RET}, numOps)
	fmt.Fprintln(os.Stderr, "done")
}
