package rt

import (
	"encoding"
	"encoding/gob"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A gobID is the number of a type in a stream. The first are known to all
// streams, the others are given in the order in which types are first met.
type gobID int32

const (
	gobBool gobID = 1 + iota
	gobInt
	gobUint
	gobFloat
	gobBytes
	gobString
	gobComplex
	gobInterface

	gobWireID    gobID = 16
	gobFirstUser gobID = 64
)

var gobBasics = []string{gobBool: "bool", gobInt: "int", gobUint: "uint", gobFloat: "float", gobBytes: "bytes", gobString: "string", gobComplex: "complex", gobInterface: "interface"}

// What a stream says about a type: one of the fields of a gobWire. The fields are
// sent in their order, as those of any struct.
type (
	gobWire struct {
		ArrayT           *gobArrayType
		SliceT           *gobSliceType
		StructT          *gobStructType
		MapT             *gobMapType
		GobEncoderT      *gobOwnType
		BinaryMarshalerT *gobOwnType
		TextMarshalerT   *gobOwnType
	}
	gobCommon struct {
		Name string
		Id   gobID
	}
	gobArrayType struct {
		Common gobCommon
		Elem   gobID
		Len    int
	}
	gobSliceType struct {
		Common gobCommon
		Elem   gobID
	}
	gobStructType struct {
		Common gobCommon
		Field  []gobFieldType
	}
	gobFieldType struct {
		Name string
		Id   gobID
	}
	gobMapType struct {
		Common    gobCommon
		Key, Elem gobID
	}
	gobOwnType struct{ Common gobCommon }
)

// text names a type that came with a stream.
func (w *gobWire) text() string {
	switch {
	case w == nil:
	case w.ArrayT != nil:
		return w.ArrayT.Common.Name
	case w.SliceT != nil:
		return w.SliceT.Common.Name
	case w.StructT != nil:
		return w.StructT.Common.Name
	case w.MapT != nil:
		return w.MapT.Common.Name
	case w.GobEncoderT != nil:
		return w.GobEncoderT.Common.Name
	case w.BinaryMarshalerT != nil:
		return w.BinaryMarshalerT.Common.Name
	case w.TextMarshalerT != nil:
		return w.TextMarshalerT.Common.Name
	}
	return "unknown type"
}

// A gobType is a type of this program with its number.
type gobType struct {
	*gobCommon // of what wire has, or of own
	wire       gobWire
	own        *gobOwnType // encodes itself
}

// gobState is what a program's streams share.
type gobState struct {
	m       *Machine
	users   sync.Map   // gobKey to *gobUser
	common  []*gobType // those that all streams know, by number
	mu      sync.Mutex // for what follows
	types   map[any]*gobType
	byID    []*gobType
	infos   map[any]*gobInfo
	wire    *gobUser
	namesMu sync.RWMutex // for what follows
	byName  map[string]reflect.Type
	nameOf  map[any]string
}

// A gobInfo is what the encoders know about a type.
type gobInfo struct {
	id     gobID
	wire   gobWire
	engine *gobEncEngine
}

// A gobUser is a type as a program hands it over.
type gobUser struct {
	user, base         reflect.Type // base is what user, a pointer, leads to in the end
	indir              int          // how many pointers are between them
	enc, dec           gobOwn
	encIndir, decIndir int // how many pointers to the receiver, -1 for its address
}

// receiver is the type of the receiver behind indir pointers.
func (u *gobUser) receiver(indir int) reflect.Type {
	if indir < 0 {
		return pointerTo(u.user)
	}
	t := u.user
	for range indir {
		t = t.Elem()
	}
	return t
}

// gobOwn says whether a type encodes or decodes itself.
type gobOwn int

const (
	gobNotOwn gobOwn = iota
	gobOwnGob
	gobOwnBinary
)

var (
	gobEncodes     = reflect.TypeFor[gob.GobEncoder]()
	gobDecodes     = reflect.TypeFor[gob.GobDecoder]()
	binaryEncodes  = reflect.TypeFor[encoding.BinaryMarshaler]()
	binaryDecodes  = reflect.TypeFor[encoding.BinaryUnmarshaler]()
	gobWireType    = reflect.TypeFor[gobWire]()
	gobEmptyStruct = reflect.TypeFor[struct{}]()
)

// gobKey is what tells types apart.
func gobKey(t reflect.Type) any {
	if s, ok := t.(reflectType); ok {
		return s.t
	}
	return t
}

func (m *Machine) gobState() *gobState {
	m.gobOnce.Do(func() {
		g := &gobState{
			m: m, types: map[any]*gobType{}, byID: make([]*gobType, 1, gobFirstUser),
			infos: map[any]*gobInfo{}, byName: map[string]reflect.Type{}, nameOf: map[any]string{},
		}
		for _, name := range gobBasics[1:] {
			g.number(&gobType{gobCommon: &gobCommon{Name: name}})
		}
		for len(g.byID) < int(gobWireID) {
			g.number(&gobType{gobCommon: &gobCommon{Name: "_reserved1"}})
		}
		g.wire, _ = g.user(gobWireType)
		if _, err := g.infoOf(g.wire); err != nil {
			panic(err)
		}
		g.byID = g.byID[:gobFirstUser]
		g.common = slices.Clone(g.byID)
		for _, x := range []any{
			int(0), int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0), float32(0), float64(0), complex64(0), complex128(0), uintptr(0), false, "",
			[]byte(nil), []int(nil), []int8(nil), []int16(nil), []int32(nil), []int64(nil), []uint(nil), []uint16(nil), []uint32(nil), []uint64(nil),
			[]float32(nil), []float64(nil), []complex64(nil), []complex128(nil), []uintptr(nil), []bool(nil), []string(nil),
		} {
			t := reflect.TypeOf(x)
			u, _ := g.user(t)
			g.register(gobRegisteredName(t), t, u)
		}
		m.gob = g
	})
	return m.gob
}

