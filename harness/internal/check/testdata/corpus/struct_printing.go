// Every fmt verb on user types: nested structs, pointers, maps, slices, Stringers inside, Formatter, GoStringer.
package main

import (
	"errors"
	"fmt"
	"time"
)

type ID int

func (i ID) String() string { return fmt.Sprintf("#%03d", int(i)) }

type Secret string

func (Secret) GoString() string { return "Secret(***)" }
func (Secret) String() string   { return "***" }

type Temp float64

func (t Temp) Format(f fmt.State, verb rune) {
	w, hasW := f.Width()
	p, hasP := f.Precision()
	if !hasP {
		p = 1
	}
	s := fmt.Sprintf("%.*f°%c", p, float64(t), verb)
	if hasW {
		s = fmt.Sprintf("%*s", w, s)
	}
	for _, fl := range "+-# 0" {
		if f.Flag(int(fl)) {
			s += "[" + string(fl) + "]"
		}
	}
	fmt.Fprint(f, s)
}

type PtrStr struct{ n int }

func (p *PtrStr) String() string {
	if p == nil {
		return "nil-ptrstr"
	}
	return fmt.Sprint("ptr:", p.n)
}

type Err struct{ Code ID }

func (e Err) Error() string { return "err " + e.Code.String() }

type Inner struct {
	A ID
	b Secret
}
type Rec struct {
	Name string
	ID   ID
	In   Inner
	P    *Inner
	Ps   PtrStr
	L    []ID
	M    map[ID]Secret
	Any  any
	E    error
	F    float32
	By   []byte
	Arr  [2]bool
	Fn   func()
	Ch   chan int
	D    time.Duration
	T    Temp
	anon struct{ X, y int }
	C    complex64
	R    rune
}

func main() {
	r := Rec{Name: "n\"q", ID: 7, In: Inner{1, "s"}, Ps: PtrStr{4}, L: []ID{1, 2}, M: map[ID]Secret{2: "b", 1: "a"},
		Any: ID(9), E: Err{3}, F: 1.25, By: []byte("hi"), D: 1500 * time.Millisecond, T: 36.6, C: 1 + 2i, R: 'é'}
	fmt.Printf("%v\n%+v\n", r, r)
	fmt.Printf("%#v\n", r)
	fmt.Printf("%v %+v\n", &r.In, &r.In)
	fmt.Printf("%v %s %d %x %q|%6v|%-6v|\n", r.ID, r.ID, r.ID, r.ID, r.ID, r.ID, r.ID)
	fmt.Printf("%v %#v %q %x\n", r.L, r.L, r.L, r.L)
	fmt.Printf("%v %s %#v\n", r.M, r.M, r.M)
	fmt.Println(r.Ps, &r.Ps, []*PtrStr{nil}[0], []PtrStr{{1}})
	fmt.Printf("%v %8.2f %+v %-#x % 05s\n", r.T, r.T, r.T, r.T, []Temp{1, 2})
	fmt.Printf("%T %T %T %T %T\n", r, &r.In, r.M, r.anon, r.Fn)
	fmt.Printf("%T %T %T %T\n", []any{r.Any}, map[string][]*Rec{}, func(ID, ...string) error { return nil }, [3]Temp{})
	fmt.Printf("%v %+v %#v %s %d\n", r.E, r.E, r.E, r.E, r.E)
	fmt.Printf("%s %v %x %X %q %d %#v\n", r.By, r.By, r.By, r.By, r.By, r.By, r.By)
	fmt.Printf("%t %v %08.3f %+d %x %o %b %#o %U %#U %c %e %g %G\n", true, false, 3.14159, 5, 255, 8, 5, 8, 'x', '世', 'ö', 12345.678, 1e21, 1e-7)
	fmt.Printf("%5t|%-5d|%05d|%+.2e|%10.3s|%-10s|%x|% x|%#x|%q|%+q|%#q\n", true, 3, -42, 1234.5, "abcdef", "hi", "hey", "hey", "hey", 'a', "é", "raw")
	fmt.Printf("%[2]d %[1]d %[2]*[1]d|%[3]*[1]d|%.[3]*[4]f|\n", 1, 5, 4, 3.14159)
	for _, bad := range []string{"%!|%d %s|%z|%d\n", "%d\n", "%s %s %s %s\n", "%t %c %U\n", "%[5]d %[1]*d\n", "%"} {
		fmt.Printf(bad, "str", ID(5), 3)
	}
	fmt.Println()
	fmt.Printf("%v %v %+v %s\n", nil, error(nil), (*Rec)(nil), []error{errors.New("x"), nil})
	fmt.Printf("%#v %#v %#v %#v %#v %#v\n", []any{1, "a", nil, 1.0}, map[string]any{"k": []int(nil)}, struct{ A *int }{}, [2]Inner{}, 'x', uint8(3))
	fmt.Printf("%v %v\n", struct{ e error }{Err{1}}, []any{Err{2}, ID(3), Secret("x"), Temp(1), Inner{5, "z"}, (*Inner)(nil)})
	fmt.Printf("%6.2f|%v|%v|%.3v|%v\n", []float64{1, 2.345}, 1e6, 1e20, 3.14159, float32(0.1))
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0, nil, 'x'), fmt.Sprintln("end", 1))
	var np *Err
	fmt.Printf("%v %s\n", np, error(np))
	fmt.Printf("%s|%10v|%-8q|%t\n", Secret("k"), Secret("k"), Secret("k"), true)
	fmt.Printf("%v %d %s\n", r.D, r.D, time.Duration(0))
}
