package rt

import (
	"encoding"
	"encoding/gob"
	"go/types"
	"io"
	"math"
	"math/bits"
	"reflect"
)

// A gobBuffer is a message in the making. It begins with room for its length.
type gobBuffer struct{ data []byte }

const gobRoom = 9 // bytes of the longest number

func newGobBuffer() *gobBuffer { return &gobBuffer{make([]byte, gobRoom, 64)} }

func (b *gobBuffer) Write(p []byte) (int, error) {
	b.data = append(b.data, p...)
	return len(p), nil
}

func (b *gobBuffer) uint(x uint64) {
	if x < 0x80 {
		b.data = append(b.data, byte(x))
		return
	}
	n := (bits.Len64(x) + 7) / 8
	b.data = append(b.data, byte(-n))
	for n--; n >= 0; n-- {
		b.data = append(b.data, byte(x>>(8*n)))
	}
}

func (b *gobBuffer) int(x int64) {
	u := uint64(x) << 1
	if x < 0 {
		u = ^u
	}
	b.uint(u)
}

func (b *gobBuffer) text(s string) {
	b.uint(uint64(len(s)))
	b.data = append(b.data, s...)
}

// float is sent with its bytes reversed: those of round numbers are zeros at the
// end.
func (b *gobBuffer) float(f float64) { b.uint(bits.ReverseBytes64(math.Float64bits(f))) }

// A gobEncoding is a struct, list or single value that is being encoded.
type gobEncoding struct {
	e     *GobEncoder
	b     *gobBuffer
	zeros bool // zeros are sent too: elements, keys, values that stand alone
	field int  // the last that was sent
}

// at sends which field of a struct follows; nil stands for elements.
func (s *gobEncoding) at(f *gobEncField) {
	if f != nil {
		s.b.uint(uint64(f.number - s.field))
		s.field = f.number
	}
}

// A gobEncOp encodes a value of one type. A field that is zero is left out.
type gobEncOp func(f *gobEncField, s *gobEncoding, v reflect.Value)

// A gobEncField is what to do for a field of a struct, or for a value that is none.
type gobEncField struct {
	op     *gobEncOp
	number int // in the stream
	index  int // in the struct
	indir  int // pointers to follow before
}

type gobEncEngine struct{ fields []gobEncField }

// writeMessage writes what b holds with its length before it, and empties b.
func (e *GobEncoder) writeMessage(w io.Writer, b *gobBuffer) {
	n := len(b.data) - gobRoom
	if n >= gobTooBig {
		e.fail(errGobMessages)
		return
	}
	var length gobBuffer
	length.uint(uint64(n))
	from := gobRoom - len(length.data)
	copy(b.data[from:], length.data)
	_, err := w.Write(b.data[from:])
	b.data = b.data[:gobRoom]
	if err != nil {
		e.fail(err)
	}
}

func (e *GobEncoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *GobEncoder) writer() io.Writer { return e.w[len(e.w)-1] }

// encode sends v of type t, and before it what the other side does not know of t.
func (e *GobEncoder) encode(t reflect.Type, v reflect.Value) error {
	e.w = e.w[:1]
	u, err := e.m.gobState().user(t)
	if err != nil {
		return err
	}
	e.err, e.depth = nil, 0
	e.buf.data = append(e.buf.data[:0], make([]byte, gobRoom)...)
	e.describe(e.writer(), &e.buf, u)
	e.sendID(&e.buf, u)
	if e.err != nil {
		return e.err
	}
	e.value(&e.buf, v, u)
	if e.err == nil {
		e.writeMessage(e.writer(), &e.buf)
	}
	return e.err
}

// describe sends the definition of u, if it was not sent before. It uses b, with
// all that is in it.
func (e *GobEncoder) describe(w io.Writer, b *gobBuffer, u *gobUser) {
	t := u.base
	if u.enc != gobNotOwn {
		t = u.user
	}
	if _, known := e.sent[gobKey(t)]; known {
		return
	}
	sent := e.sendType(w, b, t)
	if e.err != nil || sent {
		return
	}
	info, err := e.m.gobState().info(u) // a basic type, which has no definition
	if err != nil {
		e.fail(err)
		return
	}
	e.sent[gobKey(t)] = info.id
}

func (e *GobEncoder) sendID(b *gobBuffer, u *gobUser) { b.int(int64(e.sent[gobKey(u.base)])) }

