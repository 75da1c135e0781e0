package rt

import (
	"encoding"
	"flag"
	"go/types"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A flag.Value of the script. Package flag asks it whether it is a flag without
// a value; and, to leave out defaults that say nothing, it makes another value
// of the adapter's type and asks that for its text. So each type of the script
// has an adapter type of its own, told apart by the length of the array S.

type (
	flagValue[S any]      struct{ adapter }
	boolFlag[S any]       struct{ flagValue[S] }
	flagGetter[S any]     struct{ flagValue[S] }
	boolFlagGetter[S any] struct{ flagGetter[S] }
)

func (a flagValue[S]) Set(s string) error    { return asError(a.must("Set", s)[0]) }
func (a boolFlag[S]) IsBoolFlag() bool       { return a.must("IsBoolFlag")[0].Bool() }
func (a flagGetter[S]) Get() any             { return a.must("Get")[0].Interface() }
func (a boolFlagGetter[S]) IsBoolFlag() bool { return a.must("IsBoolFlag")[0].Bool() }

func (a flagValue[S]) String() string {
	if a.T == nil {
		a.Box = emptyFlag(reflect.TypeFor[S]().Len())
	}
	return a.must("String")[0].String()
}

var flagAdapters = [...]func(adapter) flag.Value{
	flagAdapter[[0]bool], flagAdapter[[1]bool], flagAdapter[[2]bool], flagAdapter[[3]bool], flagAdapter[[4]bool],
	flagAdapter[[5]bool], flagAdapter[[6]bool], flagAdapter[[7]bool], flagAdapter[[8]bool], flagAdapter[[9]bool],
	flagAdapter[[10]bool], flagAdapter[[11]bool], flagAdapter[[12]bool], flagAdapter[[13]bool], flagAdapter[[14]bool],
	flagAdapter[[15]bool], flagAdapter[[16]bool], flagAdapter[[17]bool], flagAdapter[[18]bool], flagAdapter[[19]bool],
}

func flagAdapter[S any](a adapter) flag.Value {
	v := flagValue[S]{a}
	get, boolean := a.can("Get", "() interface {}"), a.can("IsBoolFlag", "() bool")
	switch {
	case get && boolean:
		return boolFlagGetter[S]{flagGetter[S]{v}}
	case get:
		return flagGetter[S]{v}
	case boolean:
		return boolFlag[S]{v}
	}
	return v
}

// flagTypes are the types that were made a flag.Value since the last call of
// [New], in the order of their adapters.
var flagTypes struct {
	mu   sync.Mutex
	list []*Type
}

func forgetFlags() {
	flagTypes.mu.Lock()
	defer flagTypes.mu.Unlock()
	flagTypes.list = nil
}

func flagValueOf(a adapter) flag.Value {
	flagTypes.mu.Lock()
	defer flagTypes.mu.Unlock()
	i := slices.Index(flagTypes.list, a.T)
	if i < 0 {
		i = len(flagTypes.list)
		flagTypes.list = append(flagTypes.list, a.T)
	}
	if i >= len(flagAdapters) {
		panic(goPlainError("flags of more than twenty types of a script are not supported; use flag.Func"))
	}
	return flagAdapters[i](a)
}

func flagGetterOf(a adapter) flag.Getter { return flagValueOf(a).(flag.Getter) }

// emptyFlag is a flag's value that nobody has set, of the type with number i.
func emptyFlag(i int) Box {
	flagTypes.mu.Lock()
	defer flagTypes.mu.Unlock()
	t := flagTypes.list[i]
	if elem, ok := pointee(t.typ); ok {
		return Box{t, reflect.New(t.m.reflectOf(elem)).Interface()}
	}
	return Box{t, reflect.Zero(t.m.reflectOf(t.typ)).Interface()}
}

// textFlag is a flag that a pointer of the script reads and writes as text. It is
// not the pointer itself, which scripts do not meet as a flag.Value.
type textFlag struct{ to adapter }

func (f textFlag) Set(s string) error { return asError(f.to.must("UnmarshalText", []byte(s))[0]) }
func (f textFlag) Get() any           { return f.to.T.boxed(f.to.V) }

func (f textFlag) String() string {
	a := f.to
	if a.T == nil || !a.can("MarshalText", "() ([]uint8, error)") {
		return ""
	}
	r := a.must("MarshalText")
	if asError(r[1]) != nil {
		return ""
	}
	return string(r[0].Bytes())
}

func (m *Machine) flagTextVar(p encoding.TextUnmarshaler, name string, value encoding.TextMarshaler, usage string) {
	m.flagSetTextVar(flag.CommandLine, p, name, value, usage)
}

func (m *Machine) flagSetTextVar(fs *flag.FlagSet, p encoding.TextUnmarshaler, name string, value encoding.TextMarshaler, usage string) {
	b, ok := unbox(canonical(p))
	if !ok {
		fs.TextVar(p, name, value, usage)
		return
	}
	elem, isPtr := pointee(b.T.typ)
	if !isPtr {
		panic(&Panic{Value: "variable value type must be a pointer"})
	}
	have, v := strings.TrimPrefix(dynamicName(canonical(value)), "*"), reflect.Value{}
	if d, ok := unbox(canonical(value)); ok {
		t := d.T.typ
		v = reflect.ValueOf(d.V)
		if to, ok := pointee(t); ok {
			t, v, have = to, v.Elem(), TypeName(to)
		}
		if !types.Identical(t, elem) {
			v = reflect.Value{}
		}
	}
	if !v.IsValid() {
		panic(&Panic{Value: "default type does not match variable type: " + have + " != " + TypeName(elem)})
	}
	reflect.ValueOf(b.V).Elem().Set(v)
	fs.Var(textFlag{adapter{b}}, name, usage)
}

// newFlagSet is flag.NewFlagSet: by itself a set writes to the process's stderr.
func (m *Machine) newFlagSet(name string, h flag.ErrorHandling) *flag.FlagSet {
	fs := flag.NewFlagSet(name, h)
	fs.SetOutput(m.stderr)
	return fs
}

// flagParse is flag.Parse, and flagSetParse (*flag.FlagSet).Parse: where the set
// is to end the program, it is the script that ends.
func (m *Machine) flagParse() { _ = m.flagSetParse(flag.CommandLine, os.Args[1:]) }

func (m *Machine) flagSetParse(fs *flag.FlagSet, args []string) error {
	if fs.ErrorHandling() != flag.ExitOnError {
		return fs.Parse(args)
	}
	fs.Init(fs.Name(), flag.ContinueOnError)
	defer func() { fs.Init(fs.Name(), flag.ExitOnError) }()
	switch err := fs.Parse(args); err {
	case nil:
	case flag.ErrHelp:
		m.exit(0)
	default:
		m.exit(2)
	}
	return nil
}
