// Types with Format, GoString, String, Error in all combinations inside containers, pointers, and embedded.
package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"
)

type Vec struct{ X, Y float64 }

func (v Vec) Format(s fmt.State, verb rune) {
	switch verb {
	case 'v', 'g':
		if s.Flag('#') {
			fmt.Fprintf(s, "Vec!(%#v, %#v)", v.X, v.Y)
			return
		}
		if s.Flag('+') {
			io.WriteString(s, "X=")
		}
		prec, ok := s.Precision()
		if !ok {
			prec = -1
		}
		fmt.Fprintf(s, "(%.*f;%.*f)", max(prec, 0), v.X, max(prec, 0), v.Y)
	case 's':
		w, ok := s.Width()
		fmt.Fprintf(s, "<%d %t %s>", w, ok, fmt.FormatString(s, verb))
	default:
		fmt.Fprintf(s, "%%!%c(Vec)", verb)
	}
}

type Goer struct{ n int }

func (g Goer) GoString() string { return fmt.Sprintf("Goer{%d!}", g.n) }

type Both struct{ msg string }

func (b Both) Error() string  { return "E:" + b.msg }
func (b Both) String() string { return "S:" + b.msg }

type PtrStringer struct{ n int }

func (p *PtrStringer) String() string { return strings.Repeat("*", p.n) }

type Panicky struct{ p *int }

func (p Panicky) String() string { return fmt.Sprint(*p.p) }

type Wrapped struct {
	Both
	Extra int
}
type Emb struct {
	*PtrStringer
	Name string
}
type Bytes []byte

func (b Bytes) String() string { return fmt.Sprintf("%d bytes", len(b)) }

type Level int8

func (l Level) String() string { return [...]string{"lo", "hi"}[l] }

type Rec struct {
	V    Vec
	G    Goer
	B    Both
	P    PtrStringer
	PP   *PtrStringer
	Bs   Bytes
	L    Level
	priv Level
	Next *Rec
}

func main() {
	v := Vec{1.25, -2}
	fmt.Printf("%v|%+v|%#v|%.2v|%8.1s|%-5s|%d|%g|%x\n", v, v, v, v, v, v, v, v, v)
	fmt.Println(v, []Vec{v, {}}, map[string]Vec{"k": v}, &v, struct{ V Vec }{v})
	g := Goer{3}
	fmt.Printf("%v %#v %#v %#v %#v\n", g, g, []Goer{g}, map[string]Goer{"a": g}, struct{ G Goer }{g})
	b := Both{"x"}
	for _, verb := range []string{"%v", "%s", "%q", "%x", "%#v", "%d", "%t", "%6.2v|", "%-7s|"} {
		fmt.Printf(verb+" ", b)
	}
	fmt.Println()
	fmt.Println(b, &b, []Both{b}, []any{b, &b}, [1]error{b}, map[Both]int{b: 1})
	p := PtrStringer{3}
	fmt.Println(p, &p, []PtrStringer{p}, []fmt.Stringer{&p}, struct{ P fmt.Stringer }{&p})
	fmt.Printf("%s %v %d %5v| %-5v|\n", &p, p, p, &p, &p)
	w := Wrapped{b, 7}
	e := Emb{&p, "emb"}
	fmt.Println(w, e, fmt.Sprintf("%+v", w), error(w).Error())
	fmt.Printf("%v %s %d %x %#v %q\n", Bytes("hey"), Bytes("hey"), Bytes("hey"), Bytes("hey"), Bytes("h"), Bytes("h"))
	fmt.Printf("%v %d %s %x %q %#v %T\n", Level(1), Level(1), Level(0), Level(1), Level(1), Level(1), Level(1))
	fmt.Println(Panicky{}, fmt.Sprintf("%d", Panicky{}), Level(5), []Level{0, 1})
	fmt.Printf("%v %s\n", (*PtrStringer)(nil), error(nil))
	r := Rec{v, g, b, p, &p, Bytes("ab"), 1, 1, nil}
	fmt.Printf("%v\n%+v\n", r.B, struct {
		L  []Level
		p  Level
		Bs Bytes
	}{[]Level{1}, 1, Bytes("q")})
	r.PP = nil
	fmt.Printf("%v\n%+v\n%#v\n", r, r, r)
	fmt.Printf("%v %+v\n", Rec{}.Next, errors.Join(b, io.EOF))
	fmt.Printf("%v %s %v %d\n", time.Second, 90*time.Minute, []time.Duration{1, 1e6}, time.Millisecond)
	fmt.Printf("%v %v %v %s %v\n", time.March, big.NewInt(-5), []*big.Int{big.NewInt(7)}[0], big.NewRat(1, 3), struct{ T time.Month }{2})
	fmt.Printf("%6d|%-6d|%06d|%+d|% d|%x|%X|%#x|%o|%b|%c|%q|%U\n", 42, 42, -42, 42, 42, -255, 255, 255, 8, 5, 0x4e16, rune(0x4e16), 0x4e16)
	fmt.Printf("%8.3f|%-8.2f|%+.1e|%g|%G|%08.3f|%v|%.3g\n", 3.14159, 2.5, 12345.678, 1e-7, 1e21, -1.5, 1e100, 1234567.0)
	fmt.Printf("%s|%10s|%-10s|%.2s|%q|%x|% x|%#q|%+q\n", "héllo", "héllo", "héllo", "héllo", "a\"b\n", "hi", "hi", "b`t", "é")
	fmt.Printf("%t|%5t|%v|%v|%v\n", true, false, nil, []string(nil), map[string]int(nil))
	fmt.Printf("%v|%+v|%T|%v|%.2f\n", 1+2i, complex64(1), 2i, [2][]int{{1}, nil}, 1.005+2.5i)
	fmt.Printf("%[2]v %[1]v %v|%[1]*[2]d|%%|%3c|%-3c|\n", 4, 7, 'x', 'y')
	fmt.Printf("%v %v\n", struct {
		a any
		b *int
		c func()
		d chan int
		e error
	}{}, [3]any{1, "s", nil})
	fmt.Println(fmt.Sprint(), fmt.Sprint("a", "b", 1, 2, true, "c"), fmt.Sprint(nil, nil), fmt.Sprintln("x", 1) == "x 1\n")
}