// sendType sends the definition of t if it needs one that was not sent.
func (e *GobEncoder) sendType(w io.Writer, b *gobBuffer, t reflect.Type) (sent bool) {
	u, err := e.m.gobState().user(t)
	if err != nil {
		e.fail(err)
		return false
	}
	if u.enc == gobNotOwn {
		switch u.base.Kind() {
		case reflect.Slice:
			if u.base.Elem().Kind() == reflect.Uint8 {
				return false
			}
		case reflect.Array, reflect.Map, reflect.Struct:
		default:
			return false
		}
	}
	return e.sendDefinition(w, b, u)
}

func (e *GobEncoder) sendDefinition(w io.Writer, b *gobBuffer, u *gobUser) (sent bool) {
	if _, known := e.sent[gobKey(u.base)]; known {
		return false
	}
	g := e.m.gobState()
	info, err := g.info(u)
	if err != nil {
		e.fail(err)
		return false
	}
	b.int(-int64(info.id))
	e.value(b, reflect.ValueOf(info.wire), g.wire)
	e.writeMessage(w, b)
	if e.err != nil {
		return false
	}
	e.sent[gobKey(u.base)] = info.id
	e.sent[gobKey(u.user)] = info.id
	switch t := u.base; t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); gobExported(f.Name) {
				e.sendType(w, b, f.Type)
			}
		}
	case reflect.Array, reflect.Slice:
		e.sendType(w, b, t.Elem())
	case reflect.Map:
		e.sendType(w, b, t.Key())
		e.sendType(w, b, t.Elem())
	}
	return true
}

// value appends v, of type u.
func (e *GobEncoder) value(b *gobBuffer, v reflect.Value, u *gobUser) {
	defer caughtGob(&e.err)
	engine := e.m.gobState().encEngine(u)
	indir := u.indir
	if u.enc != gobNotOwn {
		indir = u.encIndir
	}
	for range indir {
		v = reflect.Indirect(v)
	}
	if u.enc == gobNotOwn && u.base.Kind() == reflect.Struct {
		e.structure(b, engine, v)
		return
	}
	s := &gobEncoding{e: e, b: b, zeros: true}
	f := &engine.fields[0]
	if v, ok := gobIndirect(v, f.indir); ok {
		(*f.op)(f, s, v)
	}
}

// gobIndirect follows pointers; false means that one is nil.
func gobIndirect(v reflect.Value, n int) (reflect.Value, bool) {
	for ; n > 0 && !v.IsNil(); n-- {
		v = v.Elem()
	}
	return v, v.IsValid() && (v.Kind() != reflect.Pointer || !v.IsNil())
}

// enter goes one level deeper; the caller counts depth down when it is done.
func (e *GobEncoder) enter() {
	if e.depth++; e.depth > maxGobDepth {
		gobFail(errGobDeep)
	}
}

func (e *GobEncoder) structure(b *gobBuffer, engine *gobEncEngine, v reflect.Value) {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	e.enter()
	s := &gobEncoding{e: e, b: b, field: -1}
	for i := range engine.fields {
		f := &engine.fields[i]
		x := v.Field(f.index)
		if f.indir > 0 {
			var ok bool
			if x, ok = gobIndirect(x, f.indir); !ok {
				continue
			}
		}
		(*f.op)(f, s, x)
	}
	b.uint(0)
	e.depth--
}

func (e *GobEncoder) list(b *gobBuffer, v reflect.Value, op *gobEncOp, indir int) {
	e.enter()
	s := &gobEncoding{e: e, b: b, zeros: true, field: -1}
	n := v.Len()
	b.uint(uint64(n))
	for i := range n {
		x := v.Index(i)
		if indir > 0 {
			var ok bool
			if x, ok = gobIndirect(x, indir); !ok {
				gobFailf("encodeArray: nil element")
			}
		}
		(*op)(nil, s, x)
	}
	e.depth--
}

func (e *GobEncoder) mapping(b *gobBuffer, v reflect.Value, key, elem *gobEncOp, keyIndir, elemIndir int) {
	e.enter()
	s := &gobEncoding{e: e, b: b, zeros: true, field: -1}
	b.uint(uint64(v.Len()))
	for entries := v.MapRange(); entries.Next(); {
		s.entry(entries.Key(), key, keyIndir)
		s.entry(entries.Value(), elem, elemIndir)
	}
	e.depth--
}

