package rt

import (
	"encoding"
	"encoding/gob"
	"errors"
	"io"
	"math"
	"math/bits"
	"reflect"
	"slices"
)

// A gobInput is what is left of a message.
type gobInput struct{ data []byte }

func (b *gobInput) Read(p []byte) (int, error) {
	if len(b.data) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

// uint reads a number of a value.
func (b *gobInput) uint() uint64 {
	if len(b.data) == 0 {
		gobFail(io.EOF)
	}
	first := b.data[0]
	b.data = b.data[1:]
	if first < 0x80 {
		return uint64(first)
	}
	n := -int(int8(first))
	switch {
	case n > 8:
		gobFail(errGobUint)
	case len(b.data) < n:
		gobFailf("invalid uint data length %d: exceeds input size %d", n, len(b.data))
	}
	var x uint64
	for _, c := range b.take(n) {
		x = x<<8 | uint64(c)
	}
	return x
}

func gobSigned(x uint64) int64 {
	if x&1 != 0 {
		return ^int64(x >> 1)
	}
	return int64(x >> 1)
}

func (b *gobInput) int() int64 { return gobSigned(b.uint()) }

func (b *gobInput) take(n int) []byte {
	p := b.data[:n]
	b.data = b.data[n:]
	return p
}

// length reads the length of what follows in the message; false when that is
// shorter.
func (b *gobInput) length() (int, bool) {
	n := int(b.uint())
	if n < 0 || len(b.data) < n || gobTooBig <= n {
		return 0, false
	}
	return n, true
}

// readGobUint reads a number between messages.
func readGobUint(r io.Reader) (uint64, error) {
	var buf [8]byte
	if n, err := io.ReadFull(r, buf[:1]); n == 0 {
		return 0, err
	}
	if buf[0] < 0x80 {
		return uint64(buf[0]), nil
	}
	n := -int(int8(buf[0]))
	if n > 8 {
		return 0, errGobUint
	}
	if _, err := io.ReadFull(r, buf[:n]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	var x uint64
	for _, c := range buf[:n] {
		x = x<<8 | uint64(c)
	}
	return x, nil
}

// A gobDecOp decodes a value of one type into v; v is invalid where it is skipped.
type gobDecOp func(f *gobDecField, d *GobDecoder, v reflect.Value)

// A gobDecField is what to do for a field of a stream's struct, or for a value that
// is none.
type gobDecField struct {
	op    *gobDecOp
	index []int // in the struct of the program; nil: it has none
	ovfl  error
}

type gobDecEngine struct {
	fields []gobDecField
	wanted int // those that are not skipped
}

func gobOverflow(name string) error { return errors.New(`value for "` + name + `" out of range`) }

// decode reads the next value into v, a pointer of type t; a nil t skips it.
func (d *GobDecoder) decode(t reflect.Type, v reflect.Value) error {
	d.buf.data, d.err, d.depth, d.ignoring = nil, nil, 0, 0
	id := d.definitions(false)
	if d.err == nil {
		d.value(id, t, v)
	}
	return d.err
}

// definitions reads definitions of types up to a value, and returns the number of
// its type.
func (d *GobDecoder) definitions(inInterface bool) gobID {
	for first := true; d.err == nil; first = false {
		if len(d.buf.data) == 0 {
			if d.receive(); d.err != nil {
				if !first && d.err == io.EOF {
					d.err = io.ErrUnexpectedEOF
				}
				break
			}
		}
		id := gobID(gobSigned(d.nextUint()))
		if id >= 0 {
			return id
		}
		if d.define(-id); d.err != nil {
			break
		}
		if len(d.buf.data) > 0 {
			if !inInterface {
				d.err = errors.New("extra data in buffer")
				break
			}
			d.nextUint() // the length of the value
		}
	}
	return -1
}

func (d *GobDecoder) nextUint() uint64 {
	x, err := readGobUint(&d.buf)
	if err != nil {
		d.err = err
	}
	return x
}

// maxGobChunk is how many bytes are made room for before they are there.
const maxGobChunk = 10 << 20

// receive reads a message.
func (d *GobDecoder) receive() {
	n, err := readGobUint(d.r)
	switch {
	case err != nil:
		d.err = err
		return
	case n >= gobTooBig:
		d.err = errGobCount
		return
	}
	var data []byte
	for uint64(len(data)) < n && err == nil {
		from := len(data)
		more := int(min(n-uint64(from), maxGobChunk))
		data = slices.Grow(data, more)[:from+more]
		_, err = io.ReadFull(d.r, data[from:])
	}
	switch {
	case err == io.EOF:
		d.err = io.ErrUnexpectedEOF
	case err != nil:
		d.err = err
	default:
		d.buf.data = data
	}
}

// define reads the definition of a type.
func (d *GobDecoder) define(id gobID) {
	if id < gobFirstUser || d.wires[id] != nil {
		d.err = errors.New("gob: duplicate type received")
		return
	}
	wire := new(gobWire)
	d.value(gobWireID, gobWireType, reflect.ValueOf(wire).Elem())
	if d.err == nil {
		d.wires[id] = wire
	}
}

// gobAlloc follows pointers, and makes what nil ones should point to.
func gobAlloc(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// value reads a value of type id into v, of type t; a nil t skips it.
func (d *GobDecoder) value(id gobID, t reflect.Type, v reflect.Value) {
	defer caughtGob(&d.err)
	if t == nil {
		d.ignore(id)
		return
	}
	g := d.m.gobState()
	u := g.mustUser(t)
	var engine **gobDecEngine
	if engine, d.err = d.engine(id, u); d.err != nil {
		return
	}
	v = gobAlloc(v)
	if u.base.Kind() != reflect.Struct || u.dec != gobNotOwn {
		d.single(*engine, v)
		return
	}
	if wire := d.wires[id]; (*engine).wanted == 0 && u.base.NumField() > 0 && wire != nil && len(wire.StructT.Field) > 0 {
		gobFailf("type mismatch: no fields matched compiling decoder for %s", u.base.Name())
	}
	d.structure(*engine, v)
}

func (d *GobDecoder) ignore(id gobID) {
	var engine **gobDecEngine
	if engine, d.err = d.ignorer(id); d.err != nil {
		return
	}
	if wire := d.wires[id]; wire != nil && wire.StructT != nil {
		d.structure(*engine, reflect.Value{})
		return
	}
	d.single(*engine, reflect.Value{})
}

// single reads a value that is no struct.
func (d *GobDecoder) single(engine *gobDecEngine, v reflect.Value) {
	if d.buf.uint() != 0 {
		gobFailf("decode: corrupted data: non-zero delta for singleton")
	}
	f := &engine.fields[0]
	(*f.op)(f, d, v)
}

func (d *GobDecoder) enter() {
	if d.depth++; d.depth > maxGobDepth {
		gobFail(errGobDeep)
	}
}

// structure reads a struct into v; an invalid v skips it.
func (d *GobDecoder) structure(engine *gobDecEngine, v reflect.Value) {
	d.enter()
	for at := -1; len(d.buf.data) > 0; {
		delta := int(d.buf.uint())
		if delta < 0 {
			skipped := ""
			if !v.IsValid() {
				skipped = "ignore "
			}
			gobFailf("%sdecode: corrupted data: negative delta", skipped)
		}
		if delta == 0 {
			break
		}
		if at >= len(engine.fields)-delta {
			gobFail(errGobRange)
		}
		at += delta
		f := &engine.fields[at]
		var x reflect.Value
		if v.IsValid() && f.index != nil {
			if x = gobFieldOf(v, f.index); x.Kind() == reflect.Pointer {
				x = gobAlloc(x)
			}
		}
		(*f.op)(f, d, x)
	}
	d.depth--
}

// gobFieldOf is FieldByIndex with its panic as one of the script.
func gobFieldOf(v reflect.Value, index []int) reflect.Value {
	for i, k := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				reflectPanic("reflect: indirection through nil pointer to embedded struct")
			}
			v = v.Elem()
		}
		v = v.Field(k)
	}
	return v
}

