package native

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"time"
	"unsafe"
)

// compiler makes closures. What it does not know is an error, and its closure nil.
type compiler struct {
	typeOf Types
	fn     *Func
	locals int
	err    error
}

func (c *compiler) unknown(x *Expr) {
	if c.err == nil {
		c.err = fmt.Errorf("no code for operation %d of type %v", x.Op, x.Type)
	}
}

// form is the type of the erased form of t.
func (c *compiler) form(t types.Type) reflect.Type {
	r, err := c.typeOf(t)
	if err != nil && c.err == nil {
		c.err = err
	}
	if c.err != nil {
		return reflect.TypeFor[int]()
	}
	return r
}

// common makes what all classes have.
func common[T any](c *compiler, x *Expr, compile func(*Expr) fun[T], locals func(*frame) []T) fun[T] {
	switch x.Op {
	case Local:
		i := x.Index
		return func(f *frame) T { return locals(f)[i] }
	case Let:
		set, body := c.let(x.Index, x.Args[0]), compile(x.Args[1])
		return func(f *frame) T {
			set(f)
			return body(f)
		}
	case Store:
		body, set := compile(x.Args[0]), c.store(x.Args[1], x.Args[2])
		return func(f *frame) T {
			v := body(f)
			if !f.failed {
				set(f)
			}
			return v
		}
	case Cond:
		is, then, other := c.bool(x.Args[0]), compile(x.Args[1]), compile(x.Args[2])
		return func(f *frame) T {
			if is(f) {
				return then(f)
			}
			return other(f)
		}
	case Library:
		switch of := library[x.Name].(type) {
		case func(string) T:
			a := c.string(x.Args[0])
			return func(f *frame) T { return of(a(f)) }
		case func(string, string) T:
			a, b := c.string(x.Args[0]), c.string(x.Args[1])
			return func(f *frame) T { return of(a(f), b(f)) }
		case func(float64) T:
			a := c.float(x.Args[0])
			return func(f *frame) T { return of(a(f)) }
		case func(rune) T:
			a := c.int(x.Args[0])
			return func(f *frame) T { return of(rune(a(f))) }
		case func(time.Time) T:
			a := c.time(x.Args[0])
			return func(f *frame) T { return of(*a(f)) }
		case func(time.Time, time.Time) T:
			a, b := c.time(x.Args[0]), c.time(x.Args[1])
			return func(f *frame) T { return of(*a(f), *b(f)) }
		}
	case MapElem:
		return mapElem[T](c, x)
	}
	return nil
}

// let makes what evaluates x and keeps it.
func (c *compiler) let(i int, x *Expr) func(*frame) {
	c.locals = max(c.locals, i+1)
	switch ClassOf(x.Type) {
	case Bool:
		v := c.bool(x)
		return func(f *frame) { f.bools[i] = v(f) }
	case Int:
		v := c.int(x)
		return func(f *frame) { f.ints[i] = v(f) }
	case Float:
		v := c.float(x)
		return func(f *frame) { f.floats[i] = v(f) }
	case String:
		v := c.string(x)
		return func(f *frame) { f.strings[i] = v(f) }
	}
	v := c.place(x)
	return func(f *frame) { f.places[i] = v(f) }
}

// store makes what assigns x to a variable of a basic type.
func (c *compiler) store(variable, x *Expr) func(*frame) {
	at := c.place(variable)
	switch kind := kindOf(variable.Type); ClassOf(variable.Type) {
	case Bool:
		return assign(at, c.bool(x))
	case String:
		return assign(at, c.string(x))
	case Float:
		if v := c.float(x); kind == types.Float32 {
			return assign(at, func(f *frame) float32 { return float32(v(f)) })
		} else {
			return assign(at, v)
		}
	}
	v := c.int(x)
	switch size := c.form(variable.Type).Size(); size {
	case 1:
		return assign(at, func(f *frame) int8 { return int8(v(f)) })
	case 2:
		return assign(at, func(f *frame) int16 { return int16(v(f)) })
	case 4:
		return assign(at, func(f *frame) int32 { return int32(v(f)) })
	}
	return assign(at, v)
}

