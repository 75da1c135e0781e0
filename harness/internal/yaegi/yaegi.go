// Package yaegi runs a lowered program in the interpreter.
//
// In goes what lower made of a script: text of a method-less subset of Go
// and the table of its types. Out comes how the script ended: by itself, by
// os.Exit, or by a panic with Go's text and the lines of the script that it
// passed. Nothing of the interpreter shows: its messages, its wrapped panic
// values and its own positions stop here.
//
// A script that ends by a fatal error of the Go runtime (deadlock, concurrent
// map writes, stack overflow) ends the process; who needs to survive that runs
// this in a worker. So does a script that never ends.
package yaegi

import (
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing/fstest"

	"github.com/traefik/yaegi/interp"

	"github.com/usetools/usetools/harness/internal/lower"
	rt "github.com/usetools/usetools/harness/internal/runtime"
	"github.com/usetools/usetools/harness/internal/stack"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/stdlib/symbols"
)

// Options says where a script's output goes and what it can reach. Nil means
// this process's own streams and the standard library.
type Options struct {
	// Stdout and Stderr are os.Stdout and os.Stderr of the script; nil means
	// those of this process. A writer that is no *os.File is fed through a pipe.
	Stdout, Stderr io.Writer
	// Mark begins what the script prints, with its line: see rt.Config. nil: nothing does.
	Mark []byte
	// Symbols are the packages that the host adds to the library, in the form
	// that interp.Use takes.
	Symbols map[string]map[string]reflect.Value
	// Host is what Return, Input and Stored reach; nil means [rt.NoHost].
	Host rt.Host
	// Line is where the number of the script's line that runs is kept, for
	// whoever is left when the process dies; nil: nowhere else.
	Line *int
	// Goexit is called when the script's main goroutine has ended by
	// runtime.Goexit; nil: nobody is told. Run waits for the others then.
	Goexit func()
	// Timers learns of the script's timers; nil: nobody asks for them.
	Timers *rt.Timers
	// Seed is what random functions draw from, and what ranges over maps are ordered
	// by, 32 bytes; nil: one that nobody knows.
	Seed []byte
	// Stop, when closed, ends Run with an Outcome that is Stopped. The script's
	// goroutines go on: whoever stops one ends the process.
	Stop <-chan struct{}
}

// An Outcome is how a script ended.
type Outcome struct {
	Exited  bool // by os.Exit or log.Fatal, with Code
	Code    int
	Panic   *Panic // nil when there was none
	Stopped bool   // by Options.Stop
	Line    int    // of a script that was stopped: where it was last, as far as that was noted; 0 when not
}

// Panic is a panic that nobody recovered.
type Panic struct {
	Text  string // what Go prints after "panic: "
	Value string // the value as %v
	Cause any    // the value of the panic that Text begins with
	Trace []Frame
}

// A Frame is one function that the panic passed, innermost first.
type Frame struct {
	Func string // as Go names it: main.(*T).M
	Line int    // line of the script; exact for the innermost, else that of the call where it can be told, else 0
}

// A LimitError says what of a script the interpreter has no room for. Nothing of
// the script has run.
type LimitError struct{ Msg string }

func (e *LimitError) Error() string { return e.Msg }

// limits are what reflect says of types that it does not make.
var limits = []struct{ says, means string }{
	{"reflect.FuncOf: too many arguments", "a function of more than 128 parameters and results, its receiver included, that is a value, deferred or started as a goroutine; let it take a struct or a slice"},
	{"reflect.ChanOf: element size too large", "a channel of elements of more than 65535 bytes; send pointers or slices"},
}

// failed makes an error of what the interpreter said of a program that it did not
// take.
func failed(what string, says any) error {
	text := fmt.Sprint(says)
	for _, l := range limits {
		if strings.Contains(text, l.says) {
			return &LimitError{l.means}
		}
	}
	return fmt.Errorf("the interpreter %s: %s", what, text) // without its stack, which tells of this machine
}

