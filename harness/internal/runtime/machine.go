package runtime

import (
	"crypto/rand"
	"go/types"
	"io"
	"maps"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/harness/internal/native"
)

// Config is what a Machine needs to know of a lowered program.
type Config struct {
	// Types is the type table; a type's number is its index. Types[0] is nil.
	Types []types.Type
	// Source reports whether a package was lowered from source, so that its
	// types are erased. The others are library packages, whose types are real.
	Source func(*types.Package) bool
	// Library finds the reflect type of a library's named type; nil when the
	// symbol table lacks it.
	Library func(path, name string) reflect.Type
	// Refused reports whether a library's package has a name, such as File.Fd,
	// that scripts may not use; nil refuses nothing.
	Refused func(path, name string) bool
	// Stdout and Stderr are what the script knows as os.Stdout and os.Stderr.
	Stdout, Stderr *os.File
	// Mark, of MarkSize bytes, begins what is printed there, with its line; see
	// ReadHead. nil: nobody wants to know.
	Mark []byte
	// Line is where the line that runs is noted; nil: in the Machine alone.
	Line *int
	// Timers learns of the script's timers; nil: nobody asks for them.
	Timers *Timers
	// Reflects: the program imports reflect.
	Reflects bool
	// Uncounted: the program may have native code set its timers.
	Uncounted bool
	// Host is what the predeclared functions reach; nil means [NoHost].
	Host Host
	// Seed is what random functions draw from, and what ranges over maps are ordered
	// by, 32 bytes; nil: one that nobody knows.
	Seed []byte
	// Ordered: the program ranges over maps in the order that follows from the seed.
	Ordered bool
	// Natives are the comparisons of the program that only compute.
	Natives []*native.Func
	// Exit is called by os.Exit and log.Fatal, after which the calling
	// goroutine ends.
	Exit func(code int)
	// Fatal is called when a panic ends a goroutine other than main's.
	Fatal func(*Panic, []Step)
}

// A Machine runs one lowered program. Its methods are called by many goroutines.
type Machine struct {
	cfg        Config
	types      []*Type
	stdout     *os.File // the variable os.Stdout of the script
	stderr     *os.File
	reader     io.Reader // crypto/rand.Reader
	standIns   int       // how many recursive fields have been made, to tell them apart
	shortNames int       // how many struct types have got a short text
	order      order     // of its ranges over maps
	line       *int      // the script's line that runs now; a hint, see [Machine.Line]

	maker *gotype.Maker
	byGo  atomic.Pointer[map[unsafe.Pointer]*Type] // by the types that gotype made
	funcs sync.Map                                 // of what boxFunc made, to the function that it was
	impls sync.Map                                 // of implKey to bool: see implements

	mu         sync.RWMutex
	registered map[string][]*Type           // types with methods, by their names
	real       map[types.Type]reflect.Type  // memo of Reflect
	canon      map[string][]*types.Struct   // see canonical
	named      map[*types.Named]*fieldTable // memo of JSON fields

	warned map[string]bool // what [Machine.warnOnce] has said; guarded by mu
	hides  sync.Map        // of *Type to bool: see holdsParameters

	natives   sync.Map // of numbers of Config.Natives to *native.Code
	panicking panics
	strands   strands
	exited    atomic.Bool  // os.Exit was called
	procs     atomic.Int64 // what the script set GOMAXPROCS to, 0 for nothing
	logging   sync.Map     // of *log.Logger to the *sync.Mutex of calls with a place
}

// A Type is one entry of the type table.
type Type struct {
	number  int
	typ     types.Type
	methods map[string]reflect.Value // lowered methods, receiver first
	// form is the type of the erased form, goType the one that Go would have.
	form, goType func() reflect.Type
}

func (m *Machine) newType(number int, t types.Type) *Type {
	e := &Type{number: number, typ: t, methods: map[string]reflect.Value{}}
	e.form = sync.OnceValue(func() reflect.Type { return m.reflectOf(t) })
	e.goType = sync.OnceValue(func() reflect.Type {
		if !NeedsBox(t, m.cfg.Source) {
			return e.form()
		}
		r, err := m.maker.Type(t)
		if err != nil {
			panic(plainError(err.Error()))
		}
		m.knows(r, e)
		return r
	})
	return e
}

// knows notes the type that was made for t.
func (m *Machine) knows(r reflect.Type, t *Type) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(*m.byGo.Load())
	all[dataWord(r)] = t
	m.byGo.Store(&all)
}

