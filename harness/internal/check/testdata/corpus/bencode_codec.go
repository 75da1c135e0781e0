// Bencode: recursive encoder and decoder with a type switch, positions in errors, canonical dictionaries, round trips.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type Dict = map[string]any

type Encoder interface{ EncodeB(w io.Writer) error }

type Pair struct {
	K string
	V any
}

func (p Pair) EncodeB(w io.Writer) error { return Encode(w, Dict{p.K: p.V}) }

type UnsupportedError struct{ V any }

func (u UnsupportedError) Error() string { return fmt.Sprintf("cannot encode %T", u.V) }

func Encode(w io.Writer, v any) (err error) {
	switch x := v.(type) {
	case Encoder:
		return x.EncodeB(w)
	case int, int64:
		_, err = fmt.Fprintf(w, "i%de", x)
	case string:
		_, err = fmt.Fprintf(w, "%d:%s", len(x), x)
	case []byte:
		return Encode(w, string(x))
	case bool:
		n := 0
		if x {
			n = 1
		}
		return Encode(w, n)
	case []any:
		io.WriteString(w, "l")
		for i, e := range x {
			if err := Encode(w, e); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		_, err = io.WriteString(w, "e")
	case Dict:
		io.WriteString(w, "d")
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if err = errors.Join(Encode(w, k), Encode(w, x[k])); err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
		}
		_, err = io.WriteString(w, "e")
	default:
		err = UnsupportedError{v}
	}
	return
}

type decoder struct {
	r   *bufio.Reader
	pos int
	max int
}

type SyntaxError struct {
	Pos int
	Err error
}

func (s *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %v", s.Pos, s.Err) }
func (s *SyntaxError) Unwrap() error { return s.Err }

func (d *decoder) fail(format string, args ...any) {
	panic(&SyntaxError{d.pos, fmt.Errorf(format, args...)})
}

func (d *decoder) byte() byte {
	b, err := d.r.ReadByte()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		d.fail("%w", err)
	}
	d.pos++
	return b
}

func (d *decoder) until(end byte) int {
	var sb strings.Builder
	for b := d.byte(); b != end; b = d.byte() {
		sb.WriteByte(b)
	}
	n, err := strconv.Atoi(sb.String())
	switch s := sb.String(); {
	case err != nil:
		d.fail("%w", err)
	case s != strconv.Itoa(n):
		d.fail("%q is not canonical", s)
	}
	return n
}

func (d *decoder) value(depth int) any {
	if depth > d.max {
		d.fail("nested deeper than %d", d.max)
	}
	switch c := d.byte(); {
	case c == 'i':
		return d.until('e')
	case c == 'l':
		l := []any{}
		for !d.peek('e') {
			l = append(l, d.value(depth+1))
		}
		return l
	case c == 'd':
		m, last := Dict{}, ""
		for !d.peek('e') {
			k, ok := d.value(depth + 1).(string)
			if !ok {
				d.fail("key is no string")
			}
			if len(m) > 0 && k <= last {
				d.fail("key %q after %q", k, last)
			}
			m[k], last = d.value(depth+1), k
		}
		return m
	case c >= '0' && c <= '9':
		d.r.UnreadByte()
		d.pos--
		n := d.until(':')
		buf := make([]byte, min(n, 1<<10))
		k, err := io.ReadFull(d.r, buf)
		d.pos += k
		if err != nil || n > len(buf) {
			d.fail("string of %d has %d: %w", n, k, io.ErrUnexpectedEOF)
		}
		return string(buf)
	default:
		d.fail("unexpected %q", c)
	}
	return nil
}

func (d *decoder) peek(c byte) bool {
	b, err := d.r.Peek(1)
	if err == nil && b[0] == c {
		d.byte()
		return true
	}
	return false
}

func Decode(r io.Reader) (v any, err error) {
	d := &decoder{r: bufio.NewReader(r), max: 4}
	defer func() {
		if p := recover(); p != nil {
			se, ok := p.(*SyntaxError)
			if !ok {
				panic(p)
			}
			v, err = nil, se
		}
	}()
	v = d.value(0)
	if rest, _ := io.ReadAll(d.r); len(rest) > 0 {
		err = &SyntaxError{d.pos, fmt.Errorf("trailing %q", rest)}
	}
	return
}

func main() {
	for _, v := range []any{42, "späm", []any{1, "a", []any{}}, Dict{"b": 2, "a": Dict{"z": []byte("x")}}, true, Pair{"k", int64(-7)}, []any{1, 2.5}, Dict{"k": []any{nil}}} {
		var sb strings.Builder
		err := Encode(&sb, v)
		var ue UnsupportedError
		if errors.As(err, &ue) {
			fmt.Println(err, "|", sb.String(), ue.V)
			continue
		}
		back, err := Decode(strings.NewReader(sb.String()))
		fmt.Printf("%s %v %T %v\n", sb.String(), back, back, err)
	}
	for _, s := range []string{"", "i12", "i-0e", "i01e", "ie", "5:abc", "l", "d1:ae", "di1e1:ae", "d1:b1:x1:a1:ye", "x", "i1ei2e", "llllllee", "9999:x", "d1:ai1e1:ai2ee"} {
		v, err := Decode(strings.NewReader(s))
		var se *SyntaxError
		fmt.Println(s, v, err, errors.As(err, &se), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, strconv.ErrSyntax))
	}
}
