package runtime

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
)

// Sorting of slices whose element types are known only to reflect. Comparisons and swaps
// are in the order of package slices.

// sortOrdered is slices.Sort.
func sortOrdered(x any) {
	switch x := x.(type) {
	case []int:
		slices.Sort(x)
	case []string:
		slices.Sort(x)
	case []float64:
		slices.Sort(x)
	default:
		v := reflect.ValueOf(x)
		sort.Slice(x, func(i, j int) bool { return lessOrdered(v.Index(i), v.Index(j)) })
	}
}

func lessOrdered(a, b reflect.Value) bool {
	switch {
	case a.CanInt():
		return a.Int() < b.Int()
	case a.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat():
		return cmp.Less(a.Float(), b.Float())
	}
	return a.String() < b.String()
}

// sortFunc is slices.SortFunc.
func sortFunc(x, f any) { sort.Slice(x, lessBy(x, f)) }

// sortStableFunc is slices.SortStableFunc.
func sortStableFunc(x, f any) { sort.SliceStable(x, lessBy(x, f)) }

// lessBy compares elements of x by f, a func(E, E) int.
func lessBy(x, f any) func(i, j int) bool {
	v, compare := reflect.ValueOf(x), reflect.ValueOf(f)
	return func(i, j int) bool {
		if compare.IsNil() {
			badNil()
		}
		return compare.Call([]reflect.Value{v.Index(i), v.Index(j)})[0].Int() < 0
	}
}
