package runtime

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Panic is a panic of the script that passes through native frames. Every panic becomes
// one as soon as this package catches it.
type Panic struct {
	Value any // the value that recover returns
	Line  int // the script's line, 0 if unknown
	// Earlier is the panic that was in progress when a deferred call raised this one, or
	// that this call had recovered. It may be nil.
	Earlier *Panic
	// raw is native code's own panic value, which native code may need to recover.
	raw any
	// recovered reports whether this panic, the Earlier of another, was recovered.
	recovered bool
}

// Library code that recovers panics, such as fmt and text/template, treats a Panic as the
// value that the script raised.

// Error returns the text of the value. Unwrap returns the value if it is an error.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Format formats the value.
func (p *Panic) Format(s fmt.State, verb rune) { fmt.Fprintf(s, fmt.FormatString(s, verb), p.Value) }

// Text returns the text that Go prints after "panic: ".
func (p *Panic) Text() string { return p.before(nil) }

// before returns the text of a panic and of earlier ones; next is the panic after it. A
// panic with the value of the earlier one is a repanic, and is not repeated.
func (p *Panic) before(next *Panic) string {
	s := ""
	if e := p.Earlier; e != nil {
		s = e.before(p)
		if samePanic(e.Value, p.Value) {
			return s
		}
		s += "\n\tpanic: "
	}
	s += panicText(p.Value)
	switch {
	case p.recovered && next != nil && samePanic(p.Value, next.Value):
		s += " [recovered, repanicked]"
	case p.recovered:
		s += " [recovered]"
	}
	return s
}

// samePanic reports whether b is the value a raised again. Like Go, it compares strings by
// their addresses.
func samePanic(a, b any) bool {
	x, ok := a.(string)
	if y, ok2 := b.(string); ok && ok2 {
		return x == y && unsafe.StringData(x) == unsafe.StringData(y)
	}
	t := reflect.TypeOf(a)
	if t == nil || t != reflect.TypeOf(b) {
		return false
	}
	if !reflect.ValueOf(a).Comparable() {
		return reflect.DeepEqual(a, b)
	}
	return a == b
}

func panicText(v any) string {
	switch x := v.(type) {
	case error:
		return x.Error()
	case string:
		return x
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	r := reflect.ValueOf(v)
	name := dynamicName(v)
	switch k := r.Kind(); {
	case k == reflect.String:
		return fmt.Sprintf("%s(%q)", name, r.String())
	case k == reflect.Float32 || k == reflect.Float64:
		return wrapName(r.Type(), printFloat(r.Float()))
	case (k == reflect.Complex64 || k == reflect.Complex128) && r.Type().PkgPath() != "":
		return name + fmt.Sprint(r.Interface()) // which has parentheses
	case k >= reflect.Bool && k <= reflect.Complex128:
		return wrapName(r.Type(), fmt.Sprint(r.Interface()))
	}
	return "(" + name + ") " + fmt.Sprintf("%#x", address(r))
}

func wrapName(t reflect.Type, text string) string {
	if t.PkgPath() != "" {
		return t.String() + "(" + text + ")"
	}
	return text
}

func address(v reflect.Value) uintptr {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.Slice, reflect.UnsafePointer:
		return v.Pointer()
	}
	return 0
}

// raise is the builtin panic.
func (m *Machine) raise(v any, line int) {
	if v == nil {
		v = &runtime.PanicNilError{}
	}
	panic(&Panic{Value: v, Line: line})
}

// caught converts the value that a native recover returned into a Panic.
func (m *Machine) caught(r any) *Panic {
	r = m.goPanic(r)
	if p, ok := r.(*Panic); ok {
		return p
	}
	if p := m.panicking.repanickedAs(r); p != nil {
		return p
	}
	p := &Panic{Value: r, Line: m.takeLine()}
	if _, ok := r.(runtime.Error); !ok {
		p.raw = r
	}
	return p
}

// repanic raises a panic after the deferred calls of a function. A panic of native code is
// raised unchanged.
func (m *Machine) repanic(p *Panic) {
	if p.raw == nil || p.Earlier != nil {
		panic(p)
	}
	m.panicking.noteRepanic(p)
	panic(p.raw)
}

// goPanic returns the value that native code recovers for a panic r of the interpreter: a
// Panic if Go's message differs, otherwise r itself.
func (m *Machine) goPanic(r any) any {
	for {
		v, ok := r.(reflect.Value)
		if !ok || !v.IsValid() || !v.CanInterface() {
			break
		}
		r = v.Interface()
	}
	if _, ok := r.(*Panic); ok {
		return r
	}
	if v, ok := translate(r); ok && !m.panicking.isForeign() {
		return &Panic{Value: v, Line: m.takeLine()}
	}
	return r
}

func nilDereference() error {
	return runtimeError("invalid memory address or nil pointer dereference")
}

