package main

import (
	"bytes"
	"container/list"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/mail"
	"os"
	"time"
)

type Money struct {
	Amount   *big.Rat
	Currency [3]byte
}
type Error struct {
	Code int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Msg) }

type Result struct {
	OK    bool
	Err   error
	Took  time.Duration
	At    *time.Time
	Money Money
	Mail  *mail.Address
	F     big.Float
	Month time.Month
}

type Weird struct {
	L *list.List
}
type E1 struct{ A int }
type E2 struct{ E1 }
type E3 struct {
	*E2
	A string
}
type Rec1 struct{ R *Rec2 }
type Rec2 struct {
	R  []Rec1
	M  map[string]*Rec1
	MM map[string]map[string][]Rec2
}

func rt(in, out any) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(in)
	n := b.Len()
	h := fmt.Sprintf("%x", b.Bytes())
	if err == nil {
		err = gob.NewDecoder(&b).Decode(out)
	}
	fmt.Println(n, h, err)
}

func main() {
	gob.Register(&Error{})
	now := time.Date(2024, 2, 29, 12, 0, 0, 0, time.FixedZone("X", 3600))
	var r Result
	rt(Result{true, &Error{3, "three"}, 5 * time.Second, &now, Money{big.NewRat(1, 3), [3]byte{'E', 'U', 'R'}}, &mail.Address{Name: "A", Address: "a@b"}, *big.NewFloat(1.5), time.May}, &r)
	rt(&Result{true, &Error{3, "three"}, 5 * time.Second, &now, Money{big.NewRat(1, 3), [3]byte{'E', 'U', 'R'}}, &mail.Address{Name: "A", Address: "a@b"}, *big.NewFloat(1.5), time.May}, &r)
	fmt.Println(r.OK, r.Err, r.Took, r.At, r.Money.Amount, string(r.Money.Currency[:]), r.Mail, &r.F, r.Month)
	var e *Error
	fmt.Println(errors.As(r.Err, &e), e.Code)
	rt(Result{Err: io.EOF}, &r)
	rt(Result{Err: fmt.Errorf("x: %w", io.EOF)}, &r)
	rt(Weird{list.New()}, &Weird{})
	rt(list.New(), &list.List{})
	var e3 E3
	rt(E3{&E2{E1{4}}, "s"}, &e3)
	fmt.Println(e3.A, e3.E1.A)
	var r2 Rec2
	rt(Rec2{R: []Rec1{{nil}, {&Rec2{}}}, M: map[string]*Rec1{"k": {}}, MM: map[string]map[string][]Rec2{"a": {"b": {{}}}}}, &r2)
	fmt.Println(len(r2.R), r2.R[1].R != nil, r2.MM["a"]["b"])
	rt([0]int{}, new([0]int))
	rt([]int(nil), new([]int))
	rt(map[string]int(nil), new(map[string]int))
	rt(struct{ M map[string]int }{map[string]int{}}, &struct{ M map[string]int }{})
	rt([]*int{nil}, new([]*int))
	rt(map[string]*int{"a": nil}, new(map[string]*int))
	rt([2]*E1{{1}, nil}, new([2]*E1))
	rt(os.ErrNotExist, new(any))
	rt('x', new(rune))
	rt(uintptr(3), new(uintptr))
	rt(math(), new(float64))
	rt([]rune("hé"), new([]rune))
	rt([]bool{true, false}, new([]bool))
	rt([]complex128{1i}, new([]complex128))
	rt([]float32{1.5, 0}, new([]float32))
	rt([]uint64{1 << 63}, new([]uint64))
	rt(int64(-1<<63), new(int64))
	var pp **int
	x := 3
	p := &x
	rt(&p, &pp)
	fmt.Println(**pp)
	var st struct {
		A, B int
		C    struct{ D []struct{ E string } }
	}
	rt(struct {
		B, A int
		C    struct{ D []struct{ E string } }
	}{1, 2, struct{ D []struct{ E string } }{[]struct{ E string }{{"e"}}}}, &st)
	fmt.Printf("%+v\n", st)
}

func math() float64 { return -0.0 }
