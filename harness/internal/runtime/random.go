package runtime

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io"
	"math/big"
	rand1 "math/rand"
	rand2 "math/rand/v2"
)

// The random functions of the library that have no source of their own. Each goroutine of
// the script draws from a stream derived from the run's seed and the goroutine's path, so
// that the same script with the same seed draws the same numbers in any schedule. Go's own
// functions compute numbers from the stream.

// A stream is the random source of one goroutine.
type stream struct {
	*rand2.ChaCha8
	one *rand1.Rand
	two *rand2.Rand
}

func newStream(seed []byte, path string) *stream {
	c := rand2.NewChaCha8(sha256.Sum256(append(seed[:len(seed):len(seed)], path...)))
	return &stream{c, rand1.New(source{c}), rand2.New(c)}
}

// source is a source of math/rand.
type source struct{ c *rand2.ChaCha8 }

func (s source) Uint64() uint64 { return s.c.Uint64() }
func (s source) Int63() int64   { return int64(s.c.Uint64() >> 1) }
func (s source) Seed(int64)     {} // the Rand is not exposed

// random returns the stream of the calling goroutine.
func (m *Machine) random() *stream {
	s := m.strands.here()
	if s.random == nil {
		s.random = newStream(m.cfg.Seed, s.path())
	}
	return s.random
}

// reader is crypto/rand's Reader, until the script replaces it.
type reader struct{ m *Machine }

func (r reader) Read(b []byte) (int, error) { return r.m.random().Read(b) }

// randomBytes is crypto/rand.Read.
func (m *Machine) randomBytes(b []byte) (int, error) {
	n, err := io.ReadFull(m.reader, b)
	if err != nil {
		panic(plainError("crypto/rand: failed to read random data: " + err.Error()))
	}
	return n, nil
}

// randomText is crypto/rand.Text: 26 characters of base32, which encode 130 bits.
func (m *Machine) randomText() string {
	b := make([]byte, 20)
	_, _ = m.randomBytes(b)
	return base32.StdEncoding.EncodeToString(b)[:26]
}

// randomPrime is crypto/rand.Prime, which ignores its reader. It returns a prime with this
// number of bits whose two highest bits are set.
func (m *Machine) randomPrime(_ io.Reader, bits int) (*big.Int, error) {
	if bits < 2 {
		return nil, errors.New("crypto/rand: prime size must be at least 2-bit")
	}
	most := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	for {
		p, err := rand.Int(reader{m}, most)
		if err != nil {
			return nil, err
		}
		p.SetBit(p, bits-1, 1).SetBit(p, bits-2, 1).SetBit(p, 0, 1)
		if p.ProbablyPrime(20) {
			return p, nil
		}
	}
}

// randomSymbols adds the functions that draw from the run's seed.
func (m *Machine) randomSymbols(table map[string]any) {
	table["CryptoRead"], table["CryptoText"], table["CryptoPrime"] = m.randomBytes, m.randomText, m.randomPrime

	one := func() *rand1.Rand { return m.random().one }
	table["RandExpFloat64"] = func() float64 { return one().ExpFloat64() }
	table["RandFloat32"] = func() float32 { return one().Float32() }
	table["RandFloat64"] = func() float64 { return one().Float64() }
	table["RandInt"] = func() int { return one().Int() }
	table["RandInt31"] = func() int32 { return one().Int31() }
	table["RandInt31n"] = func(n int32) int32 { return one().Int31n(n) }
	table["RandInt63"] = func() int64 { return one().Int63() }
	table["RandInt63n"] = func(n int64) int64 { return one().Int63n(n) }
	table["RandIntn"] = func(n int) int { return one().Intn(n) }
	table["RandNormFloat64"] = func() float64 { return one().NormFloat64() }
	table["RandPerm"] = func(n int) []int { return one().Perm(n) }
	table["RandRead"] = func(b []byte) (int, error) { return m.random().Read(b) }
	table["RandShuffle"] = func(n int, swap func(i, j int)) { one().Shuffle(n, swap) }
	table["RandUint32"] = func() uint32 { return one().Uint32() }
	table["RandUint64"] = func() uint64 { return one().Uint64() }

	two := func() *rand2.Rand { return m.random().two }
	table["Rand2ExpFloat64"] = func() float64 { return two().ExpFloat64() }
	table["Rand2Float32"] = func() float32 { return two().Float32() }
	table["Rand2Float64"] = func() float64 { return two().Float64() }
	table["Rand2Int"] = func() int { return two().Int() }
	table["Rand2Int32"] = func() int32 { return two().Int32() }
	table["Rand2Int32N"] = func(n int32) int32 { return two().Int32N(n) }
	table["Rand2Int64"] = func() int64 { return two().Int64() }
	table["Rand2Int64N"] = func(n int64) int64 { return two().Int64N(n) }
	table["Rand2IntN"] = func(n int) int { return two().IntN(n) }
	table["Rand2NormFloat64"] = func() float64 { return two().NormFloat64() }
	table["Rand2Perm"] = func(n int) []int { return two().Perm(n) }
	table["Rand2Shuffle"] = func(n int, swap func(i, j int)) { two().Shuffle(n, swap) }
	table["Rand2Uint"] = func() uint { return two().Uint() }
	table["Rand2Uint32"] = func() uint32 { return two().Uint32() }
	table["Rand2Uint32N"] = func(n uint32) uint32 { return two().Uint32N(n) }
	table["Rand2Uint64"] = func() uint64 { return two().Uint64() }
	table["Rand2Uint64N"] = func(n uint64) uint64 { return two().Uint64N(n) }
	table["Rand2UintN"] = func(n uint) uint { return two().UintN(n) }
}