// translations maps the interpreter's own panics, which come from reflect, to Go's
// messages.
var translations = []struct{ part, text string }{
	{"slice index out of bounds", "slice bounds out of range"},
	{"index out of range", "index out of range"},
	{"call of nil function", "invalid memory address or nil pointer dereference"},
	{"nil pointer", "invalid memory address or nil pointer dereference"},
	{"nil interface value", "invalid memory address or nil pointer dereference"},
	{"slice overflow", "growslice: len out of range"},
	{"MakeSlice: negative len", "makeslice: len out of range"},
	{"MakeSlice: len out of range", "makeslice: len out of range"},
	{"MakeSlice: negative cap", "makeslice: cap out of range"},
	{"MakeSlice: cap out of range", "makeslice: cap out of range"},
	{"MakeSlice: len > cap", "makeslice: cap out of range"},
}

// translate returns Go's error for a panic of the interpreter, if it differs.
func translate(r any) (v any, ok bool) {
	switch p := r.(type) {
	case *reflect.ValueError:
		return nilDereference(), p.Kind == reflect.Invalid
	case runtime.Error:
		// reflect asks for more than make does
		return runtimeError("makeslice: len out of range"), p.Error() == "runtime: allocation size out of range"
	case string:
		if !strings.HasPrefix(p, "reflect") && !strings.HasPrefix(p, "runtime") {
			break
		}
		if strings.Contains(p, "MakeChan: negative") {
			return plainError("makechan: size out of range"), true
		}
		for _, t := range translations {
			if strings.Contains(p, t.part) {
				return runtimeError(t.text), true
			}
		}
	}
	return nil, false
}

// Defers keeps the deferred calls of one call of a script function, and the
// panic that passes through it. The interpreter's own defer reads arguments
// late, loses calls after a panic in one, and mixes up frames.
type Defers struct {
	m     *Machine
	calls []func()
	panic *Panic
	// recovered is the panic that the current deferred call has recovered.
	recovered *Panic
	// wrappers is the number of functions between the current deferred call and the
	// function that it calls that are not the script's.
	wrappers int
}

func (m *Machine) newDefers() *Defers { return &Defers{m: m} }

// push defers a call whose closure has its operands.
func push(d *Defers, f func()) { d.calls = append(d.calls, f) }

// pushCall defers a call of a script function with evaluated arguments. The function is
// called directly from here, so that recover in it works.
func pushCall(d *Defers, f any, args ...any) {
	fn := reflect.ValueOf(f)
	d.calls = append(d.calls, func() {
		if d.panic != nil && !fn.IsNil() && !isScripts(fn) { // the function that it calls is not called by the panic
			d.wrappers = -1
		}
		callWith(fn, args)
	})
}

// unlock and the like are for the interpreter's own defer, which also runs after os.Exit.
func (m *Machine) unlock(mu *sync.Mutex) {
	if !m.exited.Load() {
		mu.Unlock()
	}
}

func (m *Machine) unlockRW(mu *sync.RWMutex) {
	if !m.exited.Load() {
		mu.Unlock()
	}
}

func (m *Machine) runlock(mu *sync.RWMutex) {
	if !m.exited.Load() {
		mu.RUnlock()
	}
}

// callWith calls a script function.
func callWith(fn reflect.Value, args []any) {
	if fn.IsNil() {
		panic(nilDereference())
	}
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = argument(a, fn.Type().In(i))
	}
	fn.Call(in)
}

// run runs the body of a function and then its deferred calls as Go does.
func run(d *Defers, body func()) {
	d.guard(body)
	d.runCalls()
	if d.panic != nil {
		d.m.repanic(d.panic)
	}
}

func (d *Defers) runCalls() {
	for n := len(d.calls); n > 0; n = len(d.calls) {
		f := d.calls[n-1]
		d.calls = d.calls[:n-1]
		d.recovered, d.wrappers = nil, 0
		d.guard(func() { d.deferred(f) })
	}
}

// guard stores a panic of f in d. If the goroutine ends in f, its deferred calls run,
// except after os.Exit.
func (d *Defers) guard(f func()) {
	done := false
	defer func() {
		if done {
			return
		}
		r := recover()
		if r == nil {
			d.goexit()
			return
		}
		p := d.m.caught(r)
		p.follows(cmp.Or(d.panic, d.recovered))
		d.panic, d.recovered = p, nil
	}()
	f()
	done = true
}

// follows puts e before the first of the earlier panics of p.
func (p *Panic) follows(e *Panic) {
	for ; e != nil && p != e; p = p.Earlier {
		if p.Earlier == nil {
			p.Earlier = e
			return
		}
	}
}

