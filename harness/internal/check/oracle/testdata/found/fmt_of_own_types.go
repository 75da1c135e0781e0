package main

import (
	"errors"
	"fmt"
	"os"
	"time"
)

type Color int

const (
	Red Color = iota
	Green
)

func (c Color) String() string { return [...]string{"Red", "Green"}[c] }

type Pt struct{ X, Y int }
type PtS struct{ X, Y int }

func (p *PtS) String() string { return fmt.Sprintf("<%d,%d>", p.X, p.Y) }

type Bytes []byte
type Arr [3]byte
type Name string
type M map[string]*Pt
type Fn func(int) int
type Ch chan int
type E struct {
	Code int
	err  error
}

func (e E) Error() string { return fmt.Sprintf("E%d", e.Code) }

type Nest struct {
	C   Color
	c   Color
	P   *Pt
	PS  PtS
	PPS *PtS
	B   []byte
	b   Bytes
	A   Arr
	N   Name
	M   map[Name]Color
	I   any
	E   error
	F   func()
	Ch  chan int
	T   time.Duration
	An  struct{ Z int }
	Em
	*Ep
	L []any
}
type Em struct{ Q int }
type Ep struct{ R string }

type GS struct{ v int }

func (g GS) GoString() string { return "GS!" }

type Fm struct{ v int }

func (f Fm) Format(s fmt.State, verb rune) {
	w, ok := s.Width()
	p, ok2 := s.Precision()
	fmt.Fprintf(s, "Fm[%c %d %v %d %v %v %v]", verb, w, ok, p, ok2, s.Flag('+'), s.Flag('#'))
}

type U8 uint8
type Fl float64
type Cx complex64
type Bo bool
type Ru rune
type Err2 []string

func (e Err2) Error() string { return "err2" }

func main() {
	p := &Pt{1, 2}
	n := Nest{C: Green, c: Green, PS: PtS{3, 4}, B: []byte("hi"), b: Bytes("yo"), A: Arr{1, 2, 3}, N: "nm", M: map[Name]Color{"a": Red, "b": Green}, I: Green, E: E{7, nil}, T: 1500 * time.Millisecond, Em: Em{5}, L: []any{1, "s", nil, Green, Pt{1, 2}, E{1, nil}}}
	fmt.Printf("%v\n", n)
	fmt.Printf("%+v\n", n)
	fmt.Printf("%#v\n", n)
	fmt.Printf("%T %T %T %T %T\n", n, &n, n.M, n.F, n.An)
	for _, x := range []any{Green, p, *p, &PtS{1, 2}, PtS{1, 2}, Bytes("ab"), Arr{65, 66, 67}, Name("x"), M{"k": nil}, E{3, nil}, &E{4, nil}, GS{1}, &GS{2}, []GS{{1}}, Fm{1}, &Fm{2}, []Fm{{3}}, U8(200), Fl(1.5), Cx(1 + 2i), Bo(true), Ru('x'), Err2{"a"}, []Color{Red, Green}, map[Color]Pt{Red: {1, 2}}, [2]Name{"a", "b"}, []Name{"a"}, struct {
		A Color
		b Name
	}{Green, "q"}, []error{E{1, nil}, E{2, nil}}, []*Pt{nil}, []U8{1, 2}, [][]byte{[]byte("q")}, []Bytes{Bytes("w")}, map[string][]byte{"a": []byte("z")}, nil, []any{nil, 1}, (*Pt)(nil), (*E)(nil), Fn(nil), Ch(nil), M(nil), Bytes(nil), []string(nil), error(nil), [0]int{}, struct{}{}, time.Second, []time.Duration{1}, time.Month(3)} {
		for _, f := range []string{"%v", "%+v", "%#v", "%T", "%s", "%q", "%d", "%x", "%X", "% x", "%#x", "%t", "%c", "%e", "%6.2f", "%10v|", "%-10v|", "%05d", "%+d", "%U", "%b", "%o", "%08b", "%z", "%.2s", "%.1v", "%5t"} {
			switch x.(type) {
			case *Pt, *PtS, *E, *GS, *Fm:
				if f == "%d" || f == "%x" || f == "%X" || f == "%b" || f == "%o" {
					continue
				}
			}
			s := fmt.Sprintf(f, x)
			if len(s) > 2 && s[:2] == "0x" && f != "%#x" {
				s = "addr"
			}
			fmt.Println(f, s)
		}
	}
	fmt.Printf("%[2]v %[1]v %d\n", Green, p.X, Green)
	fmt.Printf("%*d|%-*d|\n", 5, Green, 4, Red)
	fmt.Printf("%v %v\n", Green)
	fmt.Printf("%v\n", Green, Red)
	fmt.Printf("%!\n", 1)
	fmt.Printf("%d %s\n", "s", Green)
	fmt.Printf("%w\n", E{1, nil})
	fmt.Println(fmt.Errorf("w: %w %w", E{1, nil}, errors.New("z")))
	fmt.Println(Green, "a", 1, 2, "b", Name("c"), Name("d"), E{1, nil}, p.X)
	fmt.Print(Green, "a", 1, 2, "b", Name("c"), Name("d"), E{1, nil}, 3, Green, "\n")
	fmt.Fprintln(os.Stdout, Name("x"), []Name{"y"}, [2]Color{})
	fmt.Println(fmt.Sprint(Name("a"), Name("b")), fmt.Sprint(1, 2, Green, Red), fmt.Sprintln(p.X, Green))
	fmt.Printf("%v %s\n", []any{E{1, nil}, nil, Green}, []any{"a", Green, 3})
	fmt.Printf("%6v|%-6v|%06d|%x|%X\n", Green, Red, Green, Name("hi"), Bytes("hi"))
	fmt.Printf("%t %v\n", Bo(true), Bo(false))
	fmt.Printf("%s %v %d\n", &n.PS, &n.PS, n.A)
	fmt.Printf("%v %+v\n", &n.An, &struct{ A *int }{})
	fmt.Printf("%#v %#v %#v %#v\n", Green, Name("x"), U8(1), Fl(2))
	fmt.Printf("%#v %#v\n", []any{1, "a", nil, 1.5, Green, []int{1}}, map[string]any{"a": 1, "b": Pt{1, 2}})
	fmt.Printf("%#v %#v %#v\n", struct{ X any }{nil}, struct{ E error }{nil}, []error{nil})
	fmt.Printf("%v %v\n", struct{ a, b any }{Green, E{1, nil}}, struct{ e error }{E{1, nil}})
	fmt.Printf("%x %X %x\n", []string{"ab", "c"}, []Name{"ab"}, [3]U8{1, 2, 3})
	fmt.Printf("%s|%10s|%-10s|%.3s|%q|%x\n", Name("hello"), Name("hello"), Name("hello"), Name("hello"), Name("hello"), Name("hello"))
	fmt.Printf("%p\n", nil)
	fmt.Printf("%v %d\n", [3]bool{true}, []Bo{true})
	var np *PtS
	fmt.Printf("%v %+v %s\n", np, np, np)
	var ne error
	fmt.Println(ne, []error{ne}, np == nil)
}