// Run runs a program to its end. An error means that the interpreter did not
// take the program: a *[LimitError], or else a fault of ours, never of the script.
func Run(p *lower.Program, o *Options) (*Outcome, error) {
	if o == nil {
		o = &Options{}
	}
	stdout, closeOut, err := file(o.Stdout, os.Stdout)
	if err != nil {
		return nil, fmt.Errorf("opening the script's stdout: %w", err)
	}
	defer closeOut()
	stderr, closeErr, err := file(o.Stderr, os.Stderr)
	if err != nil {
		return nil, fmt.Errorf("opening the script's stderr: %w", err)
	}
	defer closeErr()

	r := &run{program: p, ended: make(chan end, 64)}
	r.machine = rt.New(rt.Config{
		Types: p.Types, Source: p.IsSource, Library: r.libraryType, Refused: refused, Uncounted: p.Uncounted, Reflects: p.Reflects, Stdout: stdout, Stderr: stderr, Mark: o.Mark, Host: o.Host, Line: o.Line, Timers: o.Timers,
		Seed: o.Seed, Ordered: p.Ordered, Natives: p.Natives,
		Exit:  func(code int) { r.ended <- end{outcome: &Outcome{Exited: true, Code: code}} },
		Fatal: func(p *rt.Panic, trail []rt.Step) { r.ended <- end{outcome: r.panicked(p, trail)} },
	})
	r.symbols, r.goexit = o.Symbols, o.Goexit
	if err := r.prepare(); err != nil {
		return nil, err
	}
	go r.main()
	select {
	case e := <-r.ended:
		return e.outcome, e.err
	case <-o.Stop:
		return &Outcome{Stopped: true, Line: r.machine.Line()}, nil
	}
}

// file makes a file of a writer.
func file(w io.Writer, own *os.File) (*os.File, func(), error) {
	switch w := w.(type) {
	case nil:
		return own, func() {}, nil
	case *os.File:
		return w, func() {}, nil
	}
	r, f, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(w, r)
		_ = r.Close()
	}()
	return f, func() {
		_ = f.Close()
		<-copied
	}, nil
}

// run is one running script.
type run struct {
	program  *lower.Program
	machine  *rt.Machine
	interp   *interp.Interpreter
	symbols  map[string]map[string]reflect.Value
	ended    chan end
	goexit   func()
	compiled *interp.Program // for rt.Line
}

type end struct {
	outcome *Outcome
	err     error
}

// prepare makes an interpreter that knows just what the program uses.
func (r *run) prepare() error {
	r.interp = interp.New(interp.Options{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: r.machine.Messages(),
		Args: []string{"script"}, Env: []string{}, GoPath: "none", SourcecodeFilesystem: fstest.MapFS{},
	})
	made, err := r.machine.Types(r.program.Structs, r.program.Converters)
	if err != nil {
		return fmt.Errorf("making the types of the script: %w", err)
	}
	exports := interp.Exports{}
	mentions := selected(r.program.Source)
	for path, names := range symbols.Exports(mentions, r.program.Libraries...) {
		exports[lower.LibraryPrefix+path] = names
	}
	for path, names := range r.symbols {
		exports[lower.LibraryPrefix+path] = names
	}
	for path, names := range r.machine.Variables() {
		if std := exports[lower.LibraryPrefix+path]; std != nil {
			maps.Copy(std, names)
		}
	}
	own := r.machine.Symbols(mentions)
	line := own["Line"].Interface().(func() *int)
	own["Line"] = reflect.ValueOf(func() *int { // by which all programs begin: nothing has run
		shorten(r.compiled)
		return line()
	})
	exports["rt/rt"] = own
	exports["t/t"] = made
	if err := r.interp.Use(exports); err != nil {
		return fmt.Errorf("loading the symbols: %w", err)
	}
	return nil
}

// selected returns all names that a dot precedes in a text: those of packages
// among them.
func selected(source string) map[string]bool {
	names := map[string]bool{}
	for rest := source; ; {
		_, after, ok := strings.Cut(rest, ".")
		if !ok {
			return names
		}
		n := 0
		for n < len(after) && (after[n] == '_' || after[n] >= '0' && after[n] <= '9' || after[n]|0x20 >= 'a' && after[n]|0x20 <= 'z' || after[n] >= 0x80) {
			n++
		}
		if n > 0 {
			names[after[:n]] = true
		}
		rest = after[n:]
	}
}

