package rt

import (
	"log"
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

// LogAt and LoggerAt are for calls in scripts that use log.Lshortfile.
func (m *Machine) logAt(file string, line int) logAt { return logAt{m, log.Default(), file, line} }

func (m *Machine) loggerAt(l *log.Logger, file string, line int) logAt {
	return logAt{m, l, file, line}
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

// logSymbols adds the functions of package log and the methods of a Logger.
func (m *Machine) logSymbols(table map[string]any) {
	table["LogAt"], table["LoggerAt"] = m.logAt, m.loggerAt
	here := func() logAt { return m.logAt("", 0) }
	table["LogPrint"] = func(a ...any) { here().Print(a...) }
	table["LogPrintln"] = func(a ...any) { here().Println(a...) }
	table["LogPrintf"] = func(f string, a ...any) { here().Printf(f, a...) }
	table["LogFatal"] = func(a ...any) { here().Fatal(a...) }
	table["LogFatalln"] = func(a ...any) { here().Fatalln(a...) }
	table["LogFatalf"] = func(f string, a ...any) { here().Fatalf(f, a...) }
	table["LogPanic"] = func(a ...any) { here().Panic(a...) }
	table["LogPanicln"] = func(a ...any) { here().Panicln(a...) }
	table["LogPanicf"] = func(f string, a ...any) { here().Panicf(f, a...) }
	at := func(l *log.Logger) logAt { return m.loggerAt(l, "", 0) }
	table["LoggerPrint"] = func(l *log.Logger, a ...any) { at(l).Print(a...) }
	table["LoggerPrintln"] = func(l *log.Logger, a ...any) { at(l).Println(a...) }
	table["LoggerPrintf"] = func(l *log.Logger, f string, a ...any) { at(l).Printf(f, a...) }
	table["LoggerFatal"] = func(l *log.Logger, a ...any) { at(l).Fatal(a...) }
	table["LoggerFatalln"] = func(l *log.Logger, a ...any) { at(l).Fatalln(a...) }
	table["LoggerFatalf"] = func(l *log.Logger, f string, a ...any) { at(l).Fatalf(f, a...) }
	table["LoggerPanic"] = func(l *log.Logger, a ...any) { at(l).Panic(a...) }
	table["LoggerPanicln"] = func(l *log.Logger, a ...any) { at(l).Panicln(a...) }
	table["LoggerPanicf"] = func(l *log.Logger, f string, a ...any) { at(l).Panicf(f, a...) }
}