// user looks at a type.
func (g *gobState) user(t reflect.Type) (*gobUser, error) {
	key := gobKey(t)
	if u, ok := g.users.Load(key); ok {
		return u.(*gobUser), nil
	}
	u := &gobUser{user: t, base: t}
	slow := t // follows at half the speed
	for u.base.Kind() == reflect.Pointer {
		if s, ok := u.base.(reflectType); ok {
			if n, ok := s.t.typ.(*types.Named); ok && Folded(n) {
				return nil, errors.New("can't represent recursive pointer type " + t.String())
			}
		}
		u.base = u.base.Elem()
		if gobKey(u.base) == gobKey(slow) {
			return nil, errors.New("can't represent recursive pointer type " + u.base.String())
		}
		if u.indir%2 == 0 {
			slow = slow.Elem()
		}
		u.indir++
	}
	if ok, indir := gobImplements(t, gobEncodes); ok {
		u.enc, u.encIndir = gobOwnGob, indir
	} else if ok, indir := gobImplements(t, binaryEncodes); ok {
		u.enc, u.encIndir = gobOwnBinary, indir
	}
	if ok, indir := gobImplements(t, gobDecodes); ok {
		u.dec, u.decIndir = gobOwnGob, indir
	} else if ok, indir := gobImplements(t, binaryDecodes); ok {
		u.dec, u.decIndir = gobOwnBinary, indir
	}
	known, _ := g.users.LoadOrStore(key, u)
	return known.(*gobUser), nil
}

// mustUser is user inside of encoding and decoding.
func (g *gobState) mustUser(t reflect.Type) *gobUser {
	u, err := g.user(t)
	if err != nil {
		gobFail(err)
	}
	return u
}

// gobImplements reports whether t has the methods of an interface, and how many
// pointers away; -1 means that its address has them.
func gobImplements(t, iface reflect.Type) (ok bool, indir int) {
	at := t
	for {
		if at.Implements(iface) {
			return true, indir
		}
		if at.Kind() != reflect.Pointer {
			break
		}
		if indir++; indir > 100 {
			return false, 0
		}
		at = at.Elem()
	}
	if t.Kind() != reflect.Pointer && pointerTo(t).Implements(iface) {
		return true, -1
	}
	return false, 0
}

// number gives t the next number, if it has none.
func (g *gobState) number(t *gobType) {
	if t.Id == 0 {
		t.Id = gobID(len(g.byID))
		g.byID = append(g.byID, t)
	}
}

// known is the type of this program with that number, nil for none.
func (g *gobState) known(id gobID) *gobType {
	if id < 0 || int(id) >= len(g.byID) {
		return nil
	}
	return g.byID[id]
}

// builtin is the type that all streams know by that number, nil for none.
func (g *gobState) builtin(id gobID) *gobType {
	if id < 0 || id >= gobFirstUser {
		return nil
	}
	return g.common[id]
}

// text describes a type of this program.
func (g *gobState) text(id gobID, seen map[gobID]bool) string {
	t := g.known(id)
	switch {
	case t == nil:
		return "<nil>"
	case t.own != nil || t.wire == (gobWire{}) || seen[id]:
		return t.Name
	}
	seen[id] = true
	switch w := t.wire; {
	case w.ArrayT != nil:
		return fmt.Sprintf("[%d]%s", w.ArrayT.Len, g.text(w.ArrayT.Elem, seen))
	case w.SliceT != nil:
		return "[]" + g.text(w.SliceT.Elem, seen)
	case w.MapT != nil:
		key := g.text(w.MapT.Key, seen)
		return "map[" + key + "]" + g.text(w.MapT.Elem, seen)
	}
	s := t.Name + " = struct { "
	for _, f := range t.wire.StructT.Field {
		s += f.Name + " " + g.text(f.Id, seen) + "; "
	}
	return s + "}"
}

// define numbers what t, which may be a pointer, leads to.
func (g *gobState) define(name string, t reflect.Type) (*gobType, error) {
	u := g.mustUser(t)
	return g.defineAs(name, u, u.base)
}

// defineAs numbers t, which is the base of u or, where that encodes itself, the
// type of the program.
func (g *gobState) defineAs(name string, u *gobUser, t reflect.Type) (*gobType, error) {
	if known := g.types[gobKey(t)]; known != nil {
		return known, nil
	}
	made, err := g.make(name, u, t)
	if err == nil {
		g.types[gobKey(t)] = made
	}
	return made, err
}