// list reads n elements into v, a slice or array, which grows as they come. what
// names its type in an error.
func (d *GobDecoder) list(v reflect.Value, op *gobDecOp, n int, ovfl error, what string) {
	d.enter()
	f := &gobDecField{op: op, ovfl: ovfl}
	isPtr := v.Type().Elem().Kind() == reflect.Pointer
	have := v.Len()
	for i := range n {
		if len(d.buf.data) == 0 {
			gobFailf("decoding %sarray or slice: length exceeds input size (%d elements)", what, n)
		}
		if i >= have {
			v.Grow(1)
			have = min(v.Cap(), n)
			v.SetLen(have)
		}
		x := v.Index(i)
		if isPtr {
			x = gobAlloc(x)
		}
		(*op)(f, d, x)
	}
	d.depth--
}

// maxGobEmpty is how many values are read from a message that is at its end: only
// one that is corrupted has any.
const maxGobEmpty = 1 << 16

func (d *GobDecoder) checkEmpty(i int) {
	if i > maxGobEmpty && len(d.buf.data) == 0 {
		gobFail(errGobEmpty)
	}
}

func (d *GobDecoder) mapping(v reflect.Value, key, elem *gobDecOp, ovfl error) {
	d.enter()
	n := int(d.buf.uint())
	t := v.Type()
	if v.IsNil() {
		v.Set(reflect.MakeMapWithSize(t, max(0, min(n, len(d.buf.data)))))
	}
	keyField, elemField := &gobDecField{op: key, ovfl: ovfl}, &gobDecField{op: elem, ovfl: ovfl}
	k, x := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	for i := 0; i < n; i++ {
		d.checkEmpty(i)
		(*key)(keyField, d, gobPart(k))
		(*elem)(elemField, d, gobPart(x))
		if k.Kind() == reflect.Interface && !k.IsNil() {
			checkKey(k.Interface(), false, 0)
		}
		v.SetMapIndex(k, x)
		k.SetZero()
		x.SetZero()
	}
	d.depth--
}

