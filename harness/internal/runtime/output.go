package runtime

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strconv"
)

// out returns the current os.Stdout of the script.
func (m *Machine) out() io.Writer { return m.stdout }

func (m *Machine) print(line int, a ...any) (int, error)   { return m.fprint(line, m.out(), a...) }
func (m *Machine) println(line int, a ...any) (int, error) { return m.fprintln(line, m.out(), a...) }
func (m *Machine) printf(line int, format string, a ...any) (int, error) {
	return m.fprintf(line, m.out(), format, a...)
}

func (m *Machine) fprint(line int, w io.Writer, a ...any) (int, error) {
	f := m.marks(line, w)
	if f == nil {
		return fmt.Fprint(w, a...)
	}
	b := m.headBuffer()
	return m.writeMarked(f, line, b, fmt.Append(*b, a...))
}

func (m *Machine) fprintln(line int, w io.Writer, a ...any) (int, error) {
	f := m.marks(line, w)
	if f == nil {
		return fmt.Fprintln(w, a...)
	}
	b := m.headBuffer()
	return m.writeMarked(f, line, b, fmt.Appendln(*b, a...))
}

func (m *Machine) fprintf(line int, w io.Writer, format string, a ...any) (int, error) {
	f := m.marks(line, w)
	if f == nil {
		return fmt.Fprintf(w, format, a...)
	}
	b := m.headBuffer()
	return m.writeMarked(f, line, b, fmt.Appendf(*b, format, a...))
}

// writeString is io.WriteString.
func (m *Machine) writeString(line int, w io.Writer, s string) (int, error) {
	f := m.marks(line, w)
	if f == nil {
		return io.WriteString(w, s)
	}
	b := m.headBuffer()
	return m.writeMarked(f, line, b, append(*b, s...))
}

func (m *Machine) fileWriteString(line int, f *os.File, s string) (int, error) {
	return m.writeString(line, f, s)
}

func (m *Machine) fileWrite(line int, f *os.File, p []byte) (int, error) {
	return marked{m, line, f}.Write(p)
}

// A marked writer marks its output with a line of the script, if w is one of the script's
// own streams.
type marked struct {
	m    *Machine
	line int
	w    io.Writer
}

func (w marked) Write(p []byte) (int, error) {
	f := w.m.marks(w.line, w.w)
	if f == nil {
		return w.w.Write(p)
	}
	b := w.m.headBuffer()
	return w.m.writeMarked(f, w.line, b, append(*b, p...))
}

// logText returns the text that a log function of this kind would print.
func logText(kind, format string, a []any) string {
	switch kind {
	case "":
		return fmt.Sprint(a...)
	case "ln":
		return fmt.Sprintln(a...)
	}
	return fmt.Sprintf(format, a...)
}

// exit ends the script: it reports the exit code to the host and ends this goroutine.
func (m *Machine) exit(code int) {
	m.exited.Store(true)
	m.cfg.Exit(code)
	runtime.Goexit()
}

// Exited reports whether the script called os.Exit.
func (m *Machine) Exited() bool { return m.exited.Load() }

// builtinPrint is print and println, which write to standard error.
func (m *Machine) builtinPrint(line int, spaced bool, args []any) {
	var b []byte
	for i, a := range args {
		if spaced && i > 0 {
			b = append(b, ' ')
		}
		b = append(b, builtinText(a)...)
	}
	if spaced {
		b = append(b, '\n')
	}
	_, _ = marked{m, line, m.stderr}.Write(b)
}

func builtinText(x any) string {
	if x == nil {
		return "(0x0,0x0)"
	}
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64:
		return printFloat(v.Float())
	case reflect.Complex64, reflect.Complex128:
		c := v.Complex()
		im := printFloat(imag(c))
		if im[0] != '-' && im[0] != '+' {
			im = "+" + im
		}
		return "(" + printFloat(real(c)) + im + "i)"
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", v.Len(), v.Cap(), v.Pointer())
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return fmt.Sprintf("%#x", address(v))
}

// printFloat writes a float as the builtin print does.
func printFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
