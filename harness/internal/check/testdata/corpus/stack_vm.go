// A byte-code stack machine: assembler, disassembler, traps recovered.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Op byte

const (
	PUSH Op = iota + 1
	ADD
	SUB
	MUL
	DIV
	DUP
	SWAP
	JMP
	JNZ
	PRINT
	CALL
	RET
	HALT
)

var names = map[Op]string{PUSH: "push", ADD: "add", SUB: "sub", MUL: "mul", DIV: "div", DUP: "dup", SWAP: "swap",
	JMP: "jmp", JNZ: "jnz", PRINT: "print", CALL: "call", RET: "ret", HALT: "halt"}

var byName = func() map[string]Op {
	m := make(map[string]Op, len(names))
	for o, n := range names {
		m[n] = o
	}
	return m
}()

func (o Op) String() string {
	if n, ok := names[o]; ok {
		return n
	}
	return fmt.Sprintf("op(%#02x)", byte(o))
}

func (o Op) hasArg() bool { return o == PUSH || o == JMP || o == JNZ || o == CALL }

type asmError struct {
	line int
	err  error
}

func (a asmError) Error() string { return fmt.Sprintf("line %d: %v", a.line, a.err) }
func (a asmError) Unwrap() error { return a.err }

func assemble(src string) (code []byte, err error) {
	labels := map[string]int{}
	fix := map[int]string{}
	sc := bufio.NewScanner(strings.NewReader(src))
	for n := 1; sc.Scan(); n++ {
		line, _, _ := strings.Cut(sc.Text(), ";")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if l, ok := strings.CutSuffix(f[0], ":"); ok {
			labels[l] = len(code)
			continue
		}
		op, ok := byName[f[0]]
		if !ok {
			return code, asmError{n, fmt.Errorf("unknown op %q", f[0])}
		}
		code = append(code, byte(op))
		if !op.hasArg() {
			continue
		}
		v, err := strconv.ParseInt(f[1], 0, 32)
		if errors.Is(err, strconv.ErrSyntax) {
			fix[len(code)], v = f[1], 0
		} else if err != nil {
			return code, asmError{n, err}
		}
		code = binary.BigEndian.AppendUint32(code, uint32(int32(v)))
	}
	for at, l := range fix {
		a, ok := labels[l]
		if !ok {
			return nil, fmt.Errorf("undefined label %s", l)
		}
		binary.BigEndian.PutUint32(code[at:], uint32(a))
	}
	return code, nil
}

type VM struct {
	code  []byte
	pc    int
	stack []int
	rets  []int
	out   strings.Builder
	steps int
}

func (m *VM) push(v int) { m.stack = append(m.stack, v) }
func (m *VM) pop() int {
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

var errSteps = errors.New("step limit")

func (m *VM) Run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("trap at %d after %d steps: %v", m.pc, m.steps, r)
		}
	}()
	arith := map[Op]func(a, b int) int{
		ADD: func(a, b int) int { return a + b },
		SUB: func(a, b int) int { return a - b },
		MUL: func(a, b int) int { return a * b },
		DIV: func(a, b int) int { return a / b },
	}
	for m.steps = 0; ; m.steps++ {
		if m.steps > 1000 {
			return errSteps
		}
		op := Op(m.code[m.pc])
		m.pc++
		var arg int
		if op.hasArg() {
			arg = int(int32(binary.BigEndian.Uint32(m.code[m.pc:])))
			m.pc += 4
		}
		switch op {
		case PUSH:
			m.push(arg)
		case DUP:
			m.push(m.stack[len(m.stack)-1])
		case SWAP:
			n := len(m.stack)
			m.stack[n-1], m.stack[n-2] = m.stack[n-2], m.stack[n-1]
		case JNZ:
			if m.pop() == 0 {
				break
			}
			fallthrough
		case JMP:
			m.pc = arg
		case CALL:
			m.rets = append(m.rets, m.pc)
			m.pc = arg
		case RET:
			m.pc, m.rets = m.rets[len(m.rets)-1], m.rets[:len(m.rets)-1]
		case PRINT:
			fmt.Fprintf(&m.out, "%d ", m.pop())
		case HALT:
			return nil
		default:
			f, ok := arith[op]
			if !ok {
				panic(op)
			}
			b, a := m.pop(), m.pop()
			m.push(f(a, b))
		}
	}
}

func main() {
	progs := []string{
		"push 5\nloop:\ndup\nprint\npush 1\nsub\ndup\njnz loop ; again\nhalt",
		"push 7\ncall sq\nprint\npush -3\ncall sq\nprint\nhalt\nsq:\ndup\nmul\nret",
		"push 1\npush 0\ndiv\nhalt", "add", "l:\njmp l", "push 99999999999", "frob", "jmp nowhere", "push 0x10\npush 010\nswap\nprint\nprint\nhalt", "ret",
	}
	for i, src := range progs {
		code, err := assemble(src)
		if err != nil {
			fmt.Printf("%d: %v (range=%t, %d bytes)\n", i, err, errors.Is(err, strconv.ErrRange), len(code))
			continue
		}
		m := VM{code: code}
		err = m.Run()
		fmt.Printf("%d: %x out=%q stack=%v err=%v\n", i, code, m.out.String(), m.stack, err)
	}
	fmt.Println((&VM{code: []byte{0x7f}}).Run())
	fmt.Printf("%v %d %s\n", []Op{PUSH, HALT, 99}, PUSH, Op(0))
}