func gobPart(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		return gobAlloc(v)
	}
	return v
}

func (d *GobDecoder) ignoreList(op *gobDecOp, n int) {
	d.enter()
	f := &gobDecField{op: op, ovfl: errors.New("no error")}
	for range n {
		if len(d.buf.data) == 0 {
			gobFailf("decoding array or slice: length exceeds input size (%d elements)", n)
		}
		(*op)(f, d, reflect.Value{})
	}
	d.depth--
}

func (d *GobDecoder) ignoreMap(key, elem *gobDecOp) {
	d.enter()
	f := &gobDecField{ovfl: errors.New("no error")}
	n := int(d.buf.uint())
	for i := 0; i < n; i++ {
		d.checkEmpty(i)
		(*key)(f, d, reflect.Value{})
		(*elem)(f, d, reflect.Value{})
	}
	d.depth--
}

// slice reads a slice of type t into v.
func (d *GobDecoder) slice(t reflect.Type, v reflect.Value, op *gobDecOp, ovfl error, what string) {
	u := d.buf.uint()
	size := uint64(v.Type().Elem().Size())
	n := int(u)
	if bytes := u * size; n < 0 || uint64(n) != u || bytes > gobTooBig || size > 0 && bytes/size != u {
		gobFailf("%s slice too big: %d elements of %d bytes", t.Elem(), u, size)
	}
	if v.Cap() < n {
		room := n
		if size > 0 && uint64(n)*size > maxGobChunk {
			room = int(max(1, maxGobChunk/size))
		}
		v.Set(reflect.MakeSlice(v.Type(), room, room))
	} else {
		v.SetLen(n)
	}
	d.list(v, op, n, ovfl, what)
}

