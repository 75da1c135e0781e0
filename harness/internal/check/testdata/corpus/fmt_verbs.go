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
type Named struct {
	Pt
	Name  string
	Tags  []string
	M     map[string]*Pt
	C     Color
	cp    *Color
	Iface any
	Err   error
	F     func(int) string
	Ch    chan int
	B     []byte
	Arr   [3]bool
}
type GS struct{ n int }

func (g GS) GoString() string { return fmt.Sprintf("GS(%d)", g.n) }

type Err struct{ Msg string }

func (e *Err) Error() string { return "E:" + e.Msg }

type Tree struct {
	L, R *Tree
	V    int
}

func (t *Tree) String() string {
	if t == nil {
		return "."
	}
	return fmt.Sprintf("(%v %d %v)", t.L, t.V, t.R)
}

type Celsius float32
type IDs []int
type Set map[string]struct{}
type Bytes []byte
type Word string
type Opt[T any] struct {
	V  T
	Ok bool
}
type E2 struct{ n int }

func (e *E2) Error() string { return fmt.Sprint("e2:", e.n) }

type bad struct{}

func (bad) String() string { panic("oops") }

func main() {
	n := Named{Pt: Pt{1, -2}, Name: "n\"q", Tags: []string{"a b", "c"}, C: Green, B: []byte("hi")}
	fmt.Printf("%v\n%+v\n", n, n)
	fmt.Printf("%#v\n", n.Pt)
	fmt.Printf("%#v %#v %#v %#v\n", n.Tags, n.B, n.Arr, n.C)
	fmt.Printf("%v %+v %#v\n", struct {
		A int
		B string
	}{1, "x"}, &n.Pt, []any{1, "a", nil, 2.0, Pt{}})
	fmt.Printf("%#v %v %s\n", GS{3}, GS{3}, &Err{"m"})
	t := &Tree{V: 2, L: &Tree{V: 1}}
	fmt.Printf("%v %s %+v\n", t, t, t)
	fmt.Println(t, t.L, t.R, *t.L)
	fmt.Printf("%v %.1f %6.2f|%T\n", Celsius(36.6), Celsius(36.6), Celsius(-1), Celsius(0))
	fmt.Printf("%v %d %x %#v %T\n", IDs{1, 255}, IDs{1, 255}, IDs{1, 255}, IDs{1}, IDs{})
	fmt.Printf("%v %+v %#v %d\n", Set{"b": {}, "a": {}}, Set{}, Set{"z": {}}, len(Set{"q": {}}))
	fmt.Printf("%v %s %x %q %#v\n", Bytes("ab"), Bytes("ab"), Bytes("ab"), Bytes("ab"), Bytes("a"))
	fmt.Printf("%v %q %x %5s|%-5s|%.1s %T\n", Word("wd"), Word("wd"), Word("wd"), Word("wd"), Word("wd"), Word("wd"), Word(""))
	fmt.Printf("%v %+v %#v %T\n", Opt[int]{3, true}, Opt[Word]{"x", false}, Opt[Pt]{Ok: true}, Opt[map[string][]Color]{})
	fmt.Printf("%d %s %v %x %q %03d|%-4d|%+d\n", Green, Green, Green, Green, Green, Green, Green, Green)
	fmt.Printf("%v %v\n", []Color{Red, Green}, map[Color]Color{Green: Red})
	fmt.Printf("%v\n", []error{errors.New("e1"), &Err{"e2"}, nil})
	fmt.Printf("%v %+v\n", []*Pt{nil}, map[string]any{"k": []int{1}, "j": map[int]bool{2: true}})
	fmt.Printf("%t %v %5t|%-7t|\n", true, false, true, false)
	fmt.Printf("%c %U %#U %q %d %x\n", 'é', 'é', 'é', 'é', 'é', 'é')
	fmt.Printf("%b %o %O %x %X %#x %#b %08b\n", 10, 10, 10, 255, 255, 255, 5, 5)
	fmt.Printf("%5d|%-5d|%05d|%+d|% d|%x|%X\n", 42, 42, 42, 42, 42, -42, "hello")
	fmt.Printf("%8.3f|%-8.2f|%+.1e|%g|%G|%6.f|%%\n", 3.14159, 2.5, 12345.678, 1e-9, 1e20, 2.5)
	fmt.Printf("%s|%10s|%-10s|%.2s|%q|%x|% x|%#q\n", "go", "go", "go", "golang", "a\tb", "hi", "hi", "raw`")
	fmt.Printf("%*d|%-*d|%.*f|%[2]d %[1]d\n", 5, 42, 4, 7, 2, 3.14159)
	fmt.Printf("%[3]v %[1]v %[2]v\n", 1, 2, 3)
	fmt.Fprintf(os.Stdout, "%s %v %d\n", time.Duration(1500)*time.Millisecond, time.Minute, time.Second)
	fmt.Printf("%v %s\n", bad{}, errors.Join(errors.New("a"), errors.New("b")))
	fmt.Printf("%v %v %v %v\n", (*Pt)(nil), (*Err)(nil) == nil, error(nil), any(nil))
	fmt.Printf("%T %T %T %T %T %T\n", n, &n, n.F, n.Ch, n.Iface, n.M)
	fmt.Printf("%T %T %T %T\n", t, []Color{}, func(a int, b ...string) (int, error) { return 0, nil }, struct{ A Pt }{})
	fmt.Printf("%6v|%-6v|%06v|%v\n", []int{1, 2}, []string{"a"}, 7, [2][2]int{{1, 2}, {3, 4}})
	fmt.Printf("%x %X %x\n", []byte{1, 171}, [3]byte{1, 2, 255}, "\xff")
	fmt.Printf("%v %v\n", struct{ E error }{&Err{"in"}}, struct{ P *Pt }{nil})
	fmt.Printf("%s %v\n", []string{"x", "y"}, []Word{"p"})
	fmt.Printf("%q %v %+q\n", []string{"x y", "z"}, [2]string{"a", ""}, "日本")
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0, nil, 'x'), fmt.Sprintln("end", 1))
	fmt.Println(int8(-5), uint8(200), 'a', "s", 1e6, 1e21, float32(0.1), 3+4i, []byte("x"), [2]byte{1, 2}, &[]int{1}, &map[string]int{"a": 1})
	fmt.Printf("%s\n", fmt.Append([]byte("pre:"), 1, "x", Green))
	fmt.Printf("%v %d\n", &struct{ C Color }{Green}, struct{ C Color }{Green})
	fmt.Printf("%5.1f%%|%+v|%v\n", 99.5, struct {
		T  time.Duration
		At time.Month
	}{time.Hour, time.May}, [...]any{Red, Pt{1, 2}, &E2{3}})
}
