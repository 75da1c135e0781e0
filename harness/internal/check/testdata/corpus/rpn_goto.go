package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

type stack []float64

func (s *stack) push(f float64) { *s = append(*s, f) }
func (s *stack) pop() (f float64) {
	f, *s = (*s)[len(*s)-1], (*s)[:len(*s)-1]
	return f
}

type opError struct {
	op   string
	need int
	have int
}

func (e opError) Error() string { return fmt.Sprintf("%s needs %d, have %d", e.op, e.need, e.have) }

type operator struct {
	arity int
	fn    func(args ...float64) float64
}

var ops = map[string]operator{
	"+":    {2, func(a ...float64) float64 { return a[0] + a[1] }},
	"-":    {2, func(a ...float64) float64 { return a[0] - a[1] }},
	"*":    {2, func(a ...float64) float64 { return a[0] * a[1] }},
	"/":    {2, func(a ...float64) float64 { return a[0] / a[1] }},
	"sqrt": {1, func(a ...float64) float64 { return math.Sqrt(a[0]) }},
	"sum3": {3, func(a ...float64) float64 { return a[0] + a[1] + a[2] }},
}

func evalLine(line string) (result float64, err error) {
	var s stack
	for i, tok := range strings.Fields(line) {
		if f, e := strconv.ParseFloat(tok, 64); e == nil {
			s.push(f)
			continue
		} else if errors.Is(e, strconv.ErrRange) {
			return f, e
		}
		op, ok := ops[tok]
		if !ok {
			return math.NaN(), fmt.Errorf("token %d: unknown %q", i, tok)
		}
		if len(s) < op.arity {
			err = opError{tok, op.arity, len(s)}
			return
		}
		args := make([]float64, op.arity)
		for k := op.arity - 1; k >= 0; k-- {
			args[k] = s.pop()
		}
		s.push(op.fn(args...))
	}
	if len(s) != 1 {
		return 0, fmt.Errorf("left %d values: %v", len(s), s)
	}
	return s.pop(), nil
}

func collatz(n int) (steps int) {
loop:
	if n == 1 {
		return
	}
	steps++
	if n%2 == 0 {
		n /= 2
		goto loop
	}
	n = 3*n + 1
	goto loop
}

type countingReader struct {
	r     io.Reader
	bytes int
	reads int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p[:min(len(p), 7)])
	c.bytes += n
	c.reads++
	return n, err
}

type upper struct{ w io.Writer }

func (u upper) Write(p []byte) (int, error) { return u.w.Write([]byte(strings.ToUpper(string(p)))) }

func main() {
	in := &countingReader{r: strings.NewReader("3 4 + 2 *\n1 0 /\n1 +\nfoo\n1 2 3 sum3 sqrt\n1 2\n1e999\n\n-9 sqrt")}
	sc := bufio.NewScanner(in)
	line := 0
	for sc.Scan() {
		line++
		v, err := evalLine(sc.Text())
		var oe opError
		switch {
		case errors.As(err, &oe) && oe.need > 1:
			fmt.Fprintf(upper{os.Stdout}, "line %d: operator %v\n", line, oe)
		case err != nil:
			fmt.Printf("line %d: %v\n", line, err)
		default:
			fmt.Printf("line %d: %v %.4g\n", line, v, v)
		}
	}
	fmt.Println(in.bytes, line, in.reads > 5, collatz(27))
	ws := bufio.NewScanner(strings.NewReader("héllo wörld"))
	ws.Split(bufio.ScanRunes)
	n := 0
	for ws.Scan() {
		if len(ws.Bytes()) > 1 {
			n++
		}
	}
	fmt.Println(n)
	custom := bufio.NewScanner(strings.NewReader("a;b;;c"))
	custom.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		for i, b := range data {
			if b == ';' {
				return i + 1, data[:i], nil
			}
		}
		if atEOF && len(data) > 0 {
			return len(data), data, bufio.ErrFinalToken
		}
		return 0, nil, nil
	})
	for custom.Scan() {
		fmt.Printf("%q ", custom.Text())
	}
	fmt.Println(custom.Err())
	br := bufio.NewReader(io.LimitReader(&countingReader{r: strings.NewReader("first\nsecond line\nthird")}, 15))
	for {
		s, err := br.ReadString('\n')
		fmt.Printf("%q %v\n", s, err)
		if err != nil {
			break
		}
	}
	pr, pw := io.Pipe()
	go func() {
		fmt.Fprint(pw, "piped data")
		pw.CloseWithError(errors.New("pipe broke"))
	}()
	b, err := io.ReadAll(pr)
	fmt.Println(string(b), err)
	i := 0
retry:
	if i < 3 {
		i++
		goto retry
	}
	fmt.Println(i)
}