// bytes reads into v, a slice of bytes of type t.
func (d *GobDecoder) bytes(t reflect.Type, v reflect.Value) {
	n, ok := d.buf.length()
	if !ok {
		gobFailf("bad %s slice length: %d", t, n)
	}
	if v.Cap() < n {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	} else {
		v.SetLen(n)
		if n > 0 && len(d.buf.data) == 0 {
			gobFailf("error decoding []byte: %s", io.EOF)
		}
	}
	copy(v.Bytes(), d.buf.take(n))
}

// held reads into v, an interface of type t, what an interface held.
func (d *GobDecoder) held(t reflect.Type, v reflect.Value) {
	n := d.buf.uint()
	switch {
	case n > 1<<31:
		gobFailf("invalid type name length %d", n)
	case n > uint64(len(d.buf.data)):
		gobFailf("invalid type name length %d: exceeds input size", n)
	}
	name := d.buf.take(int(n))
	if len(name) == 0 {
		v.SetZero()
		return
	}
	if len(name) > 1024 {
		gobFailf("name too long (%d bytes): %.20q...", len(name), name)
	}
	d.enter()
	g := d.m.gobState()
	g.namesMu.RLock()
	concrete, ok := g.byName[string(name)]
	g.namesMu.RUnlock()
	if !ok {
		gobFailf("name not registered for interface: %q", name)
	}
	id := d.definitions(true)
	if id < 0 {
		gobFail(d.err)
	}
	d.buf.uint() // the length of the value
	x := reflect.New(erasedType(concrete)).Elem()
	d.value(id, concrete, x)
	if d.err != nil {
		gobFail(d.err)
	}
	if !assignableTo(concrete, t) {
		gobFailf("%s is not assignable to type %s", concrete, t)
	}
	d.depth--
	held := x.Interface()
	if s, ok := concrete.(reflectType); ok {
		held = s.t.boxed(held)
	}
	form, ok := reflect.ValueOf(held), true
	if v.Type() != anyType {
		form, ok = inInterface(held, v.Type())
	}
	if !ok {
		gobFailf("%s is not available to scripts as %s", concrete, t)
	}
	v.Set(form)
}

func (d *GobDecoder) ignoreHeld() {
	n, ok := d.buf.length()
	if !ok {
		gobFailf("bad interface encoding: name too large for buffer")
	}
	d.buf.take(n)
	if d.definitions(true) < 0 {
		gobFail(d.err)
	}
	if n, ok = d.buf.length(); !ok {
		gobFailf("bad interface encoding: data length too large for buffer")
	}
	d.buf.take(n)
}

// own lets a value of type t decode itself.
func (d *GobDecoder) own(how gobOwn, t reflect.Type, v reflect.Value) {
	n, ok := d.buf.length()
	if !ok {
		gobFailf("GobDecoder: length too large for buffer")
	}
	data := d.buf.take(n)
	var err error
	if s, ok := t.(reflectType); ok {
		name := "GobDecode"
		if how == gobOwnBinary {
			name = "UnmarshalBinary"
		}
		err = asError(adapter{Box{s.t, v.Interface()}}.must(name, data)[0])
	} else if how == gobOwnGob {
		err = v.Interface().(gob.GobDecoder).GobDecode(data)
	} else {
		err = v.Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
	}
	if err != nil {
		gobFail(err)
	}
}

// ignoreOwn skips bytes: a string, or what a value said of itself.
func (d *GobDecoder) ignoreOwn() {
	n, ok := d.buf.length()
	if !ok {
		gobFailf("GobDecoder: length too large for buffer")
	}
	d.buf.take(n)
}