// New makes the machine of a program.
func New(cfg Config) *Machine {
	m := &Machine{
		cfg: cfg, stdout: cfg.Stdout, stderr: cfg.Stderr,
		registered: map[string][]*Type{}, real: map[types.Type]reflect.Type{}, canon: map[string][]*types.Struct{}, named: map[*types.Named]*fieldTable{},
		warned: map[string]bool{},
	}
	if m.line = cfg.Line; m.line == nil {
		m.line = new(int)
	}
	if m.cfg.Timers == nil {
		m.cfg.Timers = NewTimers()
	}
	if m.cfg.Host == nil {
		m.cfg.Host = NoHost{}
	}
	if m.cfg.Seed == nil {
		m.cfg.Seed = make([]byte, 32)
		_, _ = rand.Read(m.cfg.Seed) // never fails
	}
	m.reader, m.order = reader{m}, newOrder(m.cfg.Seed)
	m.cfg.Timers.uncounted.Store(cfg.Uncounted)
	m.cfg.Timers.path = func() string { return m.strands.here().path() }
	m.byGo.Store(&map[unsafe.Pointer]*Type{})
	m.maker = gotype.New(&gotype.Options{
		Source: cfg.Source, Erased: m.reflectOf, Library: cfg.Library, Hidden: Invisible, ByValue: cfg.Reflects, Method: m.code,
	})
	m.types = make([]*Type, len(cfg.Types))
	for i, t := range cfg.Types {
		if t != nil {
			m.types[i] = m.newType(i, t)
		}
	}
	return m
}

// code is the lowered function of a method, receiver first.
func (m *Machine) code(recv types.Type, sel *types.Selection) reflect.Value {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, t := range m.registered[gotype.TypeName(recv)] {
		if types.Identical(t.typ, recv) {
			return t.methods[sel.Obj().Name()]
		}
	}
	return reflect.Value{}
}

// Line is the line of the script that ran last, as the program notes it before
// statements that can fail. With several goroutines it may be another's.
//
//go:norace
func (m *Machine) Line() int { return *m.line }

//go:norace
func (m *Machine) setLine(line int) { *m.line = line }

// takeLine is Line, and forgets it: where lines are not noted, the next one is
// not known.
//
//go:norace
func (m *Machine) takeLine() int {
	line := *m.line
	*m.line = 0
	return line
}

// register binds an exported method of type tid for calls by native code.
func (m *Machine) register(tid int, name string, fn any) {
	t := m.types[tid]
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(t.methods) == 0 {
		key := gotype.TypeName(t.typ)
		m.registered[key] = append(m.registered[key], t)
	}
	t.methods[name] = reflect.ValueOf(fn)
}

// registerGuarded is register for a method whose panics native code recovers.
func (m *Machine) registerGuarded(tid int, name string, fn any) {
	m.register(tid, name, m.outward(reflect.ValueOf(fn)).Interface())
}

// outward makes a function of the script fit for native code, which may recover
// its panics: those of the interpreter become Go's.
func (m *Machine) outward(f reflect.Value) reflect.Value {
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		done := false
		defer func() {
			if done {
				return
			}
			if r := recover(); r != nil {
				panic(m.goPanic(r))
			}
		}()
		out := f.Call(args)
		done = true
		return out
	})
}

// Types returns the symbols of package t, the types of the program by the names
// that it has for them, and the functions that convert to and from them.
func (m *Machine) Types(named, converters map[string]int) (map[string]reflect.Value, error) {
	out := make(map[string]reflect.Value, len(named)+len(converters))
	for name, id := range named {
		t := m.types[id]
		r, err := m.Reflect(t.typ)
		if err != nil {
			return nil, err
		}
		out[name] = reflect.Zero(reflect.PointerTo(r))
	}
	for name, id := range converters {
		prefix, rest, _ := strings.Cut(name, "_")
		if _, of, ok := strings.Cut(rest, "_"); ok {
			tid, err := strconv.Atoi(of)
			if err != nil {
				return nil, err
			}
			out[name] = m.maker.BoxInto(m.types[id].form(), func(v any) any { return m.box(tid, v) })
			continue
		}
		out[name] = m.converter(prefix, id)
	}
	return out, m.maker.CompleteForms()
}

// Variables returns those of the library that are the script's own, by package and
// name.
func (m *Machine) Variables() map[string]map[string]reflect.Value {
	return map[string]map[string]reflect.Value{
		"os/os":            {"Stdout": reflect.ValueOf(&m.stdout).Elem(), "Stderr": reflect.ValueOf(&m.stderr).Elem()},
		"crypto/rand/rand": {"Reader": reflect.ValueOf(&m.reader).Elem()},
	}
}