func refused(path, name string) bool {
	_, refused := export.Refused(path, name)
	return refused
}

// libraryType finds a library's named type.
func (r *run) libraryType(path, name string) reflect.Type {
	v, ok := symbols.Lookup(path, name)
	if !ok {
		for key, names := range r.symbols {
			if strings.HasPrefix(key, path+"/") && !strings.Contains(key[len(path)+1:], "/") {
				v, ok = names[name]
			}
		}
	}
	if !ok || v.Kind() != reflect.Pointer {
		return nil
	}
	return v.Type().Elem()
}

// main is the script's main goroutine.
func (r *run) main() {
	stack.Grow()
	returned := false
	defer func() {
		// A panic here is one of the interpreter itself while it compiles.
		if x := recover(); x != nil {
			r.ended <- end{err: failed("failed", x)}
		} else if !returned && !r.machine.Exited() && r.goexit != nil {
			r.goexit()
		}
	}()
	defer runtime.KeepAlive(r)
	r.machine.Main()
	var err error
	if r.compiled, err = r.interp.Compile(r.program.Source); err == nil {
		_, err = r.interp.Execute(r.compiled)
	}
	returned = true
	switch e := err.(type) {
	case nil:
		r.ended <- end{outcome: &Outcome{}}
	case interp.Panic:
		r.ended <- end{outcome: r.panicked(r.machine.Caught(e.Value), r.machine.Trail())}
	default:
		r.ended <- end{err: failed("refused the program", err)}
	}
}

func (r *run) panicked(p *rt.Panic, trail []rt.Step) *Outcome {
	first := p
	for first.Earlier != nil {
		first = first.Earlier
	}
	out := &Panic{Text: "panic while printing panic value", Cause: first.Value, Trace: r.trace(p.Line, trail)}
	func() {
		defer func() { recover() }() // of methods of the script
		out.Text, out.Value = p.Text(), fmt.Sprint(p.Value)
	}()
	return &Outcome{Code: 2, Panic: out}
}

// trace makes the script's trace of the functions that a panic passed. The
// interpreter tells which they were, but not where in them: line is right for
// the innermost, the others must have called the one before.
func (r *run) trace(line int, trail []rt.Step) []Frame {
	var frames []Frame
	inner := ""   // the function called by the next one
	part := false // that is a part of it
	add := func(f lower.Func, frame Frame) {
		if n := len(frames); n > 0 && frames[n-1].Func == frame.Func && frame.Line == 0 {
			return // a part of the function that was emitted on its own
		}
		if f.Script {
			frames = append(frames, frame)
		}
	}
	for _, s := range trail {
		f, ok := r.program.Funcs[s.Func]
		if !ok { // a function of ours, which has no line
			if inner != "" && lower.IsDispatcher(s.Func) {
				inner = s.Func
			}
			continue
		}
		if part {
			inner, part = s.Func, f.Part
			continue
		}
		part = f.Part
		if f.Name != "" {
			frame := Frame{Func: f.Name}
			if inner == "" && line >= f.Start.Line && line <= f.End.Line {
				frame.Line = line
			} else {
				frame.Line = callLine(f, inner)
			}
			inner = s.Func
			add(f, frame)
		}
	}
	if len(frames) == 0 && line > 0 {
		frames = append(frames, Frame{Func: "main.main", Line: line})
	}
	return frames
}

// callLine is the line on which f calls a function of the script, "" for one of
// the library; 0 when there is more than one that could be it.
func callLine(f lower.Func, callee string) int {
	direct, indirect := 0, 0
	for _, c := range f.Calls {
		switch {
		case callee != "" && c.Callee == callee && direct != 0 && direct != c.Line:
			return 0
		case callee != "" && c.Callee == callee:
			direct = c.Line
		case c.Callee == "" && indirect != 0 && indirect != c.Line:
			indirect = -1
		case c.Callee == "" && indirect == 0:
			indirect = c.Line
		}
	}
	if direct != 0 {
		return direct
	}
	return max(indirect, 0)
}
