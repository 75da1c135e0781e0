// An accumulator machine with instructions as struct values, tables of method expressions and tracing via callbacks.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Reg uint8

const (
	A Reg = iota
	B
	C
	numRegs
)

func (r Reg) String() string { return string('A' + rune(r)) }

type Operand interface {
	load(*CPU) int
	fmt.Stringer
}
type Imm int
type Mem struct {
	Base Reg
	Off  int
}

func (r Reg) load(c *CPU) int { return c.regs[r] }
func (i Imm) load(*CPU) int   { return int(i) }
func (m Mem) load(c *CPU) int { return c.mem[c.regs[m.Base]+m.Off] }
func (i Imm) String() string  { return "#" + strconv.Itoa(int(i)) }
func (m Mem) String() string  { return fmt.Sprintf("[%v%+d]", m.Base, m.Off) }

type Instr struct {
	Name string
	Dst  Reg
	Src  Operand
}

type CPU struct {
	regs  [numRegs]int
	mem   [8]int
	pc    int
	flags struct{ zero, neg bool }
	Trace func(before, after CPU, in Instr)
}

type opFunc func(*CPU, Reg, Operand) error

var ErrHalt = errors.New("halt")

func (c *CPU) set(r Reg, v int) {
	c.regs[r] = v
	c.flags.zero, c.flags.neg = v == 0, v < 0
}
func (c *CPU) mov(d Reg, s Operand) error { c.set(d, s.load(c)); return nil }
func (c *CPU) add(d Reg, s Operand) error { c.set(d, c.regs[d]+s.load(c)); return nil }
func (c *CPU) div(d Reg, s Operand) error { c.set(d, c.regs[d]/s.load(c)); return nil }
func (c *CPU) store(d Reg, s Operand) error {
	m, ok := s.(Mem)
	if !ok {
		return fmt.Errorf("store to %v (%T)", s, s)
	}
	c.mem[c.regs[m.Base]+m.Off] = c.regs[d]
	return nil
}
func (c *CPU) jnz(_ Reg, s Operand) error {
	if !c.flags.zero {
		c.pc = s.load(c)
	}
	return nil
}

var ops = map[string]opFunc{"mov": (*CPU).mov, "add": (*CPU).add, "div": (*CPU).div, "st": (*CPU).store, "jnz": (*CPU).jnz,
	"hlt": func(*CPU, Reg, Operand) error { return ErrHalt }}

type Fault struct {
	PC    int
	Instr Instr
	Cause any
}

func (f *Fault) Error() string { return fmt.Sprintf("fault at %d (%v): %v", f.PC, f.Instr, f.Cause) }
func (f *Fault) Unwrap() error { err, _ := f.Cause.(error); return err }

func (c *CPU) Run(prog []Instr, limit int) (steps int, err error) {
	var in Instr
	at := 0
	defer func() {
		if r := recover(); r != nil {
			err = &Fault{at, in, r}
		}
	}()
	for ; steps < limit; steps++ {
		at = c.pc
		in = prog[c.pc]
		before := *c
		c.pc++
		op, ok := ops[in.Name]
		if !ok {
			return steps, &Fault{PC: at, Instr: in, Cause: "illegal " + in.Name}
		}
		switch err := op(c, in.Dst, in.Src); {
		case errors.Is(err, ErrHalt):
			return steps, nil
		case err != nil:
			return steps, &Fault{at, in, err}
		}
		if c.Trace != nil {
			c.Trace(before, *c, in)
		}
	}
	return steps, errors.New("limit")
}

func parse(src string) (prog []Instr) {
	for line := range strings.SplitSeq(src, ";") {
		f := strings.Fields(line)
		in := Instr{Name: f[0], Src: Imm(0)}
		if len(f) > 1 {
			in.Dst = Reg(f[1][0] - 'A')
		}
		if len(f) > 2 {
			switch s := f[2]; s[0] {
			case '#':
				n, _ := strconv.Atoi(s[1:])
				in.Src = Imm(n)
			case '[':
				n, _ := strconv.Atoi(s[2 : len(s)-1])
				in.Src = Mem{Reg(s[1] - 'A'), n}
			default:
				in.Src = Reg(s[0] - 'A')
			}
		}
		prog = append(prog, in)
	}
	return
}

func main() {
	var changed []string
	trace := func(before, after CPU, in Instr) {
		if before.mem != after.mem {
			changed = append(changed, fmt.Sprint(in.Src, "=", after.mem))
		}
	}
	for _, src := range []string{
		"mov A #5;mov B #0;add B A;st B [A-1];add A #-1;jnz A #2;hlt",
		"mov A #1;div A #0", "mov A #9;mov B [A+0]", "st A #3", "bogus A", "mov A #1;jnz A #1", "mov A #1", "mov A #-7;mov C A;div C #2;hlt",
	} {
		c := CPU{Trace: trace}
		n, err := c.Run(parse(src), 100)
		var f *Fault
		fmt.Println(n, c.regs, c.mem, c.flags, err, errors.As(err, &f))
	}
	fmt.Println(strings.Join(changed, "\n"))
	fmt.Printf("%v %+v %s %d\n", Mem{B, 2}, Instr{"x", C, Imm(4)}, A, B)
}