// engine is how values of type id are read into the type u.
func (d *GobDecoder) engine(id gobID, u *gobUser) (**gobDecEngine, error) {
	byID := d.engines[gobKey(u.user)]
	if byID == nil {
		byID = map[gobID]**gobDecEngine{}
		d.engines[gobKey(u.user)] = byID
	}
	if engine := byID[id]; engine != nil {
		return engine, nil
	}
	engine := new(*gobDecEngine)
	byID[id] = engine // known while it is made
	var err error
	if *engine, err = d.compile(id, u); err != nil {
		delete(byID, id)
	}
	return engine, err
}

// ignorer is how values of type id are skipped.
func (d *GobDecoder) ignorer(id gobID) (**gobDecEngine, error) {
	if engine := d.ignorers[id]; engine != nil {
		return engine, nil
	}
	engine := new(*gobDecEngine)
	d.ignorers[id] = engine
	var err error
	if wire := d.wires[id]; wire != nil && wire.StructT != nil {
		*engine, err = d.compile(id, d.m.gobState().mustUser(gobEmptyStruct))
	} else {
		op := d.ignoreOp(id, map[gobID]*gobDecOp{})
		*engine = &gobDecEngine{fields: []gobDecField{{op: op, ovfl: gobOverflow(d.text(id))}}, wanted: 1}
	}
	if err != nil {
		delete(d.ignorers, id)
	}
	return engine, err
}

// text names a type: one of this program by that number, else the stream's.
func (d *GobDecoder) text(id gobID) string {
	g := d.m.gobState()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known(id) != nil {
		return g.text(id, map[gobID]bool{})
	}
	return d.wires[id].text()
}

// wireStruct is the definition of a struct; nil for other types.
func (d *GobDecoder) wireStruct(id gobID) *gobStructType {
	if t := d.m.gobState().builtin(id); t != nil {
		return t.wire.StructT
	}
	wire := d.wires[id]
	if wire == nil {
		gobFail(errGobType)
	}
	return wire.StructT
}

func (d *GobDecoder) compile(id gobID, u *gobUser) (engine *gobDecEngine, err error) {
	defer caughtGob(&err)
	if u.base.Kind() != reflect.Struct || u.dec != gobNotOwn {
		return d.compileSingle(id, u)
	}
	wire := d.wireStruct(id)
	if wire == nil {
		gobFailf("type mismatch in decoder: want struct type %s; got non-struct", u.base)
	}
	engine, seen := &gobDecEngine{fields: make([]gobDecField, len(wire.Field))}, map[any]*gobDecOp{}
	for i, w := range wire.Field {
		if w.Name == "" {
			gobFailf("empty name for remote field of type %s", wire.Common.Name)
		}
		f, ok := u.base.FieldByName(w.Name)
		if !ok || !gobExported(w.Name) {
			engine.fields[i] = gobDecField{op: d.ignoreOp(w.Id, map[gobID]*gobDecOp{}), ovfl: gobOverflow(w.Name)}
			continue
		}
		if !d.compatible(f.Type, w.Id, map[any]gobID{}) {
			gobFailf("wrong type (%s) for received field %s.%s", f.Type, wire.Common.Name, w.Name)
		}
		engine.fields[i] = gobDecField{op: d.op(w.Id, f.Type, f.Name, seen), index: f.Index, ovfl: gobOverflow(w.Name)}
		engine.wanted++
	}
	return engine, nil
}

func (d *GobDecoder) compileSingle(id gobID, u *gobUser) (*gobDecEngine, error) {
	name := u.user.String()
	if !d.compatible(u.user, id, map[any]gobID{}) {
		remote := d.text(id)
		if u.base.Kind() == reflect.Interface && id != gobInterface {
			return nil, errors.New("gob: local interface type " + name + " can only be decoded from remote interface type; received concrete type " + remote)
		}
		return nil, errors.New("gob: decoding into local type " + name + ", received remote type " + remote)
	}
	op := d.op(id, u.user, name, map[any]*gobDecOp{})
	return &gobDecEngine{fields: []gobDecField{{op: op, ovfl: gobOverflow(name)}}, wanted: 1}, nil
}

