package embed

// dot is most of the cost of answering a phrase, so it uses the vector unit that every amd64
// processor has (SSE2): 12 ns instead of 80 for 192 dimensions.
func dot(q []int16, row string) int32 {
	n := min(len(q), len(row)) &^ 15
	if n == 0 {
		return dotGo(q, row)
	}
	return dotSSE2(q[:n], row) + dotGo(q[n:], row[n:])
}

// dotSSE2 is dotGo over all of q. The length of q must be a positive multiple of 16 and at most
// that of row.
//
//go:noescape
func dotSSE2(q []int16, row string) int32

// add is most of the cost of indexing a text.
func add(sum []float32, row string, scale float32) {
	n := min(len(sum), len(row)) &^ 15
	if n > 0 {
		addSSE2(sum[:n], row, scale)
	}
	addGo(sum[n:], row[n:], scale)
}

// addSSE2 is addGo over all of sum. The length of sum must be a positive multiple of 16 and at
// most that of row.
//
//go:noescape
func addSSE2(sum []float32, row string, scale float32)
