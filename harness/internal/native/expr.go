package native

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// expr makes an Expr of type t from operands.
func expr(t types.Type, code func(m *maker, args []eval) eval, args ...*Expr) *Expr {
	Require(ClassOf(t) != Unknown)
	x := &Expr{Type: t}
	for _, a := range args {
		x.Fails = x.Fails || a.Fails
	}
	x.code = func(m *maker) eval {
		made := make([]eval, len(args))
		for i, a := range args {
			made[i] = a.code(m)
		}
		return code(m, made)
	}
	return x
}

// failing marks an Expr as one that may panic.
func failing(x *Expr) *Expr {
	x.Fails = true
	return x
}

// Index returns the index of the first (0) or second (1) element.
func Index(which int) *Expr {
	return expr(types.Typ[types.Int], func(*maker, []eval) eval {
		return eval{n: func(f *frame) int64 { return int64(f.indices[which]) }}
	})
}

// Variable returns variable i of the Func, of type t.
func Variable(i int, t types.Type) *Expr {
	return expr(t, func(*maker, []eval) eval {
		return load(t, func(f *frame) unsafe.Pointer { return f.vars[i] })
	})
}

// Const returns a constant. If c is nil, it is the zero value.
func Const(t types.Type, c constant.Value) *Expr {
	var n int64
	var float float64
	var s string
	switch class := ClassOf(t); {
	case class == Place:
		Require(c == nil)
	case c == nil:
	case class == Bool && constant.BoolVal(c):
		n = 1
	case class == Int:
		integer := constant.ToInt(c)
		i, exact := constant.Int64Val(integer)
		if !exact {
			u, _ := constant.Uint64Val(integer)
			i = int64(u)
		}
		n = i
	case class == Float && kindOf(t) == types.Float32:
		single, _ := constant.Float32Val(c)
		float = float64(single)
	case class == Float:
		float, _ = constant.Float64Val(c)
	case class == String:
		s = constant.StringVal(c)
	}
	zero := unsafe.Pointer(new([3]unsafe.Pointer))
	x := expr(t, func(*maker, []eval) eval {
		return eval{func(*frame) int64 { return n }, func(*frame) float64 { return float },
			func(*frame) string { return s }, func(*frame) unsafe.Pointer { return zero }}
	})
	x.IsNil = ClassOf(t) == Place
	return x
}

// Before evaluates first, if it may panic, and then x.
func Before(first, x *Expr) *Expr {
	if !first.Fails {
		return x
	}
	return expr(x.Type, func(_ *maker, args []eval) eval {
		a, b := args[0], args[1]
		run := func(f *frame) { a.p(f) }
		switch ClassOf(first.Type) {
		case Bool, Int:
			run = func(f *frame) { a.n(f) }
		case Float:
			run = func(f *frame) { a.f(f) }
		case String:
			run = func(f *frame) { a.s(f) }
		}
		return eval{before(run, b.n), before(run, b.f), before(run, b.s), before(run, b.p)}
	}, first, x)
}

func before[T any](run func(*frame), x fun[T]) fun[T] {
	return func(f *frame) T {
		run(f)
		return x(f)
	}
}

// Cond returns then if is is true, otherwise other.
func Cond(is, then, other *Expr) *Expr {
	return expr(then.Type, func(_ *maker, args []eval) eval {
		is, a, b := args[0].n, args[1], args[2]
		return eval{cond(is, a.n, b.n), cond(is, a.f, b.f), cond(is, a.s, b.s), cond(is, a.p, b.p)}
	}, is, then, other)
}

func cond[T any](is fun[int64], then, other fun[T]) fun[T] {
	return func(f *frame) T {
		if is(f) != 0 {
			return then(f)
		}
		return other(f)
	}
}