// compatible: values of type id can be read into t. Structs always are, their fields
// are looked at later.
func (d *GobDecoder) compatible(t reflect.Type, id gobID, seen map[any]gobID) bool {
	if known, ok := seen[gobKey(t)]; ok {
		return known == id
	}
	seen[gobKey(t)] = id
	u := d.m.gobState().mustUser(t)
	wire, ok := d.wires[id]
	if (u.dec == gobOwnGob) != (ok && wire.GobEncoderT != nil) || (u.dec == gobOwnBinary) != (ok && wire.BinaryMarshalerT != nil) || ok && wire.TextMarshalerT != nil {
		return false
	}
	if u.dec != gobNotOwn {
		return true
	}
	switch k := u.base.Kind(); k {
	case reflect.Bool:
		return id == gobBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return id == gobInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return id == gobUint
	case reflect.Float32, reflect.Float64:
		return id == gobFloat
	case reflect.Complex64, reflect.Complex128:
		return id == gobComplex
	case reflect.String:
		return id == gobString
	case reflect.Interface:
		return id == gobInterface
	case reflect.Array:
		return ok && wire.ArrayT != nil && wire.ArrayT.Len == u.base.Len() && d.compatible(u.base.Elem(), wire.ArrayT.Elem, seen)
	case reflect.Map:
		return ok && wire.MapT != nil && d.compatible(u.base.Key(), wire.MapT.Key, seen) && d.compatible(u.base.Elem(), wire.MapT.Elem, seen)
	case reflect.Slice:
		if u.base.Elem().Kind() == reflect.Uint8 {
			return id == gobBytes
		}
		s := d.wireSlice(id)
		return s != nil && d.compatible(d.m.gobState().mustUser(u.base.Elem()).base, s.Elem, seen)
	case reflect.Struct:
		return true
	}
	return false
}

// wireSlice is the definition of a slice; nil for other types.
func (d *GobDecoder) wireSlice(id gobID) *gobSliceType {
	if t := d.m.gobState().builtin(id); t != nil {
		return t.wire.SliceT
	}
	if wire := d.wires[id]; wire != nil {
		return wire.SliceT
	}
	return nil
}

// op is how values of type id, which is compatible, are read into t.
func (d *GobDecoder) op(id gobID, t reflect.Type, name string, seen map[any]*gobDecOp) *gobDecOp {
	u := d.m.gobState().mustUser(t)
	if u.dec != gobNotOwn {
		return d.ownOp(u)
	}
	if op := seen[gobKey(t)]; op != nil {
		return op
	}
	op := new(gobDecOp)
	seen[gobKey(t)] = op
	base := u.base
	switch k := base.Kind(); k {
	case reflect.Array:
		name = "element of " + name
		elem := gobElementOp(base, d.op(d.wires[id].ArrayT.Elem, base.Elem(), name, seen))
		ovfl := gobOverflow(name)
		*op = func(_ *gobDecField, d *GobDecoder, v reflect.Value) {
			if d.buf.uint() != uint64(base.Len()) {
				gobFailf("length mismatch in decodeArray")
			}
			d.list(v, elem, base.Len(), ovfl, gobElements(base))
		}
	case reflect.Map:
		wire := d.wires[id].MapT
		key := d.op(wire.Key, base.Key(), "key of "+name, seen)
		elem := d.op(wire.Elem, base.Elem(), "element of "+name, seen)
		ovfl := gobOverflow(name)
		*op = func(_ *gobDecField, d *GobDecoder, v reflect.Value) { d.mapping(v, key, elem, ovfl) }
	case reflect.Slice:
		if base.Elem().Kind() == reflect.Uint8 {
			*op = func(_ *gobDecField, d *GobDecoder, v reflect.Value) { d.bytes(base, v) }
			break
		}
		name = "element of " + name
		elem := gobElementOp(base, d.op(d.wireSlice(id).Elem, base.Elem(), name, seen))
		ovfl := gobOverflow(name)
		*op = func(_ *gobDecField, d *GobDecoder, v reflect.Value) { d.slice(base, v, elem, ovfl, gobElements(base)) }
	case reflect.Struct:
		engine, err := d.engine(id, d.m.gobState().mustUser(base))
		if err != nil {
			gobFail(err)
		}
		*op = func(_ *gobDecField, d *GobDecoder, v reflect.Value) { d.structure(*engine, v) }
	case reflect.Interface:
		*op = func(_ *gobDecField, d *GobDecoder, v reflect.Value) { d.held(base, v) }
	default:
		*op = gobBasicDecOp(base)
	}
	if *op == nil {
		gobFailf("decode can't handle type %s", t)
	}
	*op = d.folding(base, *op)
	return op
}