func assign[T any](at fun[unsafe.Pointer], v fun[T]) func(*frame) {
	return func(f *frame) { *(*T)(at(f)) = v(f) }
}

// time makes the address of a time.Time.
func (c *compiler) time(x *Expr) fun[*time.Time] {
	if c.form(x.Type) != reflect.TypeFor[time.Time]() {
		c.unknown(x)
		return nil
	}
	at := c.place(x)
	return func(f *frame) *time.Time { return (*time.Time)(at(f)) }
}

// load makes what reads a value where it lies.
func load[T any](at fun[unsafe.Pointer]) fun[T] {
	return func(f *frame) T { return *(*T)(at(f)) }
}

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
}

// loadInt is load for an integer of type T.
func loadInt[T integer](at fun[unsafe.Pointer]) fun[int64] {
	return func(f *frame) int64 { return int64(*(*T)(at(f))) }
}

// lies reports whether the value of x lies somewhere.
func lies(x *Expr) bool {
	switch x.Op {
	case Var, Field, Deref, MapElem:
		return true
	case Elem:
		return ClassOf(x.Args[0].Type) == Place
	}
	return false
}

func kindOf(t types.Type) types.BasicKind { return t.Underlying().(*types.Basic).Kind() }

// bool makes what evaluates an expression of class Bool.
func (c *compiler) bool(x *Expr) fun[bool] {
	if of := common(c, x, c.bool, func(f *frame) []bool { return f.bools }); of != nil {
		return of
	}
	if lies(x) {
		return load[bool](c.place(x))
	}
	switch x.Op {
	case Const:
		v := x.Value != nil && constant.BoolVal(x.Value)
		return func(*frame) bool { return v }
	case Convert:
		return c.bool(x.Args[0])
	case Unary:
		a := c.bool(x.Args[0])
		return func(f *frame) bool { return !a(f) }
	case Binary:
		switch x.Token {
		case token.LAND:
			a, b := c.bool(x.Args[0]), c.bool(x.Args[1])
			return func(f *frame) bool { return a(f) && b(f) }
		case token.LOR:
			a, b := c.bool(x.Args[0]), c.bool(x.Args[1])
			return func(f *frame) bool { return a(f) || b(f) }
		}
		return c.comparison(x)
	}
	c.unknown(x)
	return nil
}

// comparison makes == < and their like.
func (c *compiler) comparison(x *Expr) fun[bool] {
	switch a, b := x.Args[0], x.Args[1]; ClassOf(a.Type) {
	case Bool:
		return equality(x.Token, c.bool(a), c.bool(b))
	case Int:
		if isUnsigned(a.Type) {
			p, q := c.int(a), c.int(b)
			left, right := func(f *frame) uint64 { return uint64(p(f)) }, func(f *frame) uint64 { return uint64(q(f)) }
			return ordering(x.Token, left, right)
		}
		return ordering(x.Token, c.int(a), c.int(b))
	case Float:
		return ordering(x.Token, c.float(a), c.float(b))
	case String:
		return ordering(x.Token, c.string(a), c.string(b))
	case Place: // pointers; slices and maps with nil: their first word tells
		return equality(x.Token, load[unsafe.Pointer](c.place(a)), load[unsafe.Pointer](c.place(b)))
	}
	c.unknown(x)
	return nil
}

func equality[T comparable](op token.Token, a, b fun[T]) fun[bool] {
	if op == token.EQL {
		return func(f *frame) bool { return a(f) == b(f) }
	}
	return func(f *frame) bool { return a(f) != b(f) }
}

