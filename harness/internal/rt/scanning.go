package rt

import (
	"errors"
	"fmt"
	"go/types"
	"io"
)

// The scanning functions of fmt look at what they are given to scan into: at
// its method Scan first, then at the kind that its pointer points to.

func sscan(s string, a ...any) (int, error)   { return fmt.Sscan(s, targets(a)...) }
func sscanln(s string, a ...any) (int, error) { return fmt.Sscanln(s, targets(a)...) }
func sscanf(s, format string, a ...any) (int, error) {
	return fmt.Sscanf(s, format, targets(a)...)
}
func fscan(r io.Reader, a ...any) (int, error)   { return fmt.Fscan(r, targets(a)...) }
func fscanln(r io.Reader, a ...any) (int, error) { return fmt.Fscanln(r, targets(a)...) }
func fscanf(r io.Reader, format string, a ...any) (int, error) {
	return fmt.Fscanf(r, format, targets(a)...)
}
func scan(a ...any) (int, error)                 { return fmt.Scan(targets(a)...) }
func scanln(a ...any) (int, error)               { return fmt.Scanln(targets(a)...) }
func scanf(format string, a ...any) (int, error) { return fmt.Scanf(format, targets(a)...) }

func targets(list []any) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = target(x)
	}
	return out
}

// target is what fmt scans into for x.
func target(x any) any {
	b, ok := unbox(canonical(x))
	if !ok {
		return x
	}
	a := adapter{b}
	if a.can("Scan", "(fmt.ScanState, int32) error") {
		return scanner{a}
	}
	elem, ok := pointee(b.T.typ)
	if !ok {
		return noTarget("type not a pointer: " + TypeName(b.T.typ))
	}
	switch u := elem.Underlying().(type) {
	case *types.Basic:
		return b.V
	case *types.Slice:
		if e, ok := u.Elem().Underlying().(*types.Basic); ok && e.Kind() == types.Uint8 {
			return b.V
		}
	}
	return noTarget("can't scan type: " + TypeName(b.T.typ))
}

// noTarget is what cannot be scanned into; it says why when it is its turn.
type noTarget string

func (n noTarget) Scan(fmt.ScanState, rune) error { return errors.New(string(n)) }