// goexit runs the deferred calls when the goroutine ends, which ends a panic too.
func (d *Defers) goexit() {
	if d.m.exited.Load() {
		return
	}
	if d.panic != nil {
		d.panic = nil
		d.m.panicking.forget(goroutine())
	}
	d.runCalls()
	if d.panic != nil {
		d.m.cfg.Fatal(d.panic, d.m.Trail())
	}
}

// deferred calls f. Its frame marks the deferred call on the stack for recover.
//
//go:noinline
func (d *Defers) deferred(f func()) {
	if d.panic == nil && d.m.panicking.active.Load() == 0 {
		f()
		return
	}
	id := goroutine()
	d.m.panicking.enter(id, d)
	defer d.m.panicking.leave(id)
	f()
}

// recoverPanic is recover in a literal that was deferred directly.
func recoverPanic(d *Defers) any {
	if d == nil || d.panic == nil {
		return nil
	}
	v := d.panic.Value
	d.panic.recovered = true
	d.panic, d.recovered = nil, d.panic
	d.m.panicking.forget(goroutine())
	return v
}

// recoverHere is recover in any other function. It takes effect only if exactly frames calls
// of script functions are between here and the deferred call that run made.
func (m *Machine) recoverHere(frames int) any {
	if m.panicking.active.Load() == 0 {
		return nil
	}
	d := m.panicking.top(goroutine())
	if d == nil || scriptFrames() != frames+d.wrappers {
		return nil
	}
	return recoverPanic(d)
}

// through records that its caller only forwards a call, so that recover in the called
// function must ignore this frame.
func (m *Machine) through() {
	if m.panicking.active.Load() == 0 {
		return
	}
	if d := m.panicking.top(goroutine()); d != nil && scriptFrames() == d.wrappers+1 {
		d.wrappers++
	}
}

// isScripts reports whether f is a function of the script, not one of the library.
func isScripts(f reflect.Value) bool {
	at := runtime.FuncForPC(f.Pointer())
	return at != nil && at.Name() == "reflect.makeFuncStub"
}

// scriptFrames counts the script functions between the caller and the
// innermost deferred call.
func scriptFrames() int {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	n := 0
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "/yaegi/interp.runCfg"):
			n++
		case strings.HasSuffix(f.Function, "/internal/runtime.(*Defers).deferred"):
			return n
		}
		if !more {
			return -1
		}
	}
}

// panics has, by goroutine, the deferred calls that run while it panics, and the
// interpreter's messages from the frames that the panic passed.
type panics struct {
	active atomic.Int64
	mu     sync.Mutex
	stack  map[uintptr][]*Defers
	trail  map[uintptr][]Step
	// foreign reports whether the panic began in native code that the script called, not in
	// the interpreter.
	foreign map[uintptr]bool
	// repanicked has the Panics for native code's panics that a function of the script has
	// raised again.
	repanicked map[uintptr]*Panic
}

// A Step is one function that a panic passed, innermost first.
type Step struct {
	Func string // name in the lowered program
	Line int    // first line of its body
}

func (p *panics) enter(id uintptr, d *Defers) {
	p.active.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stack == nil {
		p.stack = map[uintptr][]*Defers{}
	}
	p.stack[id] = append(p.stack[id], d)
}

func (p *panics) leave(id uintptr) {
	p.active.Add(-1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.stack[id]; len(s) > 1 {
		p.stack[id] = s[:len(s)-1]
	} else {
		delete(p.stack, id)
	}
}

func (p *panics) top(id uintptr) *Defers {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.stack[id]; len(s) > 0 {
		return s[len(s)-1]
	}
	return nil
}

func (p *panics) forget(id uintptr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.trail, id)
	delete(p.repanicked, id)
}

const maxTrail = 200 // steps kept of one panic

func (p *panics) add(id uintptr, s Step) {
	if p.trail == nil {
		p.trail = map[uintptr][]Step{}
	}
	if len(p.trail[id]) < maxTrail {
		p.trail[id] = append(p.trail[id], s)
	}
}

