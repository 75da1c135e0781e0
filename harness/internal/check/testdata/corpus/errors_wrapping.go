// Error trees: Is/As/AsType/Join/Unwrap, custom Is and As methods, sentinel chains, multi %w, %v of wrapped nils.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"
)

type Code int

const (
	NotFound Code = 404 + iota
	Gone          = Code(410)
)

func (c Code) Error() string { return "code " + strconv.Itoa(int(c)) }
func (c Code) Is(target error) bool {
	return c == NotFound && target == fs.ErrNotExist
}

type OpError struct {
	Op  string
	Err error
}

func (e *OpError) Error() string {
	if e == nil {
		return "<nil op>"
	}
	return e.Op + ": " + e.Err.Error()
}
func (e *OpError) Unwrap() error { return e.Err }

type Multi []error

func (m Multi) Error() string   { return fmt.Sprintf("%d errors", len(m)) }
func (m Multi) Unwrap() []error { return m }

type timeout struct{ d time.Duration }

func (t timeout) Error() string { return "timeout after " + t.d.String() }
func (t timeout) Timeout() bool { return true }
func (t timeout) As(target any) bool {
	if p, ok := target.(*Code); ok {
		*p = Gone
		return true
	}
	return false
}

func retry(n int, f func(int) error) (err error) {
	for i := range n {
		if e := f(i); e == nil {
			return nil
		} else if errors.Is(e, context.Canceled) {
			return fmt.Errorf("attempt %d: %w", i, e)
		} else {
			err = errors.Join(err, e)
		}
	}
	return &OpError{"retry", err}
}

func mayFail(fail bool) error {
	var e *OpError
	if fail {
		e = &OpError{"mayFail", io.ErrUnexpectedEOF}
	}
	if e == nil {
		return nil
	}
	return e
}

func typedNil() error {
	var e *OpError
	return e
}

func main() {
	base := &OpError{"read", NotFound}
	wrapped := fmt.Errorf("layer2: %w", fmt.Errorf("layer1 %d: %w", 1, base))
	fmt.Println(wrapped)
	fmt.Println(errors.Is(wrapped, NotFound), errors.Is(wrapped, Gone), errors.Is(wrapped, os.ErrNotExist), errors.Is(wrapped, base))
	var op *OpError
	var code Code
	fmt.Println(errors.As(wrapped, &op), op == base, errors.As(wrapped, &code), code, int(code))
	if e, ok := errors.AsType[*OpError](wrapped); ok {
		fmt.Println(e.Op, errors.Unwrap(e) == NotFound, errors.Unwrap(errors.Unwrap(wrapped)) == e)
	}
	_, ok := errors.AsType[timeout](wrapped)
	fmt.Println(ok)
	var tmo interface{ Timeout() bool }
	multi := Multi{io.EOF, fmt.Errorf("both %w and %w", timeout{time.Second}, strconv.ErrRange), nil}
	fmt.Println(multi, errors.Is(multi, strconv.ErrRange), errors.As(multi, &tmo), tmo, errors.Unwrap(multi) == nil)
	fmt.Println(errors.As(multi, &code), code)
	j := errors.Join(nil, io.EOF, nil, wrapped)
	fmt.Printf("%v\n%q\n%d\n", j, j.Error(), len(j.(interface{ Unwrap() []error }).Unwrap()))
	fmt.Println(errors.Join(nil, nil) == nil, errors.Is(nil, io.EOF), errors.Is(j, nil), errors.Unwrap(io.EOF))
	fmt.Println(mayFail(false) == nil, mayFail(true), typedNil() == nil, typedNil())
	err := retry(4, func(i int) error {
		switch i {
		case 0:
			return NotFound
		case 1:
			_, err := strconv.ParseUint("-5", 10, 8)
			return err
		case 2:
			return json.Unmarshal([]byte("{"), new(int))
		}
		return fmt.Errorf("no verb: %v", io.ErrClosedPipe)
	})
	fmt.Println(err)
	var ne *strconv.NumError
	var se *json.SyntaxError
	fmt.Println(errors.As(err, &ne), ne.Num, errors.As(err, &se), se.Offset, errors.Is(err, io.ErrClosedPipe), errors.Is(err, fs.ErrNotExist))
	fmt.Println(retry(3, func(i int) error {
		if i == 1 {
			return fmt.Errorf("stop: %w", context.Canceled)
		}
		return Gone
	}))
	fmt.Println(retry(2, func(i int) error { return map[int]error{0: Gone}[i] }))
	fmt.Printf("%v|%+v|%#v|%s|%q|%x\n", base, NotFound, NotFound, base, Gone, Code(1))
	fmt.Printf("%v %T %T %T\n", fmt.Errorf("plain %d%%", 5), fmt.Errorf("plain"), wrapped, j)
	fmt.Println(fmt.Errorf("nil: %w", nil), errors.Is(fmt.Errorf("x: %w", error(Multi{Gone})), Gone))
	a, b := errors.New("same"), errors.New("same")
	fmt.Println(a == b, errors.Is(a, b), Code(3) == error(Code(3)), errors.ErrUnsupported)
	pe := &fs.PathError{Op: "open", Path: "/x", Err: fs.ErrPermission}
	fmt.Println(pe, errors.Is(pe, os.ErrPermission), context.DeadlineExceeded)
}
