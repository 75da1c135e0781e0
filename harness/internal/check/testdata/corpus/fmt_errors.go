package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

type Kind uint8

const (
	NotFound Kind = iota + 1
	Invalid
	Temporary
)

//lint:ignore
var kinds = map[Kind]string{NotFound: "not found", Invalid: "invalid", Temporary: "temporary"}

func (k Kind) Error() string { return kinds[k] }

type OpError struct {
	Op   string
	Path []string
	Kind Kind
	Err  error
}

func (e *OpError) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if len(e.Path) > 0 {
		fmt.Fprintf(&b, " %s", strings.Join(e.Path, "/"))
	}
	if e.Kind != 0 {
		b.WriteString(": " + e.Kind.Error())
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}
func (e *OpError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
func (e *OpError) Is(target error) bool {
	t, ok := target.(*OpError)
	return ok && (t.Op == "" || t.Op == e.Op) && (t.Kind == 0 || t.Kind == e.Kind)
}

type timeout interface{ Timeout() bool }
type netErr struct{ after int }

func (n netErr) Error() string { return "timeout after " + strconv.Itoa(n.after) }
func (netErr) Timeout() bool   { return true }

func E(args ...any) error {
	e := &OpError{}
	for _, a := range args {
		switch a := a.(type) {
		case string:
			e.Op = a
		case []string:
			e.Path = a
		case Kind:
			e.Kind = a
		case error:
			e.Err = a
		default:
			panic(fmt.Sprintf("E: bad arg %T", a))
		}
	}
	return e
}

func retry[T any](n int, f func(attempt int) (T, error)) (v T, err error) {
	var errs []error
	for i := range n {
		if v, err = f(i); err == nil {
			return v, nil
		}
		errs = append(errs, err)
		if !errors.Is(err, Temporary) {
			break
		}
	}
	return v, fmt.Errorf("gave up after %d: %w", len(errs), errors.Join(errs...))
}

type readCloser struct {
	io.Reader
	closed *bool
	err    error
}

func (r readCloser) Close() error { *r.closed = true; return r.err }

func process(rc io.ReadCloser) (n int, err error) {
	defer func() {
		if cerr := rc.Close(); cerr != nil {
			err = errors.Join(err, fmt.Errorf("close: %w", cerr))
		}
	}()
	b, err := io.ReadAll(io.LimitReader(rc, 10))
	if err != nil {
		return 0, err
	}
	for _, f := range strings.Fields(string(b)) {
		v, err := strconv.Atoi(f)
		if err != nil {
			return n, E("process", []string{"line", f}, Invalid, err)
		}
		n += v
	}
	return n, nil
}

func main() {
	base := E("read", []string{"etc", "passwd"}, NotFound, io.EOF)
	wrapped := fmt.Errorf("load config: %w", base)
	fmt.Println(wrapped)
	fmt.Println(errors.Is(wrapped, io.EOF), errors.Is(wrapped, NotFound), errors.Is(wrapped, Invalid), errors.Is(wrapped, &OpError{Op: "read"}), errors.Is(wrapped, &OpError{Kind: Invalid}))
	var k Kind
	var oe *OpError
	fmt.Println(errors.As(wrapped, &k), k, errors.As(wrapped, &oe), oe.Path)
	if oe2, ok := errors.AsType[*OpError](wrapped); ok {
		fmt.Println("astype", oe2.Op)
	}
	two := fmt.Errorf("multi %w and %w", netErr{5}, E("x"))
	var te timeout
	fmt.Println(errors.As(two, &te) && te.Timeout(), errors.Unwrap(two) == nil, errors.Unwrap(wrapped) == base)
	v, err := retry(4, func(i int) (string, error) {
		if i < 2 {
			return "", E("try"+strconv.Itoa(i), Temporary)
		}
		return fmt.Sprint("done at ", i), nil
	})
	fmt.Println(v, err)
	_, err = retry(4, func(i int) (int, error) { return i, []error{Temporary, Invalid}[min(i, 1)] })
	fmt.Printf("%q %v\n", err, errors.Is(err, Invalid))
	for _, in := range []string{"1 2 3", "4 x", "100000000000000000000"} {
		for _, cerr := range []error{nil, io.ErrClosedPipe} {
			var closed bool
			n, err := process(readCloser{strings.NewReader(in), &closed, cerr})
			fmt.Println(n, closed, strings.ReplaceAll(fmt.Sprint(err), "\n", " ++ "), errors.Is(err, strconv.ErrSyntax), errors.Is(err, io.ErrClosedPipe))
		}
	}
	var nilErr *OpError
	var asIface error = nilErr
	fmt.Println(asIface == nil, nilErr == nil, errors.Join(nil, nil) == nil)
	fmt.Printf("%v %+v %T %d\n", Invalid, Kind(2), Kind(2), Kind(2))
	defer func() { fmt.Println(recover()) }()
	E(1)
}