// folding reads values of a folded type, which is kept as any, by way of their form.
func (d *GobDecoder) folding(t reflect.Type, op gobDecOp) gobDecOp {
	n := foldedType(t)
	if n == nil {
		return op
	}
	return func(f *gobDecField, d *GobDecoder, v reflect.Value) {
		if v.Kind() != reflect.Interface {
			op(f, d, v)
			return
		}
		form := reflect.New(d.m.reflectOf(n.Underlying())).Elem()
		if !v.IsNil() {
			form.Set(v.Elem())
		}
		op(f, d, form)
		v.Set(form)
	}
}

// gobElements names the elements of a list in an error, where they are basic and
// not of the program's own types.
func gobElements(t reflect.Type) string {
	elem := t.Elem()
	if k := elem.Kind(); k != reflect.Uint8 && elem.PkgPath() == "" && (t.Kind() == reflect.Array || t.Name() == "") && (k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String) {
		return elem.Name() + " "
	}
	return ""
}

// gobElementOp is op for the elements of a list of type t: strings in one fail in
// words of their own.
func gobElementOp(t reflect.Type, op *gobDecOp) *gobDecOp {
	if gobElements(t) != "string " {
		return op
	}
	op = new(gobDecOp)
	*op = func(_ *gobDecField, d *GobDecoder, v reflect.Value) {
		n := d.buf.uint()
		if n > uint64(len(d.buf.data)) {
			gobFailf("length of string exceeds input size (%d bytes)", n)
		}
		v.SetString(string(d.buf.take(int(n))))
	}
	return op
}

func (d *GobDecoder) ownOp(u *gobUser) *gobDecOp {
	t := u.receiver(u.decIndir)
	op := gobDecOp(func(_ *gobDecField, d *GobDecoder, v reflect.Value) {
		of := u.base
		if v.Kind() != reflect.Pointer && t.Kind() == reflect.Pointer {
			v, of = v.Addr(), pointerTo(of)
		}
		d.own(u.dec, of, v)
	})
	return &op
}

