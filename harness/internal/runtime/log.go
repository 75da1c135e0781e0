package runtime

import (
	"log"
	"log/slog"
	"reflect"
	"strconv"
	"sync"
)

// A logAt is a call of a logger from a line of the script. Package log would
// look for the line on its own stack; where a script wants it, it is written
// here. Line 0 is none.
type logAt struct {
	m    *Machine
	l    *log.Logger
	file string
	line int
}

func (m *Machine) loggerAt(l *log.Logger, file string, line int) logAt {
	return logAt{m, l, file, line}
}

// slogDefault is the type of the handler that writes through package log, and its
// field output what it writes with.
var slogDefault = reflect.TypeOf(slog.Default().Handler())

// slogAt returns a logger that does what l does, and writes the place of the call
// where package log is to write one.
func (m *Machine) slogAt(l *slog.Logger, file string, line int) *slog.Logger {
	h := reflect.ValueOf(l.Handler())
	if h.Type() != slogDefault {
		return l
	}
	with := reflect.New(slogDefault.Elem())
	with.Elem().Set(h.Elem())
	output := func(_ uintptr, text []byte) error {
		m.loggerAt(log.Default(), file, line).write(string(text))
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
	flags := c.l.Flags()
	if c.line == 0 || flags&log.Lshortfile == 0 {
		_ = c.l.Output(3, text)
		return
	}
	// The place stands before the text, and a prefix of the message behind it.
	place, prefix := c.file+":"+strconv.Itoa(c.line)+": ", c.l.Prefix()
	if flags&log.Lmsgprefix != 0 {
		place, prefix = place+prefix, ""
	}
	mu, _ := c.m.logging.LoadOrStore(c.l, new(sync.Mutex))
	mu.(*sync.Mutex).Lock()
	defer mu.(*sync.Mutex).Unlock()
	_ = log.New(c.l.Writer(), prefix, flags&^(log.Lshortfile|log.Lmsgprefix)).Output(3, place+text)
}

// logSymbols adds the functions that end the script, and those that give calls a
// place.
func (m *Machine) logSymbols(table map[string]any) {
	table["LoggerAt"], table["SlogAt"] = m.loggerAt, m.slogAt
	std := m.loggerAt(log.Default(), "", 0)
	table["LogFatal"], table["LogFatalln"], table["LogFatalf"] = std.Fatal, std.Fatalln, std.Fatalf
	at := func(l *log.Logger) logAt { return m.loggerAt(l, "", 0) }
	table["LoggerFatal"] = func(l *log.Logger, a ...any) { at(l).Fatal(a...) }
	table["LoggerFatalln"] = func(l *log.Logger, a ...any) { at(l).Fatalln(a...) }
	table["LoggerFatalf"] = func(l *log.Logger, f string, a ...any) { at(l).Fatalf(f, a...) }
}
