package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"strings"
	"time"
)

type E struct{ error }
type W struct {
	Err error
	x   error
}
type S struct{ fmt.Stringer }
type own struct{ n int }

func (o *own) Error() string { return fmt.Sprint("own", o.n) }

type A struct {
	X any
	y any
	Z []any
	M map[string]any
}

func main() {
	re := regexp.MustCompile("0x[0-9a-f]{6,}")
	e := errors.New("x")
	b := &bytes.Buffer{}
	b.WriteString("buf")
	u := &url.URL{Host: "h"}
	list := []any{
		E{e}, W{e, e}, W{Err: e}, []error{e}, map[string]error{"a": e}, struct{ error }{e}, &E{e}, fmt.Errorf("a %w", e),
		E{&own{3}}, W{&own{1}, &own{2}}, []any{e, &own{1}, b}, A{e, e, []any{e, b, u}, map[string]any{"k": u, "e": e}},
		A{X: b, y: u}, A{X: big.NewInt(5), y: big.NewInt(6)}, S{big.NewInt(3)}, S{time.Second}, A{X: time.Second, y: time.Second},
		A{X: regexp.MustCompile("a"), y: 3}, A{X: &own{1}, y: &own{2}}, A{X: strings.NewReplacer("a", "b"), y: [2]error{e, nil}},
		A{X: [2]error{e, nil}, y: map[string]error{"e": e}}, &url.Error{Op: "o", URL: "u", Err: e},
	}
	for _, v := range list {
		for _, f := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if f == "%x" || f == "%d" {
				if s := fmt.Sprintf(f, v); len(s) > 60 { // addresses
					continue
				}
			}
			fmt.Println(f, re.ReplaceAllString(fmt.Sprintf(f, v), "PTR"))
		}
	}
}
