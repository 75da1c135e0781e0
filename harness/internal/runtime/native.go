package runtime

import (
	"reflect"
	"sort"
	"sync"
	"unsafe"

	"github.com/usetools/usetools/harness/internal/native"
)

// Functions of the library that call a function of the script that package native may
// have as closures: its number comes first, and what it captures last.

// native returns such a function with what it captures; nil where the interpreter is
// to run it.
func (m *Machine) native(number int, captured []any) *native.Call {
	code, ok := m.natives.Load(number)
	if !ok {
		made, err := native.Compile(m.cfg.Natives[number], m.Reflect)
		if err != nil {
			made = nil
		}
		code, _ = m.natives.LoadOrStore(number, made)
	}
	if made := code.(*native.Code); made != nil {
		return made.Bind(captured)
	}
	return nil
}

// nativeSymbols adds the functions to a table of symbols.
func (m *Machine) nativeSymbols(table map[string]any) {
	table["NativeIndices"] = func(number int, slow func(i, j int) bool, captured ...any) func(i, j int) bool {
		return native.Func2(m.native(number, captured), slow)
	}
	table["NativeIndex"] = callback[int, bool](m)
	table["NativeRune"], table["NativeMap"] = callback[rune, bool](m), callback[rune, rune](m)
	table["Dispatcher"] = func(k int, f any) { m.dispatcher(k).slow = reflect.ValueOf(f) }
	table["NativeMethod"] = func(number, k, id int, captured ...any) {
		m.dispatcher(k).of[id] = &method{number: number, captured: captured}
	}
	table["MethodBool"], table["MethodInt"] = callMethod[bool](m), callMethod[int](m)
	table["MethodFloat"], table["MethodString"] = callMethod[float64](m), callMethod[string](m)
	sorting := func(sorts func(x any, less func(i, j int) bool)) any {
		return func(number int, x, f any, captured ...any) {
			at, _ := slots(x)
			compare := native2[int](m, number, f, captured)
			sorts(x, func(i, j int) bool { return compare(at(i), at(j)) < 0 })
		}
	}
	table["NativeSort"], table["NativeSortStable"] = sorting(sort.Slice), sorting(sort.SliceStable)
	table["NativeBinarySearch"] = func(number int, x, target, f any, captured ...any) (int, bool) {
		at, n := slots(x)
		compare := native2[int](m, number, f, captured)
		t := reflect.New(reflect.TypeOf(f).In(1))
		t.Elem().Set(reflect.ValueOf(target))
		i := sort.Search(n, func(i int) bool { return compare(at(i), t.UnsafePointer()) >= 0 })
		return i, i < n && compare(at(i), t.UnsafePointer()) == 0
	}
	index := func(number int, x, f any, captured ...any) int {
		at, n := slots(x)
		is := native2[bool](m, number, f, captured)
		for i := range n {
			if is(at(i), nil) {
				return i
			}
		}
		return -1
	}
	table["NativeIndexFunc"] = index
	table["NativeContainsFunc"] = func(number int, x, f any, captured ...any) bool {
		return index(number, x, f, captured...) >= 0
	}
	table["NativeDelete"] = func(number int, x, f any, captured ...any) int {
		at, n := slots(x)
		is, v, kept := native2[bool](m, number, f, captured), reflect.ValueOf(x), 0
		for i := range n {
			if !is(at(i), nil) {
				if kept < i {
					v.Index(kept).Set(v.Index(i))
				}
				kept++
			}
		}
		v.Slice(kept, n).Clear()
		return kept
	}
	extreme := func(name string, sign int) any {
		return func(number int, x, f any, captured ...any) int {
			at, n := slots(x)
			if n == 0 {
				panic("slices." + name + ": empty list")
			}
			compare, best := native2[int](m, number, f, captured), 0
			for i := 1; i < n; i++ {
				if c := compare(at(i), at(best)); sign < 0 && c < 0 || sign > 0 && c > 0 {
					best = i
				}
			}
			return best
		}
	}
	table["NativeSortBy"] = func(number int, x, less, swap any, captured ...any) {
		sort.Sort(m.sorter(number, x, less, swap, captured))
	}
	table["NativeStableBy"] = func(number int, x, less, swap any, captured ...any) {
		sort.Stable(m.sorter(number, x, less, swap, captured))
	}
	table["NativeRise"] = func(number int, x, less, swap any, i int, captured ...any) {
		m.sorter(number, x, less, swap, captured).rise(i)
	}
	table["NativeSink"] = func(number int, x, less, swap any, i, n int, captured ...any) bool {
		return m.sorter(number, x, less, swap, captured).sink(i, n)
	}
	table["NativeMin"], table["NativeMax"] = extreme("MinFunc", -1), extreme("MaxFunc", 1)
}

// callback returns the function that makes one of one parameter native.
func callback[A, R any](m *Machine) any {
	return func(number int, slow func(A) R, captured ...any) func(A) R {
		return native.Func1(m.native(number, captured), slow)
	}
}