func ordering[T cmp.Ordered](op token.Token, a, b fun[T]) fun[bool] {
	switch op {
	case token.LSS:
		return func(f *frame) bool { return a(f) < b(f) }
	case token.LEQ:
		return func(f *frame) bool { return a(f) <= b(f) }
	case token.GTR:
		return func(f *frame) bool { return a(f) > b(f) }
	case token.GEQ:
		return func(f *frame) bool { return a(f) >= b(f) }
	}
	return equality(op, a, b)
}

// int makes what evaluates an expression of class Int: the value, of an unsigned type
// its bits.
func (c *compiler) int(x *Expr) fun[int64] {
	if of := common(c, x, c.int, func(f *frame) []int64 { return f.ints }); of != nil {
		return of
	}
	if x.Op == MapElem {
		if of := mapElem[int](c, x); of != nil {
			return func(f *frame) int64 { return int64(of(f)) }
		}
	}
	if lies(x) {
		at := c.place(x)
		switch kindOf(x.Type) {
		case types.Int, types.UntypedInt:
			return loadInt[int](at)
		case types.Int8:
			return loadInt[int8](at)
		case types.Int16:
			return loadInt[int16](at)
		case types.Int32, types.UntypedRune:
			return loadInt[int32](at)
		case types.Int64:
			return loadInt[int64](at)
		case types.Uint:
			return loadInt[uint](at)
		case types.Uint8:
			return loadInt[uint8](at)
		case types.Uint16:
			return loadInt[uint16](at)
		case types.Uint32:
			return loadInt[uint32](at)
		case types.Uint64:
			return loadInt[uint64](at)
		case types.Uintptr:
			return loadInt[uintptr](at)
		}
	}
	switch x.Op {
	case Const:
		v := int64(0)
		if x.Value != nil {
			whole := constant.ToInt(x.Value)
			i, exact := constant.Int64Val(whole)
			if !exact {
				u, _ := constant.Uint64Val(whole)
				i = int64(u)
			}
			v = i
		}
		return func(*frame) int64 { return v }
	case Elem: // of a string
		s, i := c.string(x.Args[0]), c.int(x.Args[1])
		return func(f *frame) int64 {
			s, i := s(f), i(f)
			if uint64(i) >= uint64(len(s)) {
				f.fail()
				return 0
			}
			return int64(s[i])
		}
	case Len:
		return c.length(x.Args[0])
	case Convert:
		if ClassOf(x.Args[0].Type) == Float {
			a := c.float(x.Args[0])
			return func(f *frame) int64 { return int64(a(f)) }
		}
		return wrapped(x.Type, c.int(x.Args[0]))
	case Unary:
		a := c.int(x.Args[0])
		switch x.Token {
		case token.SUB:
			return wrapped(x.Type, func(f *frame) int64 { return -a(f) })
		case token.XOR:
			return wrapped(x.Type, func(f *frame) int64 { return ^a(f) })
		}
		return a
	case Binary:
		return wrapped(x.Type, c.arithmetic(x))
	case Compare:
		return c.compare(x.Args[0], x.Args[1])
	case Or:
		return c.or(x.Args)
	}
	c.unknown(x)
	return nil
}

// length makes len of an expression.
func (c *compiler) length(x *Expr) fun[int64] {
	switch u := x.Type.Underlying().(type) {
	case *types.Basic:
		s := c.string(x)
		return func(f *frame) int64 { return int64(len(s(f))) }
	case *types.Slice:
		at := c.place(x)
		return func(f *frame) int64 { return int64(len(*(*[]struct{})(at(f)))) }
	case *types.Map:
		at, t := c.place(x), c.form(u)
		return func(f *frame) int64 { return int64(reflect.NewAt(t, at(f)).Elem().Len()) }
	}
	c.unknown(x)
	return nil
}

