// Package yaegi runs a lowered program in the interpreter.
//
// The input is the output of package lower: text in a subset of Go without methods, and the
// table of its types. The result says how the script ended: normally, by os.Exit, or by a
// panic with Go's text and the lines of the script that it passed. No interpreter messages,
// wrapped panic values or interpreter positions appear in the result.
//
// A script that ends by a fatal error of the Go runtime (deadlock, concurrent map writes,
// stack overflow) ends the process, and a script may never end. Run untrusted scripts in a
// worker process.
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

// Options configure a run: where a script's output goes and what it can reach. If nil,
// these are the streams of this process and the standard library.
type Options struct {
	// Stdout and Stderr are os.Stdout and os.Stderr of the script. If nil, they are those
	// of this process. A writer that is not an *os.File gets its data through a pipe.
	Stdout, Stderr io.Writer
	// Mark begins the head of printed text, which has its line: see rt.Config. If nil, text
	// is not marked.
	Mark []byte
	// Symbols are the packages that the host adds to the library, in the form of
	// interp.Use.
	Symbols map[string]map[string]reflect.Value
	// Host serves Return, Input, Stored and RunScript. If nil, it is [rt.NoHost].
	Host rt.Host
	// Line receives the number of the running line, so that it can be read after the
	// process dies. If nil, it is kept in the Machine only.
	Line *int
	// Goexit, if not nil, is called when the script's main goroutine has ended by
	// runtime.Goexit. Run then waits for the others.
	Goexit func()
	// Timers tracks the script's timers. If nil, the Machine makes its own.
	Timers *rt.Timers
	// Seed, 32 bytes, determines random numbers and the order of ranges over maps. If nil,
	// it is chosen at random.
	Seed []byte
	// Stop, when closed, ends Run with an Outcome that is Stopped. The script's goroutines
	// continue, so the caller must end the process.
	Stop <-chan struct{}
}

// An Outcome says how a script ended.
type Outcome struct {
	Exited  bool // by os.Exit or log.Fatal, with Code
	Code    int
	Panic   *Panic // nil if the script did not panic
	Stopped bool   // by Options.Stop
	Line    int    // of a stopped script: its last recorded line, or 0
}

// Panic is a panic that was not recovered.
type Panic struct {
	Text  string // the text that Go prints after "panic: "
	Value string // the value as %v
	Cause any    // the value of the first panic, with which Text begins
	Trace []Frame
}

// A Frame is one function that the panic passed, innermost first.
type Frame struct {
	Func string // as Go names it: main.(*T).M
	Line int    // line of the script: exact for the innermost, otherwise that of the call if it is known, else 0
}

// A LimitError reports a part of the script that exceeds a limit of the interpreter. No
// part of the script has run.
type LimitError struct{ Msg string }

func (e *LimitError) Error() string { return e.Msg }

// limits maps reflect's messages about types that it cannot make to advice.
var limits = []struct{ says, means string }{
	{"reflect.FuncOf: too many arguments", "a function of more than 128 parameters and results, including the receiver, used as a value, with defer or with go; use a struct or a slice as parameter"},
	{"reflect.ChanOf: element size too large", "a channel of elements of more than 65535 bytes; send pointers or slices"},
}

// programError returns an error for the interpreter's message about a program that it rejected.
func programError(what string, says any) error {
	text := fmt.Sprint(says)
	for _, l := range limits {
		if strings.Contains(text, l.says) {
			return &LimitError{l.means}
		}
	}
	return fmt.Errorf("the interpreter %s: %s", what, text) // without its stack, which has paths of this machine
}

// Run runs a program to its end. An error means that the interpreter rejected the program:
// it is a *[LimitError], or else a bug in the harness, never the script's fault.
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

// file returns a file that writes to w, or own if w is nil.
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
	compiled *interp.Program // read by rt.Line
}

type end struct {
	outcome *Outcome
	err     error
}

// prepare makes an interpreter with only the symbols that the program uses.
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
	own["Line"] = reflect.ValueOf(func() *int { // all programs begin with it, before any other code runs
		cutAncestors(r.compiled)
		return line()
	})
	exports["rt/rt"] = own
	exports["t/t"] = made
	if err := r.interp.Use(exports); err != nil {
		return fmt.Errorf("loading the symbols: %w", err)
	}
	return nil
}

// selected returns all names that follow a dot in a text, including those of package
// symbols.
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

// main runs the script's main goroutine.
func (r *run) main() {
	stack.Grow()
	returned := false
	defer func() {
		// A panic here is the interpreter's own, while it compiles.
		if x := recover(); x != nil {
			r.ended <- end{err: programError("failed", x)}
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
		r.ended <- end{err: programError("refused the program", err)}
	}
}

func (r *run) panicked(p *rt.Panic, trail []rt.Step) *Outcome {
	first := p
	for first.Earlier != nil {
		first = first.Earlier
	}
	out := &Panic{Text: "panic while printing panic value", Cause: first.Value, Trace: r.trace(p.Line, trail)}
	func() {
		defer func() { recover() }() // a method of the script may panic
		out.Text, out.Value = p.Text(), fmt.Sprint(p.Value)
	}()
	return &Outcome{Code: 2, Panic: out}
}

// trace returns the script's trace of the functions that a panic passed. The interpreter
// reports the functions, but not the lines in them: line applies to the innermost, and each
// other function must have called the one before.
func (r *run) trace(line int, trail []rt.Step) []Frame {
	var frames []Frame
	inner := ""   // the function called by the next one
	part := false // whether it is a part of the next one
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
		if !ok { // a generated function, which has no line
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

// callLine returns the line on which f calls a function of the script, or of the library if
// callee is "". It returns 0 if several lines are possible.
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
