package embed

import (
	"encoding/binary"
	"fmt"
	"math"
)

// EncodeI8 returns a vector in the encoding "i8" of a registry: a little-endian float32 scale,
// then one signed byte per dimension. A byte times the scale is the value. The cosine of a vector
// with its decoded form is above 0.9999.
func EncodeI8(v []float32) []byte {
	var largest float32
	for _, x := range v {
		largest = max(largest, float32(math.Abs(float64(x))))
	}
	scale := largest / 127
	b := make([]byte, 0, 4+len(v))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	for _, x := range v {
		q := 0.0
		if scale > 0 {
			q = math.Round(float64(x / scale))
		}
		b = append(b, byte(int8(max(-127, min(127, q)))))
	}
	return b
}

// DecodeI8 returns the unit vector that EncodeI8 encoded. It returns an error if b does not
// encode a vector of that many dimensions.
func DecodeI8(b []byte, dimensions int) ([]float32, error) {
	if len(b) != 4+dimensions {
		return nil, fmt.Errorf("decoding embedding: got %d bytes, but %d dimensions need %d", len(b), dimensions, 4+dimensions)
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !(scale >= 0 && scale <= 1e6) {
		return nil, fmt.Errorf("decoding embedding: the scale is %g", scale)
	}
	v := make([]float32, dimensions)
	if scale == 0 {
		return v, nil
	}
	for i := range v {
		v[i] = float32(int8(b[4+i])) // the scale does not affect the direction
	}
	Normalize(v)
	return v, nil
}

// EncodeF32 returns a vector in the encoding "f32" of a registry: little-endian float32 values.
func EncodeF32(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// DecodeF32 returns the unit vector that EncodeF32 encoded. It returns an error if b does not
// encode a vector of that many dimensions.
func DecodeF32(b []byte, dimensions int) ([]float32, error) {
	if dimensions < 1 || len(b) != 4*dimensions {
		return nil, fmt.Errorf("decoding embedding: got %d bytes, but %d dimensions need %d", len(b), dimensions, 4*dimensions)
	}
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if f := float64(v[i]); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("decoding embedding: dimension %d is %g", i, f)
		}
	}
	Normalize(v)
	return v, nil
}