// Field returns field i of the struct x.
func Field(x *Expr, i int) *Expr {
	s, ok := x.Type.Underlying().(*types.Struct)
	Require(ok)
	t := s.Field(i).Type()
	return expr(t, func(m *maker, args []eval) eval {
		of, form := args[0].p, m.form(x.Type)
		// A struct of the library may have different fields in another release of Go.
		ok := form.Kind() == reflect.Struct && i < form.NumField() &&
			(form.PkgPath() == "" || form.Field(i).Name == s.Field(i).Name()) && sameMemory(form.Field(i).Type, m.form(t))
		if m.require(ok, x.Type); !ok {
			return eval{}
		}
		offset := form.Field(i).Offset
		return load(t, func(f *frame) unsafe.Pointer { return unsafe.Add(of(f), offset) })
	}, x)
}

// Deref returns the value that the pointer x points to.
func Deref(x *Expr) *Expr {
	p, ok := x.Type.Underlying().(*types.Pointer)
	Require(ok)
	return failing(expr(p.Elem(), func(_ *maker, args []eval) eval {
		of := args[0].p
		return load(p.Elem(), func(f *frame) unsafe.Pointer {
			at := *(*unsafe.Pointer)(of(f))
			if at == nil {
				panic(errFailed)
			}
			return at
		})
	}, x))
}

// Elem returns x[i] of a slice, array, string or map.
func Elem(x, i *Expr) *Expr {
	switch u := x.Type.Underlying().(type) {
	case *types.Basic:
		return failing(expr(types.Typ[types.Byte], func(_ *maker, args []eval) eval {
			s, i := args[0].s, args[1].n
			return eval{n: func(f *frame) int64 { return int64(s(f)[i(f)]) }}
		}, x, i))
	case *types.Slice:
		return elem(u.Elem(), -1, x, i)
	case *types.Array:
		return elem(u.Elem(), u.Len(), x, i)
	case *types.Map:
		class := ClassOf(i.Type)
		Require(class == ClassOf(u.Key()) && (class == String || class == Int))
		return mapElem(u.Elem(), x, i)
	}
	panic(ErrUnfit)
}

// elem returns x[i] of an array of this length, or of a slice if length is negative.
func elem(t types.Type, length int64, x, i *Expr) *Expr {
	return failing(expr(t, func(m *maker, args []eval) eval {
		of, i, size := args[0].p, args[1].n, m.form(t).Size()
		return load(t, func(f *frame) unsafe.Pointer {
			base, i, n := of(f), i(f), length
			if n < 0 {
				s := *(*[]byte)(base) // its type is wrong; only its address and length are used
				base, n = unsafe.Pointer(unsafe.SliceData(s)), int64(len(s))
			}
			if uint64(i) >= uint64(n) {
				panic(errFailed)
			}
			return unsafe.Add(base, uintptr(i)*size)
		})
	}, x, i))
}

// mapElem returns an element of a map whose keys are strings or integers.
func mapElem(t types.Type, x, key *Expr) *Expr {
	return expr(t, func(m *maker, args []eval) eval {
		of, key, form, isText := args[0].p, args[1], m.form(x.Type), ClassOf(key.Type) == String
		switch form {
		case reflect.TypeFor[map[string]int]():
			return eval{n: func(f *frame) int64 { return int64((*(*map[string]int)(of(f)))[key.s(f)]) }}
		case reflect.TypeFor[map[string]float64]():
			return eval{f: func(f *frame) float64 { return (*(*map[string]float64)(of(f)))[key.s(f)] }}
		case reflect.TypeFor[map[int]int]():
			return eval{n: func(f *frame) int64 { return int64((*(*map[int]int)(of(f)))[int(key.n(f))]) }}
		}
		if m.require(form.Kind() == reflect.Map, x.Type); m.err != nil {
			return eval{}
		}
		return load(t, func(f *frame) unsafe.Pointer {
			v, k := reflect.New(form.Elem()), reflect.Value{}
			if isText {
				k = reflect.ValueOf(key.s(f))
			} else {
				k = reflect.ValueOf(key.n(f))
			}
			if e := reflect.NewAt(form, of(f)).Elem().MapIndex(k.Convert(form.Key())); e.IsValid() {
				v.Elem().Set(e)
			}
			return v.UnsafePointer()
		})
	}, x, key)
}

