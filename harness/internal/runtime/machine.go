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

// Config describes a lowered program to a Machine.
type Config struct {
	// Types is the type table; a type's number is its index. Types[0] is nil.
	Types []types.Type
	// Source reports whether a package was lowered from source, so that its
	// types are erased. The others are library packages, whose types are real.
	Source func(*types.Package) bool
	// Library returns the reflect type of a library's named type, or nil if the symbol
	// table lacks it.
	Library func(path, name string) reflect.Type
	// Refused reports whether scripts may not use a name of a library package, such as
	// File.Fd. If nil, nothing is refused.
	Refused func(path, name string) bool
	// Stdout and Stderr are os.Stdout and os.Stderr of the script.
	Stdout, Stderr *os.File
	// Mark, of MarkSize bytes, begins the head of printed text, which has its line; see
	// ReadHead. If nil, text is not marked.
	Mark []byte
	// Line receives the running line. If nil, only the Machine has it.
	Line *int
	// Timers tracks the script's timers. If nil, the Machine makes its own.
	Timers *Timers
	// Reflects reports whether the program imports reflect.
	Reflects bool
	// Uncounted reports whether native code may set the program's timers.
	Uncounted bool
	// Host serves the predeclared functions. If nil, it is [NoHost].
	Host Host
	// Seed, 32 bytes, determines random numbers and the order of ranges over maps. If nil,
	// it is chosen at random.
	Seed []byte
	// Ordered reports whether the program ranges over maps in the order that follows from
	// the seed.
	Ordered bool
	// Natives are the pure comparisons of the program.
	Natives []*native.Func
	// Exit is called by os.Exit and log.Fatal. The calling goroutine ends after it.
	Exit func(code int)
	// Fatal is called when a panic ends a goroutine other than main's.
	Fatal func(*Panic, []Step)
}

// A Machine runs one lowered program. Its methods are safe for concurrent use.
type Machine struct {
	cfg        Config
	types      []*Type
	stdout     *os.File // the variable os.Stdout of the script
	stderr     *os.File
	reader     io.Reader // crypto/rand.Reader
	standIns   int       // number of recursive fields made, to distinguish them
	shortNames int       // number of struct types with a short text
	order      order     // of its ranges over maps
	line       *int      // the running line of the script; a hint, see [Machine.Line]

	maker *gotype.Maker
	byGo  atomic.Pointer[map[unsafe.Pointer]*Type] // by the types made by gotype
	funcs sync.Map                                 // from functions made by boxFunc to the originals
	impls sync.Map                                 // of implKey to bool: see implements

	mu         sync.RWMutex
	registered map[string][]*Type           // types with methods, by their names
	real       map[types.Type]reflect.Type  // cache of Reflect
	canon      map[string][]*types.Struct   // see canonical
	named      map[*types.Named]*fieldTable // cache of JSON fields

	warned     map[string]bool // first parts of the warnings of [Machine.warnOnce]; guarded by mu
	parameters sync.Map        // of *Type to bool: see hasParameters

	natives   sync.Map // of numbers of Config.Natives to *native.Code
	panicking panics
	strands   strands
	exited    atomic.Bool  // os.Exit was called
	procs     atomic.Int64 // the script's GOMAXPROCS setting, 0 if not set
	logging   sync.Map     // of *log.Logger to the *sync.Mutex of its calls with a place
}

// A Type is one entry of the type table.
type Type struct {
	number  int
	typ     types.Type
	methods map[string]reflect.Value // lowered methods, receiver first
	// form returns the type of the erased form, goType the type that Go would have.
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
		m.addMade(r, e)
		return r
	})
	return e
}

// addMade records r as the type made for t.
func (m *Machine) addMade(r reflect.Type, t *Type) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(*m.byGo.Load())
	all[dataWord(r)] = t
	m.byGo.Store(&all)
}

// New returns the Machine of a program.
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

// code returns the lowered function of a method, receiver first.
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

// Line returns the script's last recorded line. The program records it before statements
// that can fail. With several goroutines it may be another goroutine's.
//
//go:norace
func (m *Machine) Line() int { return *m.line }

//go:norace
func (m *Machine) setLine(line int) { *m.line = line }

// takeLine is Line, and resets it: where lines are not recorded, the next one is unknown.
//
//go:norace
func (m *Machine) takeLine() int {
	line := *m.line
	*m.line = 0
	return line
}

// register registers an exported method of type tid, so that native code can call it.
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

// outward wraps a function of the script for native code, which may recover its panics: the
// interpreter's panics become Go's.
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

// Types returns the symbols of package t: the types of the program by its names for them,
// and the functions that convert to and from them.
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

// Variables returns the library variables that each script has its own copy of, by package
// and name.
func (m *Machine) Variables() map[string]map[string]reflect.Value {
	return map[string]map[string]reflect.Value{
		"os/os":            {"Stdout": reflect.ValueOf(&m.stdout).Elem(), "Stderr": reflect.ValueOf(&m.stderr).Elem()},
		"crypto/rand/rand": {"Reader": reflect.ValueOf(&m.reader).Elem()},
	}
}
