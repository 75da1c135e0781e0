// A two-pass assembler with symbols, expressions, macros, forward references, listing output and diagnostics with carets.
package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type Diag struct {
	Line, Col int
	Msg       string
	src       string
}

func (d *Diag) Error() string {
	return fmt.Sprintf("%d:%d: %s\n\t%s\n\t%s^", d.Line, d.Col, d.Msg, d.src, strings.Repeat(" ", d.Col-1))
}

type Diags []*Diag

func (d Diags) Error() string {
	var parts []string
	for _, x := range d {
		parts = append(parts, x.Error())
	}
	return strings.Join(parts, "\n")
}
func (d Diags) Unwrap() (errs []error) {
	for _, x := range d {
		errs = append(errs, x)
	}
	return
}

type macro struct {
	params []string
	body   []string
}

type Asm struct {
	symbols map[string]int
	macros  map[string]macro
	code    []byte
	listing []string
	diags   Diags
	line    int
	src     string
}

type bail struct{}

func (a *Asm) errorf(at string, format string, args ...any) {
	col := max(strings.Index(a.src, at), 0) + 1
	a.diags = append(a.diags, &Diag{a.line, col, fmt.Sprintf(format, args...), a.src})
	panic(bail{})
}

func (a *Asm) eval(s string, final bool) (v int) {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		l, r := a.eval(s[:i], final), a.eval(s[i+1:], final)
		if s[i] == '-' {
			r = -r
		}
		return l + r
	}
	if n, err := strconv.ParseInt(s, 0, 32); err == nil {
		return int(n)
	} else if errors.Is(err, strconv.ErrRange) {
		a.errorf(s, "%s is too large", s)
	}
	if len(s) == 3 && s[0] == '\'' && s[2] == '\'' {
		return int(s[1])
	}
	v, ok := a.symbols[s]
	if !ok && final {
		a.errorf(s, "undefined symbol %q", s)
	}
	return
}

var opcodes = map[string]struct {
	code byte
	args int
}{"nop": {0, 0}, "load": {0x10, 1}, "jmp": {0x20, 1}, "add": {0x30, 2}, "halt": {0xff, 0}}

func (a *Asm) expand(lines []string, depth int) (out []string) {
	for i := 0; i < len(lines); i++ {
		f := strings.Fields(lines[i])
		switch {
		case len(f) > 0 && f[0] == ".macro":
			end := slices.Index(lines[i:], ".end")
			a.macros[f[1]] = macro{f[2:], slices.Clone(lines[i+1 : i+end])}
			i += end
		case len(f) > 0 && a.macros[f[0]].body != nil && depth < 4:
			m := a.macros[f[0]]
			args := strings.Split(strings.Join(f[1:], ""), ",")
			var body []string
			for _, b := range m.body {
				for j, p := range m.params {
					b = strings.ReplaceAll(b, "%"+p, args[j])
				}
				body = append(body, b)
			}
			out = append(out, a.expand(body, depth+1)...)
		default:
			out = append(out, lines[i])
		}
	}
	return
}

func (a *Asm) pass(lines []string, final bool) {
	a.code = nil
	for i, l := range lines {
		a.line, a.src = i+1, l
		func() {
			defer func() {
				switch r := recover().(type) {
				case nil, bail:
				default:
					panic(r)
				}
			}()
			start := len(a.code)
			l, _, _ := strings.Cut(l, ";")
			if label, rest, ok := strings.Cut(l, ":"); ok {
				label = strings.TrimSpace(label)
				if _, dup := a.symbols[label]; dup && !final {
					a.errorf(label, "label %q defined twice", label)
				}
				a.symbols[label] = start
				l = rest
			}
			l = strings.TrimSpace(l)
			if l == "" {
				return
			}
			name, rest, _ := strings.Cut(l, " ")
			var args []string
			if rest = strings.TrimSpace(rest); rest != "" {
				args = strings.Split(rest, ",")
			}
			if name == "db" {
				for _, x := range args {
					a.code = append(a.code, byte(a.eval(x, final)))
				}
			} else if op, ok := opcodes[name]; !ok {
				a.code = append(a.code, 0)
				if final {
					a.errorf(name, "unknown instruction %q", name)
				}
			} else {
				if len(args) != op.args && final {
					a.errorf(name, "%s takes %d operands, got %d", name, op.args, len(args))
				}
				a.code = append(a.code, op.code)
				for _, x := range args {
					v := a.eval(x, final)
					if v < -128 || v > 255 {
						a.errorf(strings.TrimSpace(x), "%d does not fit a byte", v)
					}
					a.code = append(a.code, byte(v))
				}
			}
			if final {
				a.listing = append(a.listing, fmt.Sprintf("%04x %-10s %s", start, fmt.Sprintf("% x", a.code[start:]), l))
			}
		}()
	}
}

func Assemble(src string) (a *Asm, err error) {
	a = &Asm{symbols: map[string]int{}, macros: map[string]macro{}}
	lines := a.expand(strings.Split(src, "\n"), 0)
	a.pass(lines, false)
	if len(a.diags) == 0 {
		a.pass(lines, true)
	}
	if len(a.diags) > 0 {
		slices.SortStableFunc(a.diags, func(x, y *Diag) int { return x.Line - y.Line })
		return a, a.diags
	}
	return a, nil
}

func main() {
	a, err := Assemble(`.macro twice x y
add %x,%x
load %y
.end
start: load end-start ; forward
  twice 3, 'A'
loop: nop
  jmp loop+1
data: db 1, 0x2, -1,end
end: halt`)
	fmt.Println(err, a.symbols)
	fmt.Println(strings.Join(a.listing, "\n"))
	fmt.Printf("%x\n", a.code)
	for _, bad := range []string{"x: nop\nx: nop", "frob 1\n  jmp nowhere\nload 999\nadd 1", "load 99999999999", "load end+200\nend: halt", ""} {
		a, err := Assemble(bad)
		fmt.Println(err, len(a.code))
		var d *Diag
		var ds Diags
		if errors.As(err, &d) {
			fmt.Println(d.Line, d.Col, errors.As(err, &ds), len(ds))
		}
	}
	defer func() { fmt.Println("internal:", recover()) }()
	Assemble(".macro m a b\nload %b\n.end\nm 1")
}