// Len returns the length of a string, slice or map.
func Len(x *Expr) *Expr {
	return expr(types.Typ[types.Int], func(m *maker, args []eval) eval {
		s, at := args[0].s, args[0].p
		switch u := x.Type.Underlying().(type) {
		case *types.Basic:
			return eval{n: func(f *frame) int64 { return int64(len(s(f))) }}
		case *types.Slice:
			return eval{n: func(f *frame) int64 { return int64(len(*(*[]struct{})(at(f)))) }}
		case *types.Map:
			form := m.form(u)
			return eval{n: func(f *frame) int64 { return int64(reflect.NewAt(form, at(f)).Elem().Len()) }}
		}
		m.require(false, x.Type)
		return eval{}
	}, x)
}

// Convert returns x converted to type t. A conversion that changes bits of the value is
// unfit, except between int or int64 and float64.
func Convert(x *Expr, t types.Type) *Expr {
	same := func(_ *maker, args []eval) eval { return args[0] }
	switch from, to := ClassOf(x.Type), ClassOf(t); {
	case from == Place && to == Place && (x.IsNil || SameLayout(x.Type, t)):
	case from == to && from != Place && from != Unknown && (kindOf(x.Type) == kindOf(t) || from == Bool || from == String || is64(t)):
	case from == Int && to == Float && is64(t) && !isUnsigned(x.Type):
		same = func(_ *maker, args []eval) eval {
			n := args[0].n
			return eval{f: func(f *frame) float64 { return float64(n(f)) }}
		}
	case from == Float && to == Int && isWhole(t):
		same = func(_ *maker, args []eval) eval {
			a := args[0].f
			return eval{n: func(f *frame) int64 { return int64(a(f)) }}
		}
	default:
		panic(ErrUnfit)
	}
	return expr(t, same, x)
}