// wrapped makes an integer one of type t, as Go wraps it.
func wrapped(t types.Type, a fun[int64]) fun[int64] {
	switch kindOf(t) {
	case types.Int8:
		return func(f *frame) int64 { return int64(int8(a(f))) }
	case types.Int16:
		return func(f *frame) int64 { return int64(int16(a(f))) }
	case types.Int32, types.UntypedRune:
		return func(f *frame) int64 { return int64(int32(a(f))) }
	case types.Uint8:
		return func(f *frame) int64 { return int64(uint8(a(f))) }
	case types.Uint16:
		return func(f *frame) int64 { return int64(uint16(a(f))) }
	case types.Uint32:
		return func(f *frame) int64 { return int64(uint32(a(f))) }
	}
	return a
}

func isUnsigned(t types.Type) bool {
	return t.Underlying().(*types.Basic).Info()&types.IsUnsigned != 0
}

// arithmetic makes a binary operation of integers, which is yet to be wrapped.
func (c *compiler) arithmetic(x *Expr) fun[int64] {
	a, b := c.int(x.Args[0]), c.int(x.Args[1])
	unsigned := isUnsigned(x.Type)
	switch x.Token {
	case token.ADD:
		return func(f *frame) int64 { return a(f) + b(f) }
	case token.SUB:
		return func(f *frame) int64 { return a(f) - b(f) }
	case token.MUL:
		return func(f *frame) int64 { return a(f) * b(f) }
	case token.AND:
		return func(f *frame) int64 { return a(f) & b(f) }
	case token.OR:
		return func(f *frame) int64 { return a(f) | b(f) }
	case token.XOR:
		return func(f *frame) int64 { return a(f) ^ b(f) }
	case token.AND_NOT:
		return func(f *frame) int64 { return a(f) &^ b(f) }
	case token.QUO, token.REM:
		rest := x.Token == token.REM
		return func(f *frame) int64 {
			a, b := a(f), b(f)
			switch {
			case b == 0:
				f.fail()
				return 0
			case rest && unsigned:
				return int64(uint64(a) % uint64(b))
			case rest:
				return a % b
			case unsigned:
				return int64(uint64(a) / uint64(b))
			}
			return a / b
		}
	case token.SHL, token.SHR:
		left, counts := x.Token == token.SHL, isUnsigned(x.Args[1].Type)
		return func(f *frame) int64 {
			a, b := a(f), b(f)
			switch n := uint64(b); {
			case b < 0 && !counts:
				f.fail()
				return 0
			case left:
				return a << n
			case unsigned:
				return int64(uint64(a) >> n)
			default:
				return a >> n
			}
		}
	}
	c.unknown(x)
	return nil
}

// compare makes cmp.Compare.
func (c *compiler) compare(a, b *Expr) fun[int64] {
	switch ClassOf(a.Type) {
	case Int:
		if isUnsigned(a.Type) {
			p, q := c.int(a), c.int(b)
			return func(f *frame) int64 { return int64(cmp.Compare(uint64(p(f)), uint64(q(f)))) }
		}
		return comparing(c.int(a), c.int(b))
	case Float:
		return comparing(c.float(a), c.float(b))
	case String:
		return comparing(c.string(a), c.string(b))
	}
	c.unknown(a)
	return nil
}

func comparing[T cmp.Ordered](a, b fun[T]) fun[int64] {
	return func(f *frame) int64 { return int64(cmp.Compare(a(f), b(f))) }
}

// or makes cmp.Or, which evaluates all of its arguments.
func (c *compiler) or(list []*Expr) fun[int64] {
	of := c.int(list[0])
	for _, x := range list[1:] {
		a, b := of, c.int(x)
		of = func(f *frame) int64 {
			a, b := a(f), b(f)
			if a != 0 {
				return a
			}
			return b
		}
	}
	return of
}

