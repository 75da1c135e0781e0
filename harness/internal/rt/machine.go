package rt

import (
	"go/types"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
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
	// Replaced names the function, among [Machine.Symbols], that stands for a
	// library's method, which is written as (*text/template.Template).Execute;
	// "" for none, and nil replaces nothing.
	Replaced func(method string) string
	// Stdout and Stderr are what the script knows as os.Stdout and os.Stderr.
	Stdout, Stderr *os.File
	// Line is where the line that runs is noted; nil: in the Machine alone.
	Line *int
	// Timers learns of the script's timers; nil: nobody asks for them.
	Timers *Timers
	// Host is what the predeclared functions reach; nil means [NoHost].
	Host Host
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
	standIns   int  // how many recursive fields have been made, to tell them apart
	shortNames int  // how many struct types have got a short text
	line       *int // the script's line that runs now; a hint, see [Machine.Line]

	mu    sync.RWMutex
	byKey map[string][]*Type           // interning of types met at run time
	of    map[types.Type]*Type         // memo of typeOf
	impls map[implKey]bool             // memo of implements
	real  map[types.Type]reflect.Type  // memo of Reflect
	canon map[string][]*types.Struct   // see canonical
	named map[*types.Named]*fieldTable // memo of JSON fields

	warned map[string]bool // what [Machine.warnOnce] has said; guarded by mu

	panicking    panics
	exited       atomic.Bool  // os.Exit was called
	started      atomic.Int64 // goroutines of the script that run, but for main's
	procs        atomic.Int64 // what the script set GOMAXPROCS to, 0 for nothing
	json         jsonOptions
	htmlMu       sync.Mutex // held while a set of html/template becomes an executed one
	standInFuncs sync.Map   // of standInKey to reflect.Value
	logging      sync.Map   // of *log.Logger to the *sync.Mutex of calls with a place
	xmlViews     sync.Map   // of xmlViewKey to *xmlView
	xmlSeq       atomic.Int64
	gobOnce      sync.Once
	gob          *gobState // see [Machine.gobState]
}

// A Type is one entry of the type table.
type Type struct {
	m       *Machine
	number  int // its number in the program, 0 for a type met at run time
	typ     types.Type
	methods map[string]reflect.Value // lowered methods, receiver first
	// inTemplates are those with types of the script in their signatures, which
	// no other native code could call.
	inTemplates map[string]reflect.Value
	kind        boxKind
	plain       bool // no box: the reflect type says it all
	// hashable: map keys of the type need no look at what they hold.
	hashable bool
	pointer  *Type   // see pointerTo
	mirror   *mirror // see mirrorOf
}

// New makes the machine of a program.
func New(cfg Config) *Machine {
	forgetFlags()
	m := &Machine{
		cfg: cfg, stdout: cfg.Stdout, stderr: cfg.Stderr,
		byKey: map[string][]*Type{}, of: map[types.Type]*Type{}, impls: map[implKey]bool{},
		real: map[types.Type]reflect.Type{}, canon: map[string][]*types.Struct{}, named: map[*types.Named]*fieldTable{},
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
	m.types = make([]*Type, len(cfg.Types))
	for i, t := range cfg.Types {
		if t == nil {
			continue
		}
		m.types[i] = m.newType(t)
		m.types[i].number = i
		key := TypeName(t)
		m.byKey[key] = append(m.byKey[key], m.types[i])
	}
	return m
}

// typeOf returns the entry of t, making one for a type that the program does
// not name, such as the element of a boxed slice.
func (m *Machine) typeOf(t types.Type) *Type {
	t = types.Unalias(t)
	m.mu.RLock()
	e := m.of[t]
	m.mu.RUnlock()
	if e != nil {
		return e
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := TypeName(t)
	for _, e := range m.byKey[key] {
		if types.Identical(e.typ, t) {
			m.of[t] = e
			return e
		}
	}
	e = m.newType(t)
	m.byKey[key] = append(m.byKey[key], e)
	m.of[t] = e
	return e
}

// pointerTo returns the entry of *t.
func (m *Machine) pointerTo(t types.Type) *Type {
	e := m.typeOf(t)
	m.mu.RLock()
	ptr := e.pointer
	m.mu.RUnlock()
	if ptr == nil {
		ptr = m.typeOf(types.NewPointer(t))
		m.mu.Lock()
		e.pointer = ptr
		m.mu.Unlock()
	}
	return ptr
}

func (m *Machine) newType(t types.Type) *Type {
	e := &Type{m: m, typ: t, methods: map[string]reflect.Value{}, plain: !NeedsBox(t, m.cfg.Source), hashable: alwaysHashable(t)}
	e.kind = kindOf(t)
	return e
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

// Register binds a method of type tid for calls by native code.
func (m *Machine) Register(tid int, name string, fn any) {
	m.types[tid].methods[name] = reflect.ValueOf(fn)
}

// registerInTemplates is Register for what only templates may call.
func (m *Machine) registerInTemplates(tid int, name string, fn any) {
	t := m.types[tid]
	if t.inTemplates == nil {
		t.inTemplates = map[string]reflect.Value{}
	}
	t.inTemplates[name] = reflect.ValueOf(fn)
}

// Structs returns the symbols of the erased structs, by the names that the
// program has for them.
func (m *Machine) Structs(numbers map[string]int) (map[string]reflect.Value, error) {
	out := make(map[string]reflect.Value, len(numbers))
	for name, id := range numbers {
		r, err := m.Reflect(m.cfg.Types[id])
		if err != nil {
			return nil, err
		}
		out[name] = reflect.Zero(reflect.PointerTo(r))
	}
	return out, nil
}

// OS returns the names of package os that are the script's own.
func (m *Machine) OS() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Stdout": reflect.ValueOf(&m.stdout).Elem(),
		"Stderr": reflect.ValueOf(&m.stderr).Elem(),
	}
}
