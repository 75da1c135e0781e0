package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

type Color uint8

const (
	Red Color = iota
	Green
)

func (c Color) String() string { return [...]string{"Red", "Green"}[c] }

type Vec [3]float64
type Names []string
type Dict map[string]int
type Fn func(int) string
type Temp float64

func (t Temp) Format(f fmt.State, verb rune) {
	switch verb {
	case 'v', 's':
		if f.Flag('+') {
			io.WriteString(f, "+")
		}
		if f.Flag('#') {
			fmt.Fprintf(f, "Temp(%g)", float64(t))
			return
		}
		prec, ok := f.Precision()
		if !ok {
			prec = 1
		}
		fmt.Fprintf(f, "%.*f°", prec, float64(t))
	default:
		fmt.Fprintf(f, "%%!%c(Temp=%g)", verb, float64(t))
	}
}

type Secret string

func (Secret) GoString() string { return `Secret("***")` }
func (Secret) String() string   { return "***" }

type Inner struct {
	A int
	B *int
	C any
}
type Outer struct {
	Inner
	Name  string
	Color Color
	Sub   *Inner
	List  []Inner
	M     map[Color]Secret
	E     error
	F     func()
	Ch    chan int
	t     time.Duration
	priv  Color
}

type Nested struct {
	X struct {
		Y []struct{ Z int }
	}
	W [2]bool
}

type Wrapper[T any] struct {
	Val T
	Err error
}

type PtrStr struct{ n int }

func (p *PtrStr) String() string { return "ptr:" + strconv.Itoa(p.n) }

func main() {
	n := 7
	o := Outer{Inner: Inner{1, nil, Green}, Name: "o", Color: Green, Sub: &Inner{A: 2}, List: []Inner{{3, nil, "s"}, {}}, M: map[Color]Secret{Green: "pw", Red: "x"}, E: errors.New("bad"), t: time.Second, priv: Green}
	fmt.Printf("%v\n%+v\n", o.Inner, o.Inner)
	fmt.Printf("%v\n", o.List)
	fmt.Printf("%+v\n", o.List)
	fmt.Printf("%#v\n", o.List)
	o.Sub = nil
	fmt.Printf("%v\n%+v\n", o, o)
	o.F, o.Ch, o.E = nil, nil, nil
	fmt.Printf("%#v\n", o)
	fmt.Printf("%v %+v %#v\n", Nested{}, Nested{}, Nested{})
	fmt.Printf("%v %s %#v %.3v %+v %d\n", Temp(21.55), Temp(3), Temp(4.5), Temp(1.23456), Temp(2), Temp(9))
	fmt.Println(Temp(36.6), []Temp{1, 2}, map[string]Temp{"x": 3}, struct{ T Temp }{5})
	fmt.Printf("%v %+v %#v %s %q %x\n", Secret("a"), Secret("b"), Secret("c"), Secret("d"), Secret("e"), Secret("f"))
	fmt.Printf("%v %#v %T\n", Vec{1, 2.5}, Vec{1}, Vec{})
	fmt.Printf("%v %q %#v %T\n", Names{"a", "b c"}, Names{"a", "b c"}, Names{"x"}, Names(nil))
	fmt.Printf("%v %#v %v\n", Dict{"z": 1, "a": 2}, Dict{"k": 1}, Dict(nil))
	fmt.Printf("%v %+v %T\n", Wrapper[Color]{Val: Green}, Wrapper[[]int]{[]int{1}, io.EOF}, Wrapper[map[string]Color]{})
	fmt.Printf("%#v\n", Wrapper[string]{Val: "q"})
	p := PtrStr{4}
	fmt.Println(p, &p, []*PtrStr{&p}[0], []PtrStr{p})
	fmt.Printf("%v %v %+v %s\n", p, &p, struct{ P PtrStr }{p}, &p)
	fmt.Printf("%d %v %s %x %q %08b\n", Green, Green, Green, Green, Green, Green)
	fmt.Printf("%!|%z|%d|%s|%d\n", 1, "x", 2)
	fmt.Printf("%d %d\n", 1)
	fmt.Printf("%[2]d %[1]d %d\n", 1, 2)
	fmt.Printf("%[3]*.[2]*[1]f|%-8.3s|%+d|% d|%x|%X|% x\n", 12.0, 2, 6, "abcdef", 5, 5, -255, "hi", "hi")
	fmt.Printf("%t %v %p %v\n", true, nil, nil, error(nil))
	fmt.Printf("%5t|%-5d|%05d|%+.2e|%g|%G\n", true, 42, -42, 12345.678, 1e100, 1e-10)
	fmt.Printf("%c %v %U %#U %q\n", 'é', 'é', 'é', 'é', 'é')
	fmt.Printf("%v %d %s %x %#v\n", []byte("abc"), []byte("abc"), []byte("abc"), []byte("abc"), []byte("abc"))
	fmt.Printf("%v %+v\n", &o.Inner, &struct{ P *int }{nil})
	fmt.Printf("%v %v\n", &[]int{1}, &map[string]int{"a": 1})
	fmt.Printf("%T %T %T %T %T %T\n", o.F, &n, o, main, Fn(nil), []any{1})
	fmt.Printf("%v %d %s\n", struct {
		a any
		b []any
	}{nil, []any{1, "x", nil, Green}}, []any{1, "x"}, []any{1, "x", Green, errors.New("e")})
	fmt.Printf("%s %v %d\n", errors.New("e1"), fmt.Errorf("w: %w", os.ErrNotExist), 3+4i)
	fmt.Printf("%6.2f|%-10s|%10s|%x|%o\n", 3.14159, Green, Secret("zz"), 3.5, 8)
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0, nil, Green, Green), fmt.Sprintln("x", 1))
	var e *PtrStr
	defer func() { fmt.Println("r:", recover()) }()
	fmt.Printf("%v %s\n", e, e)
	fmt.Printf("%v\n", Color(9))
	fmt.Println(Color(9).String())
}