// slots returns where the elements of a slice lie, and how many there are.
func slots(x any) (at func(i int) unsafe.Pointer, n int) {
	v := reflect.ValueOf(x)
	base, size := v.UnsafePointer(), v.Type().Elem().Size()
	return func(i int) unsafe.Pointer { return unsafe.Add(base, uintptr(i)*size) }, v.Len()
}

// native2 is a function f of one or two parameters that gets their addresses.
func native2[R any](m *Machine, number int, f any, captured []any) func(a, b unsafe.Pointer) R {
	fn := reflect.ValueOf(f)
	return native.Places(m.native(number, captured), func(a, b unsafe.Pointer) R {
		args := []reflect.Value{reflect.NewAt(fn.Type().In(0), a).Elem()}
		if fn.Type().NumIn() > 1 {
			args = append(args, reflect.NewAt(fn.Type().In(1), b).Elem())
		}
		return fn.Call(args)[0].Interface().(R)
	})
}

// A dispatcher is a method of an interface of the script.
type dispatcher struct {
	of   map[int]*method // by the numbers of types
	slow reflect.Value   // the dispatch function
}

// A method is that of one type.
type method struct {
	number   int
	captured []any
	free     sync.Pool // of *receiver[R]
}

// A receiver is a method that one goroutine calls.
type receiver[R any] struct {
	call   func(a, b unsafe.Pointer) R // nil: there is none
	direct bool                        // an interface has the value itself, and not its address
	value  unsafe.Pointer
	failed bool
}

// dispatcher returns that of a number. All are made before anything of the script runs.
func (m *Machine) dispatcher(k int) *dispatcher {
	if m.methods[k] == nil {
		m.methods[k] = &dispatcher{of: map[int]*method{}}
	}
	return m.methods[k]
}

// callMethod returns a function that calls a method of x.
func callMethod[R any](m *Machine) func(k int, x any) R {
	return func(k int, x any) R {
		d := m.methods[k]
		if t := m.known(x); t != nil && d.of[t.number] != nil {
			of := d.of[t.number]
			r, _ := of.free.Get().(*receiver[R])
			if r == nil {
				r = newReceiver[R](m, of, t)
			}
			result, ok := r.of(x)
			of.free.Put(r)
			if ok {
				return result
			}
		}
		v := reflect.New(d.slow.Type().In(0)).Elem()
		if x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return d.slow.Call([]reflect.Value{v})[0].Interface().(R)
	}
}

func newReceiver[R any](m *Machine, of *method, t *Type) *receiver[R] {
	r := &receiver[R]{direct: dataOf(reflect.Zero(t.form()).Interface()) == nil}
	if c := m.native(of.number, of.captured); c != nil {
		r.call = native.Places(c, func(_, _ unsafe.Pointer) (none R) {
			r.failed = true
			return none
		})
	}
	return r
}

// of calls the method of x; ok is false where it fails.
func (r *receiver[R]) of(x any) (result R, ok bool) {
	if r.call == nil {
		return result, false
	}
	at := dataOf(x)
	if r.direct {
		r.value = at
		at = unsafe.Pointer(&r.value)
	}
	r.failed = false
	result = r.call(at, nil)
	return result, !r.failed
}

// A sorter is a slice with the methods of a type of the script.
type sorter struct {
	n    int
	less func(i, j int) bool
	swap func(i, j int)
}

func (s *sorter) Len() int           { return s.n }
func (s *sorter) Less(i, j int) bool { return s.less(i, j) }
func (s *sorter) Swap(i, j int)      { s.swap(i, j) }

// sorter makes one of the slice x and its methods, functions of the receiver, or a
// pointer to it, and two indices.
func (m *Machine) sorter(number int, x, less, swap any, captured []any) *sorter {
	v := reflect.ValueOf(x)
	call := func(f any, i, j int) []reflect.Value {
		fn, recv := reflect.ValueOf(f), v
		if fn.Type().In(0).Kind() == reflect.Pointer {
			recv = reflect.New(v.Type())
			recv.Elem().Set(v)
		}
		return fn.Call([]reflect.Value{recv, reflect.ValueOf(i), reflect.ValueOf(j)})
	}
	quick, n := reflect.Swapper(x), v.Len()
	slow := func(i, j int) bool { return call(less, i, j)[0].Bool() }
	return &sorter{n, native.Func2(m.native(number, append([]any{x}, captured...)), slow),
		func(i, j int) {
			if uint(i) >= uint(n) || uint(j) >= uint(n) {
				call(swap, i, j) // panics
			}
			quick(i, j)
		}}
}

// rise and sink are those of the source of container/heap in package source.
func (s *sorter) rise(i int) {
	for {
		parent := (i - 1) / 2
		if parent == i || !s.less(i, parent) {
			return
		}
		s.swap(parent, i)
		i = parent
	}
}

func (s *sorter) sink(i, n int) bool {
	from := i
	for {
		child := 2*i + 1
		if child >= n || child < 0 {
			return i > from
		}
		if right := child + 1; right < n && s.less(right, child) {
			child = right
		}
		if !s.less(child, i) {
			return i > from
		}
		s.swap(i, child)
		i = child
	}
}
