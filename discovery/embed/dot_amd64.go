package embed

import "unsafe"

// dot is most of what answering a phrase costs, so it uses the vector unit
// that every amd64 processor has (SSE2): 12 ns instead of 80 for 192
// dimensions.
func dot(q []int16, row string) int32 {
	n := min(len(q), len(row)) &^ 15
	if n == 0 {
		return dotGo(q, row)
	}
	return dotSSE2(unsafe.SliceData(q), unsafe.StringData(row), n) + dotGo(q[n:], row[n:])
}

// dotSSE2 is dotGo over the first n elements, a positive multiple of 16.
//
//go:noescape
func dotSSE2(q *int16, row *byte, n int) int32

// add is most of what indexing a text costs.
func add(sum []float32, row string, scale float32) {
	n := min(len(sum), len(row)) &^ 15
	if n > 0 {
		addSSE2(unsafe.SliceData(sum), unsafe.StringData(row), n, scale)
	}
	addGo(sum[n:], row[n:], scale)
}

// addSSE2 is addGo over the first n elements, a positive multiple of 16.
//
//go:noescape
func addSSE2(sum *float32, row *byte, n int, scale float32)