func (s *gobEncoding) entry(v reflect.Value, op *gobEncOp, indir int) {
	for ; indir > 0 && v.IsValid(); indir-- {
		v = reflect.Indirect(v)
	}
	if !v.IsValid() {
		gobFailf("encodeReflectValue: nil element")
	}
	(*op)(nil, s, v)
}

// held sends what an interface holds: the name under which its type is registered,
// the type's definition and number, and the value with its length.
func (e *GobEncoder) held(b *gobBuffer, v reflect.Value) {
	if v.IsNil() {
		b.uint(0)
		return
	}
	t, x := gobValueOf(v.Interface())
	if x.Kind() == reflect.Pointer && x.IsNil() {
		gobFailf("gob: cannot encode nil pointer of type %s inside interface", t)
	}
	e.enter()
	g := e.m.gobState()
	u := g.mustUser(t)
	g.namesMu.RLock()
	name, ok := g.nameOf[gobKey(u.base)]
	g.namesMu.RUnlock()
	if !ok {
		gobFailf("type not registered for interface: %s", u.base)
	}
	b.text(name)
	e.describe(e.writer(), b, u) // into the message around, with all that is before it
	e.sendID(b, u)
	e.w = append(e.w, b)
	data := newGobBuffer()
	e.value(data, x, u)
	if e.err != nil {
		gobFail(e.err)
	}
	e.w[len(e.w)-1] = nil // which can be large
	e.w = e.w[:len(e.w)-1]
	e.writeMessage(b, data)
	if e.err != nil {
		gobFail(e.err)
	}
	e.depth--
}

// own sends what the value of type t says of itself.
func (e *GobEncoder) own(b *gobBuffer, how gobOwn, t reflect.Type, v reflect.Value) {
	var data []byte
	var err error
	if v.Kind() != reflect.Pointer && t.Kind() == reflect.Pointer { // Go follows one too many of pointers to pointers
		if t = t.Elem(); !t.Implements(gobEncodes) && !t.Implements(binaryEncodes) {
			panic(nilDereference())
		}
	}
	if s, ok := t.(reflectType); ok {
		name := "GobEncode"
		if how == gobOwnBinary {
			name = "MarshalBinary"
		}
		data, err = adapter{Box{s.t, v.Interface()}}.bytesError(name)
	} else if how == gobOwnGob {
		data, err = v.Interface().(gob.GobEncoder).GobEncode()
	} else {
		data, err = v.Interface().(encoding.BinaryMarshaler).MarshalBinary()
	}
	if err != nil {
		gobFail(err)
	}
	b.uint(uint64(len(data)))
	b.data = append(b.data, data...)
}

// encEngine is how values of a type are encoded.
func (g *gobState) encEngine(u *gobUser) *gobEncEngine {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.compileEnc(u, nil)
}

// compileEnc makes the engine of u, nil where that is already being made. The
// caller holds the lock.
func (g *gobState) compileEnc(u *gobUser, making map[*gobInfo]bool) *gobEncEngine {
	info, err := g.infoOf(u)
	if err != nil {
		gobFail(err)
	}
	switch {
	case info.engine != nil || making[info]:
		return info.engine
	case making == nil:
		making = map[*gobInfo]bool{}
	}
	making[info] = true
	engine, seen := &gobEncEngine{}, map[any]*gobEncOp{}
	if u.enc != gobNotOwn || u.base.Kind() != reflect.Struct {
		t := u.base
		if u.enc != gobNotOwn {
			t = u.user
		}
		op, indir := g.encOp(t, seen, making)
		engine.fields = []gobEncField{{op: op, indir: indir}}
		info.engine = engine
		return engine
	}
	for i := range u.base.NumField() {
		if f := u.base.Field(i); gobSends(f) {
			op, indir := g.encOp(f.Type, seen, making)
			engine.fields = append(engine.fields, gobEncField{op, len(engine.fields), i, indir})
		}
	}
	if u.base.NumField() > 0 && len(engine.fields) == 0 {
		gobFailf("type %s has no exported fields", u.base)
	}
	info.engine = engine
	return engine
}

