package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type Level int

func (l Level) String() string { return "L" + strings.Repeat("*", int(l)) }

type Point struct{ X, Y int }

func (p Point) Sum() int            { return p.X + p.Y }
func (p *Point) Move(dx int) *Point { return &Point{p.X + dx, p.Y} }
func (p *Point) PtrOnly() string    { return "ptr" }
func (p Point) Add(q Point) Point   { return Point{p.X + q.X, p.Y + q.Y} }
func (p Point) Join(sep string, xs ...int) string {
	return fmt.Sprint(p.X, sep, xs)
}
func (p Point) Fail(s string) (string, error) {
	if s == "" {
		return "", errors.New("empty <arg>")
	}
	return s, nil
}
func (p Point) Two() (int, int)          { return 1, 2 }
func (p Point) Nothing()                 {}
func (p Point) Three() (int, int, error) { return 1, 2, nil }
func (p Point) Boom() string             { panic("boom!") }
func (p Point) BoomErr() string          { panic(errors.New("boomerr")) }
func (p Point) Index(i int) int          { return []int{1, 2}[i] }
func (p Point) Lv(l Level) Level         { return l + 1 }
func (p Point) Lvs(l ...Level) int       { return len(l) }

type Box struct {
	P    Point
	PP   *Point
	Nil  *Point
	L    Level
	Ls   []Level
	M    map[string]Level
	MK   map[Level]string
	I    any
	E    error
	S    fmt.Stringer
	F    func(Level) Level
	V    func(...Point) int
	priv int
}

func main() {
	b := &Box{P: Point{1, 2}, PP: &Point{3, 4}, L: 2, Ls: []Level{1, 2, 3}, M: map[string]Level{"a": 1, "b": 2},
		MK: map[Level]string{2: "two", 1: "one"}, I: Point{5, 6}, S: Level(3), F: func(l Level) Level { return l * 2 }, V: func(p ...Point) int { return len(p) }}
	texts := []string{
		"{{.P}} {{.PP}} {{.Nil}} {{.L}} {{.Ls}} {{.M}} {{.MK}} {{.I}} {{.E}} {{.S}}",
		"{{.P.Sum}} {{.PP.Sum}} {{.P.PtrOnly}} {{.PP.PtrOnly}} {{(.PP.Move 3).X}} {{.I.Sum}}",
		"{{.I.PtrOnly}}", "{{.Nil.Sum}}", "{{.Nil.X}}", "{{.Nil.PtrOnly}}", "{{.Nil.Nope}}", "{{.E.Error}}", "{{.S.String}}", "{{.priv}}", "{{.Nope}}", "{{.P.Nope}}", "{{.L.X}}",
		"{{.P.Add .P}} {{.P.Add .PP}} {{.P.Add .I}}", "{{.P.Add .L}}", "{{.P.Add 1}}", "{{.P.Add nil}}", "{{.P.Add .Nil}}", "{{.P.Add}}", "{{.P.Add .P .P}}", "{{.P | .P.Add}}", "{{.L | .P.Add}}",
		"{{.P.Join \"-\"}} {{.P.Join \"-\" 1 2}} {{.P.Join \"-\" 1 .P.X}}", "{{.P.Join}}", "{{.P.Join 1}}", "{{.P.Join \"a\" \"b\"}}", "{{.P.Join \"a\" .L}}", "{{3 | .P.Join \"a\" 1}}", "{{\"x\" | .P.Join}}",
		"{{.P.Fail \"ok\"}}", "{{.P.Fail \"\"}}", "{{.P.Two}}", "{{.P.Nothing}}", "{{.P.Three}}", "{{.P.Boom}}", "{{.P.BoomErr}}", "{{.P.Index 1}}", "{{.P.Index 5}}",
		"{{.P.Lv 3}} {{.P.Lv .L}}", "{{.P.Lv .P.X}}", "{{.P.Lv \"x\"}}", "{{.P.Lv 1.5}}", "{{.P.Lvs 1 .L 3}}", "{{.P.Lvs 1 \"x\"}}",
		"{{call .F 2}} {{call .F .L}} {{call .V}} {{call .V .P .P}}", "{{call .F}}", "{{call .F \"x\"}}", "{{call .F 1 2}}", "{{call .P}}", "{{call .Nil}}", "{{call nil}}", "{{call .V 1}}", "{{call .F .P.X}}", "{{.F 2}}", "{{.F}}", "{{call .Nope}}",
		"{{.M.a}} {{.M.zz}} {{.M.a.String}} {{index .M \"b\"}} {{index .MK 1}} {{index .MK .L}} {{index .M \"q\"}}", "{{index .M 1}}", "{{index .MK \"a\"}}", "{{index .Ls 1}} {{index .Ls .L}}", "{{index .Ls 3}}", "{{index .Ls -1}}", "{{index .Ls 9}}", "{{index .Ls \"a\"}}", "{{index .Ls nil}}", "{{index .P 1}}", "{{index .Nil 1}}", "{{index nil 1}}", "{{index .I 0}}",
		"{{slice .Ls 1}} {{slice .Ls 1 2}} {{len (slice .Ls 0 2 3)}}", "{{slice .Ls 2 1}}", "{{slice .P 1}}", "{{slice .Ls 1 9}}", "{{slice .L}}", "{{len .Ls}} {{len .M}} {{len .S.String}}", "{{len .P}}", "{{len .L}}", "{{len .Nil}}", "{{len nil}}",
	}
	for _, s := range texts {
		t, err := template.New("t").Parse(s)
		if err != nil {
			fmt.Println("PARSE", err)
			continue
		}
		for _, d := range []any{b, *b} {
			var sb strings.Builder
			err = t.Execute(&sb, d)
			out := sb.String()
			if strings.Contains(out, "0xc") || strings.Contains(out, "(0x") {
				out = "addr"
			}
			fmt.Printf("%s => %s | %v\n", s, out, err)
		}
	}
	_ = os.Stdout
}