// stepPattern matches the interpreter's message about a panic that passes a function.
var stepPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+)(?::\d+)?: panic: (?:main\.)?([\w]+)`) })

// Write receives the interpreter's own messages: one line for each function that a panic
// passes.
func (p *panics) Write(b []byte) (int, error) {
	s := stepPattern().FindSubmatch(b)
	if s == nil {
		return len(b), nil
	}
	line, _ := strconv.Atoi(string(s[1]))
	id := goroutine()
	p.isForeign()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(id, Step{string(s[2]), line})
	return len(b), nil
}

// panicOrigin examines the stack of a panic that passes a function of the script. raised reports
// whether the panic began in this function, and foreign whether it began in native code
// called there.
func panicOrigin() (foreign, raised bool) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking, calls, first := false, 0, true
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking, calls, first = true, 0, true
		case !panicking || strings.HasPrefix(f.Function, "runtime."):
		case strings.HasSuffix(f.Function, "/yaegi/interp.runCfg.func1"): // it raises the panic again
			return false, false
		case strings.Contains(f.Function, "/yaegi/interp."):
			return calls > 0, true
		case f.Function == "reflect.Value.call" && !first: // called by native code
			calls++
			first = false
		default:
			first = false
		}
		if !more {
			return false, true
		}
	}
}

func (p *panics) noteRepanic(q *Panic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.repanicked == nil {
		p.repanicked = map[uintptr]*Panic{}
	}
	p.repanicked[goroutine()] = q
}

// repanickedAs returns the Panic for r if it was raised again in this goroutine.
func (p *panics) repanickedAs(r any) *Panic {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.repanicked[goroutine()]
	if q == nil || *(*[2]unsafe.Pointer)(unsafe.Pointer(&q.raw)) != *(*[2]unsafe.Pointer)(unsafe.Pointer(&r)) {
		return nil
	}
	return q
}

// isForeign reports whether the panic of this goroutine, which the caller recovers or
// observes, began in native code.
func (p *panics) isForeign() bool {
	id := goroutine()
	foreign, raised := panicOrigin()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case raised && foreign:
		if p.foreign == nil {
			p.foreign = map[uintptr]bool{}
		}
		p.foreign[id] = true
	case raised:
		delete(p.foreign, id)
	}
	return p.foreign[id]
}

// Trail returns the functions that the panic of this goroutine has passed.
func (m *Machine) Trail() []Step {
	m.panicking.mu.Lock()
	defer m.panicking.mu.Unlock()
	return m.panicking.trail[goroutine()]
}

// Messages returns the writer for the interpreter's messages about panics.
func (m *Machine) Messages() io.Writer { return &m.panicking }

// Caught converts the value that a native recover returned into a Panic.
func (m *Machine) Caught(r any) *Panic { return m.caught(r) }

// Failed checks of indices and the like in the lowered program.

func (m *Machine) badIndex(line, i int, x any) { m.badIndexOf(line, i, x, false) }

// badWideIndex is badIndex for an unsigned index, which may be too large for an int.
func (m *Machine) badWideIndex(line, i int, x any) { m.badIndexOf(line, i, x, true) }

func (m *Machine) badIndexOf(line, i int, x any, unsigned bool) {
	if line > 0 {
		m.setLine(line)
	}
	panic(boundsError(badIndexCode, i, unsigned, reflect.ValueOf(x).Len()))
}

// badSlice panics for s[lo:hi]. limit is the capacity of a slice or the length of a string
// or array, as what says. Bits in unsigned mark lo (1) or hi (2) as unsigned, and perhaps
// too large for an int.
func (m *Machine) badSlice(lo, hi, limit int, what string, unsigned int) {
	if hi < 0 || hi > limit {
		panic(boundsError(badEndCode+ofWhat(what), hi, unsigned&2 != 0, limit))
	}
	panic(boundsError(badBeginCode, lo, unsigned&1 != 0, hi))
}

// badSlice3 is badSlice for s[lo:hi:max]. Bit 4 marks max.
func (m *Machine) badSlice3(lo, hi, max, limit int, what string, unsigned int) {
	switch {
	case max < 0 || max > limit:
		panic(boundsError(badMaxCode+ofWhat(what), max, unsigned&4 != 0, limit))
	case hi < 0 || hi > max:
		panic(boundsError(badEnd3Code, hi, unsigned&2 != 0, max))
	}
	panic(boundsError(badBegin3Code, lo, unsigned&1 != 0, hi))
}

func ofWhat(what string) int {
	if what == "capacity" {
		return 1
	}
	return 0
}

func (m *Machine) badArray(n, want int) { panic(boundsError(badArrayCode, want, false, n)) }

// badMake panics for a slice whose capacity is over limit.
func badMake(n, limit int) {
	if n < 0 || n > limit {
		panic(runtimeError("makeslice: len out of range"))
	}
	panic(runtimeError("makeslice: cap out of range"))
}

func badShift() { panic(runtimeError("negative shift amount")) }

func badDivisor() { panic(runtimeError("integer divide by zero")) }

func badNil() { panic(nilDereference()) }

// badYield panics if an iterator continues after its body has ended the loop. Recovering
// this panic counts as recovering a panic of the body.
func badYield(at *int) {
	state := *at
	*at = yieldPanicked
	if state == yieldPanicked {
		panic(runtimeError("range function continued iteration after loop body panic"))
	}
	if state == yieldDone {
		panic(runtimeError("range function continued iteration after whole loop exit"))
	}
	panic(runtimeError("range function continued iteration after function for loop body returned false"))
}

// badRange panics when an iterator returns although its body has panicked.
func badRange() {
	panic(runtimeError("range function recovered a loop body panic and did not resume panicking"))
}

const (
	yieldDone     = -3
	yieldPanicked = -4
)