// encOp is how values of type t are encoded, and how many pointers to follow
// before.
func (g *gobState) encOp(t reflect.Type, seen map[any]*gobEncOp, making map[*gobInfo]bool) (*gobEncOp, int) {
	u := g.mustUser(t)
	if u.enc != gobNotOwn {
		return g.ownEncOp(u)
	}
	if op := seen[gobKey(t)]; op != nil {
		return op, u.indir
	}
	op := new(gobEncOp)
	seen[gobKey(t)] = op
	switch k := u.base.Kind(); k {
	case reflect.Slice:
		if u.base.Elem().Kind() == reflect.Uint8 {
			*op = encodeGobBytes
			break
		}
		elem, indir := g.encOp(u.base.Elem(), seen, making)
		*op = func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if s.zeros || v.Len() > 0 {
				s.at(f)
				s.e.list(s.b, v, elem, indir)
			}
		}
	case reflect.Array:
		elem, indir := g.encOp(u.base.Elem(), seen, making)
		*op = func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			s.at(f)
			s.e.list(s.b, v, elem, indir)
		}
	case reflect.Map:
		key, keyIndir := g.encOp(u.base.Key(), seen, making)
		elem, elemIndir := g.encOp(u.base.Elem(), seen, making)
		*op = func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if s.zeros || !v.IsNil() { // an empty one may be wanted
				s.at(f)
				s.e.mapping(s.b, v, key, elem, keyIndir, elemIndir)
			}
		}
	case reflect.Struct:
		base := g.mustUser(u.base)
		g.compileEnc(base, making)
		info, err := g.infoOf(base)
		if err != nil {
			gobFail(err)
		}
		*op = func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			s.at(f)
			s.e.structure(s.b, info.engine, v) // by now it is made
		}
	case reflect.Interface:
		*op = func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if s.zeros || !v.IsNil() {
				s.at(f)
				s.e.held(s.b, v)
			}
		}
	default:
		*op = gobBasicOp(k)
	}
	if *op == nil {
		gobFailf("can't happen: encode type %s", t)
	}
	*op = unfolding(g.m, u.base, *op)
	return op, u.indir
}

// unfolding takes values of a folded type out of their any before op.
func unfolding(m *Machine, t reflect.Type, op gobEncOp) gobEncOp {
	n := foldedType(t)
	if n == nil {
		return op
	}
	return func(f *gobEncField, s *gobEncoding, v reflect.Value) { op(f, s, printer{m: m}.unfold(n, v)) }
}

// foldedType is the type of the script that t is, if values of it are kept as any.
func foldedType(t reflect.Type) *types.Named {
	if s, ok := t.(reflectType); ok {
		if n, ok := s.t.typ.(*types.Named); ok && Folded(n) {
			return n
		}
	}
	return nil
}

func (g *gobState) ownEncOp(u *gobUser) (*gobEncOp, int) {
	t := u.receiver(u.encIndir)
	op := gobEncOp(func(f *gobEncField, s *gobEncoding, v reflect.Value) {
		if u.encIndir < 0 {
			if !v.CanAddr() {
				gobFailf("unaddressable value of type %s", t)
			}
			v = v.Addr()
		}
		if s.zeros || !v.IsZero() {
			s.at(f)
			s.e.own(s.b, u.enc, t, v)
		}
	})
	return &op, u.encIndir
}

func encodeGobBytes(f *gobEncField, s *gobEncoding, v reflect.Value) {
	if b := v.Bytes(); len(b) > 0 || s.zeros {
		s.at(f)
		s.b.uint(uint64(len(b)))
		s.b.data = append(s.b.data, b...)
	}
}

// gobBasicOp encodes basic types, nil for other kinds.
func gobBasicOp(k reflect.Kind) gobEncOp {
	switch k {
	case reflect.Bool:
		return func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			switch {
			case v.Bool():
				s.at(f)
				s.b.uint(1)
			case s.zeros:
				s.at(f)
				s.b.uint(0)
			}
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if x := v.Int(); x != 0 || s.zeros {
				s.at(f)
				s.b.int(x)
			}
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if x := v.Uint(); x != 0 || s.zeros {
				s.at(f)
				s.b.uint(x)
			}
		}
	case reflect.Float32, reflect.Float64:
		return func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if x := v.Float(); x != 0 || s.zeros {
				s.at(f)
				s.b.float(x)
			}
		}
	case reflect.Complex64, reflect.Complex128:
		return func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if x := v.Complex(); x != 0 || s.zeros {
				s.at(f)
				s.b.float(real(x))
				s.b.float(imag(x))
			}
		}
	case reflect.String:
		return func(f *gobEncField, s *gobEncoding, v reflect.Value) {
			if x := v.String(); x != "" || s.zeros {
				s.at(f)
				s.b.text(x)
			}
		}
	}
	return nil
}
