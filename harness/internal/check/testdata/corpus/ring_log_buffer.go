// A ring-buffer logger as io.Writer with levels, tails, and fmt.Fprintf; partial lines; dump through io.WriterTo.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
)

type Level int8

const (
	Debug Level = iota - 1
	Info
	Warn
	Error
)

func (l Level) String() string {
	if l >= Debug && l <= Error {
		return [...]string{"DEBUG", "INFO", "WARN", "ERROR"}[l-Debug]
	}
	return fmt.Sprintf("Level(%+d)", int8(l))
}

func (l *Level) Set(s string) (err error) {
	for c := Debug; c <= Error; c++ {
		if strings.EqualFold(c.String(), s) {
			*l = c
			return
		}
	}
	return fmt.Errorf("unknown level %q", s)
}

type Ring struct {
	lines   []string
	next    int
	full    bool
	partial []byte
	dropped int
}

func NewRing(n int) *Ring { return &Ring{lines: make([]string, n)} }

func (r *Ring) push(s string) {
	if r.full {
		r.dropped++
	}
	r.lines[r.next] = s
	if r.next++; r.next == len(r.lines) {
		r.next, r.full = 0, true
	}
}

func (r *Ring) Write(p []byte) (n int, err error) {
	n = len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.partial = append(r.partial, p...)
			return
		}
		r.push(string(append(r.partial, p[:i]...)))
		r.partial, p = r.partial[:0], p[i+1:]
	}
	return
}

func (r *Ring) Tail(yield func(int, string) bool) {
	start, count := 0, r.next
	if r.full {
		start, count = r.next, len(r.lines)
	}
	for i := range count {
		if !yield(i, r.lines[(start+i)%len(r.lines)]) {
			return
		}
	}
}

func (r *Ring) WriteTo(w io.Writer) (total int64, err error) {
	for i, l := range r.Tail {
		n, err := fmt.Fprintf(w, "%02d %s\n", i, l)
		if total += int64(n); err != nil {
			return total, fmt.Errorf("line %d: %w", i, err)
		}
	}
	return total, nil
}

type Logger struct {
	Out   io.Writer
	Min   Level
	calls map[Level]int
	with  []any
}

func (l Logger) With(kv ...any) *Logger {
	l.with = append(l.with[:len(l.with):len(l.with)], kv...)
	return &l
}

func (l *Logger) Logf(lv Level, format string, args ...any) {
	if l.calls == nil {
		l.calls = map[Level]int{}
	}
	l.calls[lv]++
	if lv < l.Min {
		return
	}
	fmt.Fprintf(l.Out, "%-5v ", lv)
	fmt.Fprintf(l.Out, format, args...)
	for i := 0; i+1 < len(l.with); i += 2 {
		fmt.Fprintf(l.Out, " %v=%v", l.with[i], l.with[i+1])
	}
	io.WriteString(l.Out, "\n")
}

type failing struct {
	io.Writer
	after int
}

var errDisk = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errDisk
	}
	return f.Writer.Write(p)
}

func main() {
	r := NewRing(4)
	l := &Logger{Out: r}
	l.Logf(Info, "start %d", 1)
	l.Logf(Debug, "hidden %s", "x")
	req := l.With("req", 7)
	req.Logf(Warn, "slow: %.1fs", 1.25)
	req.With("user", "ann").Logf(Error, "failed %q", []string{"a", "b"})
	r.WriteTo(os.Stdout)
	fmt.Fprint(r, "partial ")
	fmt.Fprint(r, "joined\nthree\nfour\npend")
	n, err := r.WriteTo(os.Stdout)
	fmt.Println(n, err, r.dropped, string(r.partial), l.calls, req.calls)
	n, err = r.WriteTo(&failing{os.Stdout, 2})
	fmt.Println(n, err, errors.Is(err, errDisk))
	for i, s := range r.Tail {
		if i == 1 {
			fmt.Println("second:", s)
			break
		}
	}
	var min Level
	fmt.Println(min.Set("warn"), min, min.Set("loud"), min, Level(9), []Level{Debug, Error})
	l.Min = min
	l.Logf(Info, "dropped")
	std := log.New(io.MultiWriter(r, os.Stdout), "std: ", log.Lmsgprefix|log.Lshortfile&^log.Lshortfile)
	std.Print("to both")
	std.Printf("%v|%5v|%-7v|%d", Warn, Info, Error, Debug)
	fmt.Println(r.lines, r.next)
	var w io.Writer = r
	_, isTo := w.(io.WriterTo)
	_, isRead := w.(io.Reader)
	fmt.Println(isTo, isRead, std.Prefix(), std.Flags() == log.Lmsgprefix)
}