// SameLayout reports whether two types of class Place have the same memory layout.
func SameLayout(a, b types.Type) bool {
	return isPointer(a) && isPointer(b) || types.IdenticalIgnoreTags(a.Underlying(), b.Underlying())
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func kindOf(t types.Type) types.BasicKind { return t.Underlying().(*types.Basic).Kind() }

// isWhole reports whether values of t are signed 64-bit integers.
func isWhole(t types.Type) bool {
	switch kindOf(t) {
	case types.Int, types.Int64, types.UntypedInt:
		return true
	}
	return false
}

// is64 reports whether values of t are 64-bit numbers.
func is64(t types.Type) bool {
	switch kindOf(t) {
	case types.Uint, types.Uint64, types.Uintptr, types.Float64, types.UntypedFloat:
		return true
	}
	return isWhole(t)
}

func isUnsigned(t types.Type) bool {
	return t.Underlying().(*types.Basic).Info()&types.IsUnsigned != 0
}

// load returns an eval that reads the value of type t at an address.
func load(t types.Type, at fun[unsafe.Pointer]) eval {
	if ClassOf(t) == Place {
		return eval{p: at}
	}
	switch kindOf(t) {
	case types.Int8:
		return integer[int8](at)
	case types.Int16:
		return integer[int16](at)
	case types.Int32, types.UntypedRune:
		return integer[int32](at)
	case types.Bool, types.UntypedBool, types.Uint8:
		return integer[uint8](at)
	case types.Uint16:
		return integer[uint16](at)
	case types.Uint32:
		return integer[uint32](at)
	case types.Int, types.Uint, types.Uintptr:
		return integer[int](at)
	case types.Float32:
		return eval{f: func(f *frame) float64 { return float64(*(*float32)(at(f))) }}
	case types.Float64, types.UntypedFloat:
		return eval{f: func(f *frame) float64 { return *(*float64)(at(f)) }}
	case types.String, types.UntypedString:
		return eval{s: func(f *frame) string { return *(*string)(at(f)) }}
	}
	return integer[int64](at)
}

func integer[T int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](at fun[unsafe.Pointer]) eval {
	return eval{n: func(f *frame) int64 { return int64(*(*T)(at(f))) }}
}

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// Unary returns op x.
func Unary(op token.Token, x *Expr) *Expr {
	switch class := ClassOf(x.Type); {
	case op == token.ADD:
		return x
	case op == token.NOT:
		return Cond(x, Const(x.Type, constant.MakeBool(false)), Const(x.Type, constant.MakeBool(true)))
	case op == token.SUB && class == Float: // not 0 - x, which differs in the sign of 0
		return Binary(token.MUL, x.Type, Const(x.Type, constant.MakeInt64(-1)), x)
	case op == token.SUB:
		return Binary(token.SUB, x.Type, Const(x.Type, nil), x)
	}
	panic(ErrUnfit)
}

// Binary returns a op b, of type t.
func Binary(op token.Token, t types.Type, a, b *Expr) *Expr {
	class := ClassOf(a.Type)
	Require(class == ClassOf(b.Type))
	switch op {
	case token.EQL, token.LSS, token.LEQ:
		return comparison(op, t, a, b)
	case token.GTR:
		return Binary(token.LSS, t, b, a)
	case token.GEQ:
		return Binary(token.LEQ, t, b, a)
	case token.NEQ:
		return Unary(token.NOT, Binary(token.EQL, t, a, b))
	case token.LAND:
		return Cond(a, b, Const(t, constant.MakeBool(false)))
	case token.LOR:
		return Cond(a, Const(t, constant.MakeBool(true)), b)
	}
	switch op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM:
	default:
		panic(ErrUnfit) // few comparisons shift or mask
	}
	Require(class == String && op == token.ADD || class == Float && is64(t) || class == Int && isWhole(t))
	x := expr(t, func(m *maker, args []eval) eval {
		a, b := args[0], args[1]
		switch {
		case class == String:
			return eval{s: func(f *frame) string { return a.s(f) + b.s(f) }}
		case class == Float:
			return eval{f: arithmetic(op, a.f, b.f)}
		}
		if op == token.REM {
			return eval{n: func(f *frame) int64 { return a.n(f) % b.n(f) }}
		}
		return eval{n: arithmetic(op, a.n, b.n)}
	}, a, b)
	x.Fails = x.Fails || class == Int && (op == token.QUO || op == token.REM)
	return x
}

func arithmetic[T int64 | float64](op token.Token, a, b fun[T]) fun[T] {
	switch op {
	case token.ADD:
		return func(f *frame) T { return a(f) + b(f) }
	case token.SUB:
		return func(f *frame) T { return a(f) - b(f) }
	case token.MUL:
		return func(f *frame) T { return a(f) * b(f) }
	}
	return func(f *frame) T { return a(f) / b(f) }
}

// Compare returns cmp.Compare(a, b), of type t.
func Compare(t types.Type, a, b *Expr) *Expr { return comparison(token.SUB, t, a, b) }

// comparison compares two values by ==, < or <=, or, for op SUB, like cmp.Compare.
func comparison(op token.Token, t types.Type, x, y *Expr) *Expr {
	class := ClassOf(x.Type)
	Require(class != Place || op == token.EQL && (x.IsNil || y.IsNil || isPointer(x.Type)))
	return expr(t, func(_ *maker, args []eval) eval {
		a, b := args[0], args[1]
		switch {
		case class == Place: // slices and maps are compared with nil: the first word decides
			return eval{n: func(f *frame) int64 { return truth(*(*unsafe.Pointer)(a.p(f)) == *(*unsafe.Pointer)(b.p(f))) }}
		case class == Float:
			return eval{n: ordered(op, a.f, b.f)}
		case class == String:
			return eval{n: ordered(op, a.s, b.s)}
		case class == Int && isUnsigned(x.Type):
			return eval{n: ordered(op, unsigned(a.n), unsigned(b.n))}
		}
		return eval{n: ordered(op, a.n, b.n)}
	}, x, y)
}

