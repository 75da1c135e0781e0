package rt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
)

// encoding/gob goes by names, fields and methods of the types that it meets, which
// those of a script have lost. So its streams are written and read here: byte for
// byte what encoding/gob writes, type numbers included, which begin anew with each
// Machine as they do with each process of Go. The names of errors are Go's too.
// What Go may do by its size, a script may not: values are nested at most
// maxGobDepth deep.
//
//	gob_types.go   what a stream says about a type
//	gob_encode.go  values to streams
//	gob_decode.go  streams to values

// maxGobDepth is how deep values may be nested, each struct, list, map and
// interface counted: the stack of a worker is not as large as that of a Go program.
const maxGobDepth = 50_000

// gobTooBig is the size that no message or slice may have, in bytes.
const gobTooBig = (1 << 30) << (^uint(0) >> 62)

var (
	errGobDeep     = fmt.Errorf("gob: values are nested more than %d deep", maxGobDepth)
	errGobUint     = errors.New("gob: encoded unsigned integer out of range")
	errGobType     = errors.New("gob: unknown type id or corrupted data")
	errGobRange    = errors.New("gob: bad data: field numbers out of bounds")
	errGobCount    = errors.New("invalid message length")
	errGobNesting  = errors.New("invalid nesting depth")
	errGobEmpty    = errors.New("gob: a map is longer than its message")
	errGobMessages = errors.New("gob: encoder: message too big")
)

// gobFailure is a panic that ends encoding or decoding with an error.
type gobFailure struct{ err error }

func gobFail(err error) { panic(gobFailure{err}) }

func gobFailf(format string, args ...any) { gobFail(fmt.Errorf("gob: "+format, args...)) }

// caughtGob is deferred where a gobFailure becomes an error.
func caughtGob(err *error) {
	switch r := recover().(type) {
	case nil:
	case gobFailure:
		*err = r.err
	default:
		panic(r)
	}
}

// GobEncoder is gob.Encoder for scripts.
type GobEncoder struct {
	m     *Machine
	mu    sync.Mutex // one value at a time
	w     []io.Writer
	sent  map[any]gobID // by gobKey
	buf   gobBuffer
	depth int
	err   error
}

// GobDecoder is gob.Decoder for scripts.
type GobDecoder struct {
	m        *Machine
	mu       sync.Mutex // one value at a time
	r        io.Reader
	buf      gobInput
	wires    map[gobID]*gobWire
	engines  map[any]map[gobID]**gobDecEngine // by gobKey
	ignorers map[gobID]**gobDecEngine
	ignoring int // how deep the types are nested that are skipped
	depth    int
	err      error
}

func (m *Machine) gobNewEncoder(w io.Writer) *GobEncoder {
	return &GobEncoder{m: m, w: []io.Writer{w}, sent: map[any]gobID{}}
}

func (m *Machine) gobNewDecoder(r io.Reader) *GobDecoder {
	if _, ok := r.(io.ByteReader); !ok {
		r = bufio.NewReader(r)
	}
	return &GobDecoder{m: m, r: r, wires: map[gobID]*gobWire{}, engines: map[any]map[gobID]**gobDecEngine{}, ignorers: map[gobID]**gobDecEngine{}}
}

// gobValueOf is what an interface value holds: its type, and the erased value.
func gobValueOf(x any) (reflect.Type, reflect.Value) {
	x = canonical(x)
	b, ok := unbox(x)
	if !ok {
		return reflect.TypeOf(x), reflect.ValueOf(x)
	}
	t := b.T.m.reflectTypeOf(b.T.typ)
	v := reflect.ValueOf(b.V)
	if !v.IsValid() { // a nil one that has no form of its own
		v = reflect.Zero(erasedType(t))
	}
	return t, v
}

// Encode is as in encoding/gob.
func (e *GobEncoder) Encode(x any) error {
	t, v := gobValueOf(x)
	if t == nil {
		return errors.New("gob: cannot encode nil value")
	}
	return e.encodeOne(t, v)
}

// EncodeValue is as in encoding/gob.
func (e *GobEncoder) EncodeValue(v ReflectValue) error {
	if !v.IsValid() {
		return errors.New("gob: cannot encode nil value")
	}
	return e.encodeOne(v.Type(), v.v)
}

func (e *GobEncoder) encodeOne(t reflect.Type, v reflect.Value) error {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		reflectPanic("gob: cannot encode nil pointer of type " + t.String())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.encode(t, v)
}

// Decode is as in encoding/gob.
func (d *GobDecoder) Decode(x any) error {
	t, v := gobValueOf(x)
	switch {
	case t == nil:
	case t.Kind() != reflect.Pointer:
		d.err = errors.New("gob: attempt to decode into a non-pointer")
		return d.err
	case v.Kind() != reflect.Pointer || v.IsNil():
		return errors.New("gob: DecodeValue of unassignable value")
	}
	return d.decodeOne(t, v)
}

// DecodeValue is as in encoding/gob.
func (d *GobDecoder) DecodeValue(v ReflectValue) error {
	switch {
	case !v.IsValid():
		return d.decodeOne(nil, reflect.Value{})
	case (v.Kind() != reflect.Pointer || v.IsNil()) && !v.CanSet():
		return errors.New("gob: DecodeValue of unassignable value")
	}
	return d.decodeOne(v.Type(), v.v)
}

func (d *GobDecoder) decodeOne(t reflect.Type, v reflect.Value) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.decode(t, v)
}

func (m *Machine) gobRegister(x any) {
	t, _ := gobValueOf(x)
	if t == nil {
		panic(nilDereference())
	}
	m.gobRegisterName(gobRegisteredName(t), x)
}

// gobRegisteredName is the name that Register gives: that of a named type with the
// path of its package, any other as it prints.
func gobRegisteredName(t reflect.Type) string {
	switch {
	case t.Name() == "":
		return t.String()
	case t.PkgPath() == "":
		return t.Name()
	}
	return t.PkgPath() + "." + t.Name()
}

func (m *Machine) gobRegisterName(name string, x any) {
	if name == "" {
		reflectPanic("attempt to register empty name")
	}
	t, _ := gobValueOf(x)
	if t == nil {
		panic(nilDereference())
	}
	g := m.gobState()
	u, err := g.user(t)
	if err != nil {
		panic(&Panic{Value: err})
	}
	g.namesMu.Lock()
	defer g.namesMu.Unlock()
	g.register(name, t, u)
}

func (g *gobState) register(name string, t reflect.Type, u *gobUser) {
	known, isKnown := g.byName[name]
	if isKnown && gobKey(known) != gobKey(t) {
		reflectPanic(fmt.Sprintf("gob: registering duplicate types for %q: %s != %s", name, known, t))
	}
	g.byName[name] = t
	if other, ok := g.nameOf[gobKey(u.base)]; ok && other != name {
		delete(g.byName, name)
		reflectPanic(fmt.Sprintf("gob: registering duplicate names for %s: %q != %q", t, other, name))
	}
	g.nameOf[gobKey(u.base)] = name
}

// gobSymbols are the names that lowered programs call.
func (m *Machine) gobSymbols(table map[string]any) {
	table["GobNewEncoder"], table["GobNewDecoder"] = m.gobNewEncoder, m.gobNewDecoder
	table["GobRegister"], table["GobRegisterName"] = m.gobRegister, m.gobRegisterName
}