// make makes what defineAs returns. Structs get their number before their fields,
// the others after their parts, or when a part needs it.
func (g *gobState) make(name string, u *gobUser, t reflect.Type) (*gobType, error) {
	if u.enc != gobNotOwn {
		own := &gobOwnType{gobCommon{Name: name}}
		made := &gobType{gobCommon: &own.Common, own: own}
		g.number(made)
		return made, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return g.byID[gobBool], nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return g.byID[gobInt], nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return g.byID[gobUint], nil
	case reflect.Float32, reflect.Float64:
		return g.byID[gobFloat], nil
	case reflect.Complex64, reflect.Complex128:
		return g.byID[gobComplex], nil
	case reflect.String:
		return g.byID[gobString], nil
	case reflect.Interface:
		return g.byID[gobInterface], nil
	case reflect.Array:
		w := &gobArrayType{Common: gobCommon{Name: name}}
		made := &gobType{gobCommon: &w.Common, wire: gobWire{ArrayT: w}}
		elem, err := g.part(made, t, "", t.Elem())
		if err != nil {
			return nil, err
		}
		g.number(made)
		w.Elem, w.Len = elem.Id, t.Len()
		return made, nil
	case reflect.Map:
		w := &gobMapType{Common: gobCommon{Name: name}}
		made := &gobType{gobCommon: &w.Common, wire: gobWire{MapT: w}}
		key, err := g.part(made, t, "", t.Key())
		if err != nil {
			return nil, err
		}
		elem, err := g.part(made, t, "", t.Elem())
		if err != nil {
			return nil, err
		}
		g.number(made)
		w.Key, w.Elem = key.Id, elem.Id
		return made, nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return g.byID[gobBytes], nil
		}
		w := &gobSliceType{Common: gobCommon{Name: name}}
		made := &gobType{gobCommon: &w.Common, wire: gobWire{SliceT: w}}
		elem, err := g.part(made, t, t.Elem().Name(), t.Elem())
		if err != nil {
			return nil, err
		}
		g.number(made)
		g.number(elem)
		w.Elem = elem.Id
		return made, nil
	case reflect.Struct:
		return g.makeStruct(name, t)
	}
	return nil, errors.New("gob NewTypeObject can't handle type: " + t.String())
}

// part numbers a part of t while t, not yet numbered, is known as made.
func (g *gobState) part(made *gobType, t reflect.Type, name string, part reflect.Type) (*gobType, error) {
	g.types[gobKey(t)] = made
	p, err := g.define(name, part)
	if err != nil {
		delete(g.types, gobKey(t))
	}
	return p, err
}

func (g *gobState) makeStruct(name string, t reflect.Type) (*gobType, error) {
	w := &gobStructType{Common: gobCommon{Name: name}}
	made := &gobType{gobCommon: &w.Common, wire: gobWire{StructT: w}}
	g.number(made)
	g.types[gobKey(t)] = made // and stays, also when a field has no number
	for i := range t.NumField() {
		f := t.Field(i)
		if !gobSends(f) {
			continue
		}
		base := g.mustUser(f.Type).base
		fieldName := base.Name()
		if fieldName == "" {
			fieldName = base.String()
		}
		part, err := g.define(fieldName, f.Type)
		if err != nil {
			return nil, err
		}
		g.number(part)
		w.Field = append(w.Field, gobFieldType{f.Name, part.Id})
	}
	return made, nil
}

func gobExported(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// gobSends: streams have the field.
func gobSends(f reflect.StructField) bool {
	t := f.Type
	for t.Kind() == reflect.Pointer {
		if s, ok := t.(reflectType); ok {
			if n, ok := s.t.typ.(*types.Named); ok && Folded(n) {
				break
			}
		}
		t = t.Elem()
	}
	return gobExported(f.Name) && t.Kind() != reflect.Chan && t.Kind() != reflect.Func
}

// info is infoOf for whoever does not hold the lock.
func (g *gobState) info(u *gobUser) (*gobInfo, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.infoOf(u)
}

// infoOf is what the encoders know about u; the caller holds the lock.
func (g *gobState) infoOf(u *gobUser) (*gobInfo, error) {
	t := u.base
	if u.enc != gobNotOwn {
		t = u.user
	}
	if info := g.infos[gobKey(t)]; info != nil {
		return info, nil
	}
	made, err := g.define(t.Name(), t)
	if err != nil {
		return nil, err
	}
	info := &gobInfo{id: made.Id}
	switch k := t.Kind(); {
	case u.enc != gobNotOwn:
		own, err := g.defineAs(t.Name(), u, t)
		if err != nil {
			return nil, err
		}
		if u.enc == gobOwnGob {
			info.wire.GobEncoderT = own.own
		} else {
			info.wire.BinaryMarshalerT = own.own
		}
	case k == reflect.Array, k == reflect.Map, k == reflect.Slice, k == reflect.Struct:
		info.wire = made.wire
	}
	g.infos[gobKey(t)] = info
	return info, nil
}
