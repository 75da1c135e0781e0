package runtime

import (
	"container/heap"
	"reflect"
	"slices"
	"sort"

	"github.com/usetools/usetools/harness/internal/native"
)

// comparison returns comparison number of the program, bound to the values of its
// variables. It returns nil if the interpreter must compare.
func (m *Machine) comparison(number int, values []any) (less func(i, j int) bool) {
	code, ok := m.natives.Load(number)
	if !ok {
		made, err := native.Compile(m.cfg.Natives[number], m.Reflect)
		if err != nil {
			made = nil
		}
		code, _ = m.natives.LoadOrStore(number, made)
	}
	if made := code.(*native.Code); made != nil {
		less, _ = made.Bind(values)
	}
	return less
}

// nativeSymbols adds to a table of symbols the functions that order slices by a comparison
// of package native. They return false, with nothing changed, if the interpreter must order
// the slice.
func (m *Machine) nativeSymbols(table map[string]any) {
	table["SortBy"], table["SortStableBy"] = m.sortBy(sort.Slice), m.sortBy(sort.SliceStable)
	table["HeapOrder"] = func(number int, x any, values ...any) bool {
		return m.inHeap(number, x, reflect.ValueOf(x).Len(), values, func(h heap.Interface) { heap.Init(h) })
	}
	table["HeapFix"] = func(number int, x any, i, n int, values ...any) bool {
		return i >= 0 && i < n && m.inHeap(number, x, n, values, func(h heap.Interface) { heap.Fix(h, i) })
	}
}

func (m *Machine) sortBy(sorts func(x any, less func(i, j int) bool)) any {
	return func(number int, x any, values ...any) (ok bool) {
		less := m.comparison(number, values)
		if less == nil {
			return false
		}
		v := reflect.ValueOf(x)
		before := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(before, v)
		defer func() {
			if recover() != nil {
				reflect.Copy(v, before)
				ok = false
			}
		}()
		sorts(x, less)
		return true
	}
}

// A comparedHeap is the first n elements of a slice.
type comparedHeap struct {
	heap.Interface // never used
	n              int
	less           func(i, j int) bool
	swap           func(i, j int)
	swapped        [][2]int
}

func (h *comparedHeap) Len() int           { return h.n }
func (h *comparedHeap) Less(i, j int) bool { return h.less(i, j) }
func (h *comparedHeap) Swap(i, j int) {
	h.swap(i, j)
	h.swapped = append(h.swapped, [2]int{i, j})
}

// inHeap moves elements of a heap of the first n elements of the slice x.
func (m *Machine) inHeap(number int, x any, n int, values []any, move func(heap.Interface)) (ok bool) {
	h := &comparedHeap{n: n, less: m.comparison(number, values)}
	if h.less == nil || n > reflect.ValueOf(x).Len() {
		return false
	}
	h.swap = reflect.Swapper(x)
	defer func() {
		if recover() != nil {
			for _, s := range slices.Backward(h.swapped) {
				h.swap(s[0], s[1])
			}
			ok = false
		}
	}()
	move(h)
	return true
}
