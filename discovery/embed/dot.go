package embed

import (
	"math"
	"slices"
)

// Probe is a vector prepared for [Model.Dot], as 16-bit integers. Their products with the rows'
// 8-bit integers are faster than those of floats.
type Probe struct {
	q     []int16
	scale float32
}

// Probe prepares v, which has Dimensions elements. It reuses the memory of reuse, which may be
// zero.
func (m *Model) Probe(v []float32, reuse Probe) Probe {
	var largest float32
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	p := Probe{q: slices.Grow(reuse.q[:0], len(v))[:len(v)], scale: largest / math.MaxInt16}
	if largest == 0 {
		clear(p.q)
		return p
	}
	for i, x := range v {
		p.q[i] = int16(math.RoundToEven(float64(x / p.scale)))
	}
	return p
}

// Dot returns the dot product of the probe's vector with the row of token t. The error is at most
// about 1e-5 of the product of their lengths.
func (m *Model) Dot(p Probe, t Token) float32 {
	return p.scale * m.scale[t] * float32(dot(p.q, m.row(t)))
}

// dotGo returns the dot product of q and the signed bytes of row. Both must have the same length.
// It cannot overflow up to 516 dimensions; [parse] refuses more.
func dotGo(q []int16, row string) int32 {
	var a, b int32
	for len(q) >= 2 && len(row) >= 2 {
		a += int32(q[0]) * int32(int8(row[0]))
		b += int32(q[1]) * int32(int8(row[1]))
		q, row = q[2:], row[2:]
	}
	if len(q) > 0 && len(row) > 0 {
		a += int32(q[0]) * int32(int8(row[0]))
	}
	return a + b
}

// addGo adds the signed bytes of row, times scale, to sum. Both must have the same length.
func addGo(sum []float32, row string, scale float32) {
	sum = sum[:len(row)]
	for i := range sum {
		sum[i] += scale * float32(int8(row[i]))
	}
}