// float makes what evaluates an expression of class Float; one of type float32 is
// rounded.
func (c *compiler) float(x *Expr) fun[float64] {
	if of := common(c, x, c.float, func(f *frame) []float64 { return f.floats }); of != nil {
		return of
	}
	single := kindOf(x.Type) == types.Float32
	if lies(x) {
		if at := c.place(x); single {
			return func(f *frame) float64 { return float64(*(*float32)(at(f))) }
		} else {
			return load[float64](at)
		}
	}
	switch x.Op {
	case Const:
		v := 0.0
		if x.Value != nil {
			v, _ = constant.Float64Val(x.Value)
			if single {
				s, _ := constant.Float32Val(x.Value)
				v = float64(s)
			}
		}
		return func(*frame) float64 { return v }
	case Convert:
		return rounded(single, c.number(x.Args[0], single))
	case Unary:
		if a := c.float(x.Args[0]); x.Token == token.SUB {
			return func(f *frame) float64 { return -a(f) }
		} else {
			return a
		}
	case Binary:
		a, b := c.float(x.Args[0]), c.float(x.Args[1])
		// Two float32 in float64 give the same when they are rounded at the end.
		switch x.Token {
		case token.ADD:
			return rounded(single, func(f *frame) float64 { return a(f) + b(f) })
		case token.SUB:
			return rounded(single, func(f *frame) float64 { return a(f) - b(f) })
		case token.MUL:
			return rounded(single, func(f *frame) float64 { return a(f) * b(f) })
		case token.QUO:
			return rounded(single, func(f *frame) float64 { return a(f) / b(f) })
		}
	}
	c.unknown(x)
	return nil
}

func rounded(single bool, a fun[float64]) fun[float64] {
	if !single {
		return a
	}
	return func(f *frame) float64 { return float64(float32(a(f))) }
}

// number makes a float of a number. An integer becomes a float32 at once: rounded
// twice it could be another.
func (c *compiler) number(x *Expr, single bool) fun[float64] {
	if ClassOf(x.Type) == Float {
		return c.float(x)
	}
	a := c.int(x)
	switch unsigned := isUnsigned(x.Type); {
	case unsigned && single:
		return func(f *frame) float64 { return float64(float32(uint64(a(f)))) }
	case unsigned:
		return func(f *frame) float64 { return float64(uint64(a(f))) }
	case single:
		return func(f *frame) float64 { return float64(float32(a(f))) }
	}
	return func(f *frame) float64 { return float64(a(f)) }
}

// string makes what evaluates an expression of class String.
func (c *compiler) string(x *Expr) fun[string] {
	if of := common(c, x, c.string, func(f *frame) []string { return f.strings }); of != nil {
		return of
	}
	if lies(x) {
		return load[string](c.place(x))
	}
	switch x.Op {
	case Const:
		v := ""
		if x.Value != nil {
			v = constant.StringVal(x.Value)
		}
		return func(*frame) string { return v }
	case Convert:
		if ClassOf(x.Args[0].Type) == String {
			return c.string(x.Args[0])
		}
	case Binary:
		a, b := c.string(x.Args[0]), c.string(x.Args[1])
		return func(f *frame) string { return a(f) + b(f) }
	}
	c.unknown(x)
	return nil
}

// mapElem makes what looks up a value in a map of plain keys and values; nil for other
// maps.
func mapElem[T any](c *compiler, x *Expr) fun[T] {
	switch c.form(x.Args[0].Type) {
	case reflect.TypeFor[map[string]T]():
		at, key := c.place(x.Args[0]), c.string(x.Args[1])
		return func(f *frame) T { return (*(*map[string]T)(at(f)))[key(f)] }
	case reflect.TypeFor[map[int]T]():
		at, key := c.place(x.Args[0]), c.int(x.Args[1])
		return func(f *frame) T { return (*(*map[int]T)(at(f)))[int(key(f))] }
	}
	return nil
}

// place makes what finds where the value of an expression lies.
func (c *compiler) place(x *Expr) fun[unsafe.Pointer] { return c.part(x, 0) }

