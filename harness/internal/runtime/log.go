package runtime

import (
	"log"
	"log/slog"
	"reflect"
	"strconv"
	"sync"
)

// A logAt is a call of a logger from line prints of the script. Package log would look for
// the line on its own stack; where a script wants it, file and line are written here. If
// line is 0, no place is written.
type logAt struct {
	m      *Machine
	prints int
	l      *log.Logger
	file   string
	line   int
}

func (m *Machine) loggerAt(prints int, l *log.Logger, file string, line int) logAt {
	return logAt{m, prints, l, file, line}
}

// slogDefault is the type of the handler that writes through package log. Its field output
// is the function that it writes with.
var slogDefault = reflect.TypeOf(slog.Default().Handler())

// slogAt returns a logger like l that writes the place of the call where package log would
// write one.
func (m *Machine) slogAt(prints int, l *slog.Logger, file string, line int) *slog.Logger {
	h := reflect.ValueOf(l.Handler())
	if h.Type() != slogDefault {
		return l
	}
	with := reflect.New(slogDefault.Elem())
	with.Elem().Set(h.Elem())
	output := func(_ uintptr, text []byte) error {
		m.loggerAt(prints, log.Default(), file, line).write(string(text))
		return nil
	}
	*(*func(uintptr, []byte) error)(with.Elem().FieldByName("output").Addr().UnsafePointer()) = output
	return slog.New(with.Interface().(slog.Handler))
}

func (c logAt) Print(a ...any)            { c.write(logText("", "", a)) }
func (c logAt) Println(a ...any)          { c.write(logText("ln", "", a)) }
func (c logAt) Printf(f string, a ...any) { c.write(logText("f", f, a)) }
func (c logAt) Fatal(a ...any)            { c.fatal(logText("", "", a)) }
func (c logAt) Fatalln(a ...any)          { c.fatal(logText("ln", "", a)) }
func (c logAt) Fatalf(f string, a ...any) { c.fatal(logText("f", f, a)) }
func (c logAt) Panic(a ...any)            { c.panic(logText("", "", a)) }
func (c logAt) Panicln(a ...any)          { c.panic(logText("ln", "", a)) }
func (c logAt) Panicf(f string, a ...any) { c.panic(logText("f", f, a)) }

func (c logAt) fatal(text string) {
	c.write(text)
	c.m.exit(1)
}

func (c logAt) panic(text string) {
	c.write(text)
	c.m.raise(text, *c.m.line)
}

func (c logAt) write(text string) {
	flags, prefix, w := c.l.Flags(), c.l.Prefix(), c.l.Writer()
	placed := c.line > 0 && flags&log.Lshortfile != 0
	if !placed && c.m.marks(c.prints, w) == nil {
		_ = c.l.Output(3, text)
		return
	}
	if placed { // the place is before the text, and a prefix of the message is after the place
		place := c.file + ":" + strconv.Itoa(c.line) + ": "
		if flags&log.Lmsgprefix != 0 {
			place, prefix = place+prefix, ""
		}
		text, flags = place+text, flags&^(log.Lshortfile|log.Lmsgprefix)
	}
	mu, _ := c.m.logging.LoadOrStore(c.l, new(sync.Mutex))
	mu.(*sync.Mutex).Lock()
	defer mu.(*sync.Mutex).Unlock()
	_ = log.New(marked{c.m, c.prints, w}, prefix, flags).Output(3, text)
}

// logSymbols adds the functions that replace those of package log. They record the line of
// the script that calls them.
func (m *Machine) logSymbols(table map[string]any) {
	table["LoggerAt"], table["SlogAt"] = m.loggerAt, m.slogAt
	at := func(line int, l *log.Logger) logAt { return m.loggerAt(line, l, "", 0) }
	std := func(line int) logAt { return at(line, log.Default()) }
	table["LogPrint"] = func(line int, a ...any) { std(line).Print(a...) }
	table["LogPrintln"] = func(line int, a ...any) { std(line).Println(a...) }
	table["LogPrintf"] = func(line int, f string, a ...any) { std(line).Printf(f, a...) }
	table["LogFatal"] = func(line int, a ...any) { std(line).Fatal(a...) }
	table["LogFatalln"] = func(line int, a ...any) { std(line).Fatalln(a...) }
	table["LogFatalf"] = func(line int, f string, a ...any) { std(line).Fatalf(f, a...) }
	table["LoggerPrint"] = func(line int, l *log.Logger, a ...any) { at(line, l).Print(a...) }
	table["LoggerPrintln"] = func(line int, l *log.Logger, a ...any) { at(line, l).Println(a...) }
	table["LoggerPrintf"] = func(line int, l *log.Logger, f string, a ...any) { at(line, l).Printf(f, a...) }
	table["LoggerFatal"] = func(line int, l *log.Logger, a ...any) { at(line, l).Fatal(a...) }
	table["LoggerFatalln"] = func(line int, l *log.Logger, a ...any) { at(line, l).Fatalln(a...) }
	table["LoggerFatalf"] = func(line int, l *log.Logger, f string, a ...any) { at(line, l).Fatalf(f, a...) }
}