// gobBasicDecOp decodes basic types, nil for other kinds.
func gobBasicDecOp(t reflect.Type) gobDecOp {
	switch t.Kind() {
	case reflect.Bool:
		return func(_ *gobDecField, d *GobDecoder, v reflect.Value) { v.SetBool(d.buf.uint() != 0) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(f *gobDecField, d *GobDecoder, v reflect.Value) {
			x := d.buf.int()
			if v.OverflowInt(x) {
				gobFail(f.ovfl)
			}
			v.SetInt(x)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(f *gobDecField, d *GobDecoder, v reflect.Value) {
			x := d.buf.uint()
			if v.OverflowUint(x) {
				gobFail(f.ovfl)
			}
			v.SetUint(x)
		}
	case reflect.Float64:
		return func(_ *gobDecField, d *GobDecoder, v reflect.Value) { v.SetFloat(gobFloatOf(d.buf.uint())) }
	case reflect.Float32:
		return func(f *gobDecField, d *GobDecoder, v reflect.Value) { v.SetFloat(gobFloat32Of(d.buf.uint(), f.ovfl)) }
	case reflect.Complex128:
		return func(_ *gobDecField, d *GobDecoder, v reflect.Value) {
			re := gobFloatOf(d.buf.uint())
			v.SetComplex(complex(re, gobFloatOf(d.buf.uint())))
		}
	case reflect.Complex64:
		return func(f *gobDecField, d *GobDecoder, v reflect.Value) {
			re := gobFloat32Of(d.buf.uint(), f.ovfl)
			v.SetComplex(complex(re, gobFloat32Of(d.buf.uint(), f.ovfl)))
		}
	case reflect.String:
		return func(_ *gobDecField, d *GobDecoder, v reflect.Value) {
			n, ok := d.buf.length()
			if !ok {
				gobFailf("bad %s slice length: %d", t, n)
			}
			v.SetString(string(d.buf.take(n)))
		}
	}
	return nil
}

func gobFloatOf(x uint64) float64 { return math.Float64frombits(bits.ReverseBytes64(x)) }

func gobFloat32Of(x uint64, ovfl error) float64 {
	f := gobFloatOf(x)
	if a := math.Abs(f); math.MaxFloat32 < a && a <= math.MaxFloat64 {
		gobFail(ovfl)
	}
	return f
}

// maxGobIgnored is how deep the types may be nested that are skipped.
const maxGobIgnored = 10_000

// ignoreOp is how values of type id are skipped.
func (d *GobDecoder) ignoreOp(id gobID, seen map[gobID]*gobDecOp) *gobDecOp {
	d.ignoring++
	defer func() { d.ignoring-- }()
	if d.ignoring > maxGobIgnored {
		gobFail(errGobNesting)
	}
	if op := seen[id]; op != nil {
		return op
	}
	op := new(gobDecOp)
	seen[id] = op
	wire := d.wires[id]
	switch {
	case id == gobBool, id == gobInt, id == gobUint, id == gobFloat:
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) { d.buf.uint() }
	case id == gobComplex:
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) { d.buf.uint(); d.buf.uint() }
	case id == gobBytes, id == gobString:
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) {
			n, ok := d.buf.length()
			if !ok {
				gobFailf("slice length too large")
			}
			d.buf.take(n)
		}
	case id == gobInterface:
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) { d.ignoreHeld() }
	case wire == nil:
		g := d.m.gobState()
		g.mu.Lock()
		text := g.text(id, map[gobID]bool{})
		g.mu.Unlock()
		gobFailf("bad data: undefined type %s", text)
	case wire.ArrayT != nil:
		elem := d.ignoreOp(wire.ArrayT.Elem, seen)
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) {
			if d.buf.uint() != uint64(wire.ArrayT.Len) {
				gobFailf("length mismatch in ignoreArray")
			}
			d.ignoreList(elem, wire.ArrayT.Len)
		}
	case wire.MapT != nil:
		key, elem := d.ignoreOp(wire.MapT.Key, seen), d.ignoreOp(wire.MapT.Elem, seen)
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) { d.ignoreMap(key, elem) }
	case wire.SliceT != nil:
		elem := d.ignoreOp(wire.SliceT.Elem, seen)
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) { d.ignoreList(elem, int(d.buf.uint())) }
	case wire.StructT != nil:
		engine, err := d.ignorer(id)
		if err != nil {
			gobFail(err)
		}
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) { d.structure(*engine, reflect.Value{}) }
	case wire.GobEncoderT != nil, wire.BinaryMarshalerT != nil, wire.TextMarshalerT != nil:
		*op = func(_ *gobDecField, d *GobDecoder, _ reflect.Value) { d.ignoreOwn() }
	}
	if *op == nil {
		gobFailf("bad data: ignore can't handle type %s", d.text(id))
	}
	return op
}
