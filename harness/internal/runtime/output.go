package runtime

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strconv"
)

// out is what os.Stdout is in the script now.
func (m *Machine) out() io.Writer { return m.stdout }

func (m *Machine) print(a ...any) (int, error)   { return fmt.Fprint(m.out(), a...) }
func (m *Machine) println(a ...any) (int, error) { return fmt.Fprintln(m.out(), a...) }
func (m *Machine) printf(format string, a ...any) (int, error) {
	return fmt.Fprintf(m.out(), format, a...)
}

// logText is what a log function of that name would print.
func logText(kind, format string, a []any) string {
	switch kind {
	case "":
		return fmt.Sprint(a...)
	case "ln":
		return fmt.Sprintln(a...)
	}
	return fmt.Sprintf(format, a...)
}

// exit ends the script: the process of the script is this goroutine and its
// host.
func (m *Machine) exit(code int) {
	m.exited.Store(true)
	m.cfg.Exit(code)
	runtime.Goexit()
}

// Exited reports whether the script called os.Exit.
func (m *Machine) Exited() bool { return m.exited.Load() }

// builtinPrint is print and println, which write to standard error.
func (m *Machine) builtinPrint(line bool, args []any) {
	var b []byte
	for i, a := range args {
		if line && i > 0 {
			b = append(b, ' ')
		}
		b = append(b, builtinText(a)...)
	}
	if line {
		b = append(b, '\n')
	}
	_, _ = m.stderr.Write(b)
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