func unsigned(a fun[int64]) fun[uint64] { return func(f *frame) uint64 { return uint64(a(f)) } }

func ordered[T cmp.Ordered](op token.Token, a, b fun[T]) fun[int64] {
	switch op {
	case token.EQL:
		return func(f *frame) int64 { return truth(a(f) == b(f)) }
	case token.LSS:
		return func(f *frame) int64 { return truth(a(f) < b(f)) }
	case token.LEQ:
		return func(f *frame) int64 { return truth(a(f) <= b(f)) }
	}
	return func(f *frame) int64 { return int64(cmp.Compare(a(f), b(f))) }
}

// Or returns cmp.Or(a, b) of integers. It evaluates both.
func Or(a, b *Expr) *Expr {
	Require(ClassOf(a.Type) == Int)
	return expr(a.Type, func(_ *maker, args []eval) eval {
		a, b := args[0].n, args[1].n
		return eval{n: func(f *frame) int64 { return cmp.Or(a(f), b(f)) }}
	}, a, b)
}

// library has the library functions, of one or two values, that an Expr may call.
var library = map[string]func(a, b eval) eval{
	"strings.ToLower":   text(strings.ToLower),
	"strings.ToUpper":   text(strings.ToUpper),
	"strings.TrimSpace": text(strings.TrimSpace),
	"strings.Contains":  texts(strings.Contains),
	"strings.HasPrefix": texts(strings.HasPrefix),
	"strings.HasSuffix": texts(strings.HasSuffix),
	"strings.EqualFold": texts(strings.EqualFold),

	"(time.Time).After":   times(func(a, b *time.Time) int64 { return truth(a.After(*b)) }),
	"(time.Time).Before":  times(func(a, b *time.Time) int64 { return truth(a.Before(*b)) }),
	"(time.Time).Equal":   times(func(a, b *time.Time) int64 { return truth(a.Equal(*b)) }),
	"(time.Time).Compare": times(func(a, b *time.Time) int64 { return int64(a.Compare(*b)) }),

	"math.Abs": func(a, _ eval) eval { return eval{f: func(f *frame) float64 { return math.Abs(a.f(f)) }} },
	"unicode/utf8.RuneCountInString": func(a, _ eval) eval {
		return eval{n: func(f *frame) int64 { return int64(utf8.RuneCountInString(a.s(f))) }}
	},
}

func text(of func(string) string) func(a, b eval) eval {
	return func(a, _ eval) eval { return eval{s: func(f *frame) string { return of(a.s(f)) }} }
}

func texts(of func(a, b string) bool) func(a, b eval) eval {
	return func(a, b eval) eval { return eval{n: func(f *frame) int64 { return truth(of(a.s(f), b.s(f))) }} }
}

func times(of func(a, b *time.Time) int64) func(a, b eval) eval {
	return func(a, b eval) eval {
		return eval{n: func(f *frame) int64 { return of((*time.Time)(a.p(f)), (*time.Time)(b.p(f))) }}
	}
}

// Library returns a call of the library function with this full name, with a result of type
// t.
func Library(name string, t types.Type, args ...*Expr) *Expr {
	of := library[name]
	Require(of != nil && (len(args) == 1 || len(args) == 2))
	x, y := args[0], args[len(args)-1]
	return expr(t, func(m *maker, args []eval) eval {
		for _, x := range []*Expr{x, y} {
			if ClassOf(x.Type) == Place {
				m.require(m.form(x.Type) == reflect.TypeFor[time.Time](), x.Type)
			}
		}
		return of(args[0], args[1])
	}, x, y)
}