// named reports whether a field of a struct of the library has the name that the
// types say: they are of one release of Go.
func named(t types.Type, i int, s reflect.Type) bool {
	u, ok := t.Underlying().(*types.Struct)
	return ok && i < u.NumFields() && u.Field(i).Name() == s.Field(i).Name
}

// part is place for what lies at an offset in the value.
func (c *compiler) part(x *Expr, offset uintptr) fun[unsafe.Pointer] {
	switch i := x.Index; x.Op {
	case Var:
		return func(f *frame) unsafe.Pointer { return unsafe.Add(f.vars[i], offset) }
	case Const: // nil
		zero := new([3]unsafe.Pointer)
		return func(f *frame) unsafe.Pointer { return unsafe.Pointer(zero) }
	case Field:
		s := c.form(x.Args[0].Type)
		if s.Kind() != reflect.Struct || i >= s.NumField() || s.PkgPath() != "" && !named(x.Args[0].Type, i, s) || !alike(s.Field(i).Type, c.form(x.Type)) {
			c.unknown(x)
			return nil
		}
		return c.part(x.Args[0], offset+s.Field(i).Offset)
	case Address:
		of := c.place(x.Args[0])
		return func(f *frame) unsafe.Pointer {
			p := of(f)
			return unsafe.Pointer(&p)
		}
	case Deref:
		at, t := c.place(x.Args[0]), c.form(x.Type)
		return func(f *frame) unsafe.Pointer {
			p := *(*unsafe.Pointer)(at(f))
			if p == nil {
				f.fail()
				p = reflect.New(t).UnsafePointer()
			}
			return unsafe.Add(p, offset)
		}
	case Elem:
		return c.elem(x, offset)
	case MapElem:
		at, t, key, elem := c.place(x.Args[0]), c.form(x.Args[0].Type), c.boxed(x.Args[1]), c.form(x.Type)
		return func(f *frame) unsafe.Pointer {
			v := reflect.New(elem)
			if e := reflect.NewAt(t, at(f)).Elem().MapIndex(key(f)); e.IsValid() {
				v.Elem().Set(e)
			}
			return unsafe.Add(v.UnsafePointer(), offset)
		}
	}
	at := common(c, x, c.place, func(f *frame) []unsafe.Pointer { return f.places })
	if at == nil {
		c.unknown(x)
	}
	return func(f *frame) unsafe.Pointer { return unsafe.Add(at(f), offset) }
}

// elem is part of an element of a slice or an array.
func (c *compiler) elem(x *Expr, offset uintptr) fun[unsafe.Pointer] {
	at, index, t := c.place(x.Args[0]), c.int(x.Args[1]), c.form(x.Type)
	size := t.Size()
	length := int64(-1)
	if a, ok := x.Args[0].Type.Underlying().(*types.Array); ok {
		length = a.Len()
	}
	return func(f *frame) unsafe.Pointer {
		base, i, n := at(f), index(f), length
		if n < 0 {
			s := *(*[]byte)(base) // of another type: only its address and length are right
			base, n = unsafe.Pointer(unsafe.SliceData(s)), int64(len(s))
		}
		if uint64(i) >= uint64(n) {
			f.fail()
			return unsafe.Add(reflect.New(t).UnsafePointer(), offset)
		}
		return unsafe.Add(base, uintptr(i)*size+offset)
	}
}

// boxed makes what evaluates a key of a map.
func (c *compiler) boxed(x *Expr) fun[reflect.Value] {
	switch t := c.form(x.Type); ClassOf(x.Type) {
	case Bool:
		return box(c.bool(x), t)
	case Int:
		return box(c.int(x), t)
	case Float:
		return box(c.float(x), t)
	case String:
		return box(c.string(x), t)
	}
	c.unknown(x)
	return nil
}

func box[T any](v fun[T], t reflect.Type) fun[reflect.Value] {
	return func(f *frame) reflect.Value { return reflect.ValueOf(v(f)).Convert(t) }
}
