package embed

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry"
)

//go:embed model.bin
var modelBin string

// sum is the SHA-256 of model.bin; a test compares it.
const sum = "60ffb95e0d02edc8ebf6752e9fe361b444cbb923b7cc45ca3910fd024b449feb"

// Identity returns the name and digest by which a registry identifies the default model.
func Identity() registry.Embedder {
	return registry.Embedder{Name: "semb-1", Dimensions: 192, Encoding: "i8", SHA256: sum}
}

// Token is a word piece: an index into the model's vocabulary.
type Token uint16

// Model is a static embedding: a vocabulary of word pieces and a row for each.
// The norm of a row is the weight of its piece. A Model is immutable and safe
// for concurrent use.
type Model struct {
	dims int
	// first has the pieces that begin a word, next those that continue one (without the leading
	// ##).
	first, next map[string]Token
	longest     int // bytes of the longest piece
	scale       []float32
	rows        string // int8, dims per token; multiply by the token's scale
}

// Default returns the embedded model. The first call parses it, in about 2 ms.
var Default = sync.OnceValue(func() *Model {
	m, err := parse(modelBin)
	if err != nil {
		panic("embed: the embedded model is damaged: " + err.Error())
	}
	return m
})

// parse reads a model in the SEMB format, version 1, little-endian:
//
//	"SEMB", u32 version, u32 V tokens, u32 d dimensions, u32 nb
//	nb bytes: V ASCII tokens joined by newlines; ## starts a continuation
//	0–3 zero bytes, so that nb becomes a multiple of 4
//	f32 × V: the scale of each row
//	i8 × V × d: the rows
//
// The model refers to data and does not copy the rows.
func parse(data string) (*Model, error) {
	const header = 20
	if len(data) < header || data[:4] != "SEMB" {
		return nil, fmt.Errorf("reading model: no SEMB header in %d bytes", len(data))
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32([]byte(data[at : at+4]))) }
	version, count, dims, vocab := u32(4), u32(8), u32(12), u32(16)
	switch {
	case version != 1:
		return nil, fmt.Errorf("reading model: it has version %d, but this program reads version 1", version)
	case count < 1 || count > 1<<16:
		return nil, fmt.Errorf("reading model: %d tokens, want 1 to 65536", count)
	case dims < 1 || dims > 512:
		return nil, fmt.Errorf("reading model: %d dimensions, want 1 to 512", dims)
	case vocab < 0 || vocab > len(data)-header:
		return nil, fmt.Errorf("reading model: a vocabulary of %d bytes in a file of %d", vocab, len(data))
	}
	scales := header + (vocab+3)/4*4
	rows := scales + 4*count
	if want := rows + count*dims; len(data) != want {
		return nil, fmt.Errorf("reading model: got %d bytes, but %d tokens of %d dimensions need %d", len(data), count, dims, want)
	}
	m := &Model{dims: dims, rows: data[rows:], scale: make([]float32, count)}
	for i := range m.scale {
		s := math.Float32frombits(uint32(u32(scales + 4*i)))
		if s != s || s < 0 || s > 1e6 {
			return nil, fmt.Errorf("reading model: row %d has the scale %g", i, s)
		}
		m.scale[i] = s
	}
	return m, m.readVocabulary(data[header:header+vocab], count)
}

func (m *Model) readVocabulary(text string, count int) error {
	m.first = make(map[string]Token, count)
	m.next = make(map[string]Token, count/4)
	if n := strings.Count(text, "\n") + 1; n != count {
		return fmt.Errorf("reading model: %d tokens in the vocabulary, %d in the header", n, count)
	}
	i := 0
	for token := range strings.SplitSeq(text, "\n") {
		into := m.first
		if rest, ok := strings.CutPrefix(token, "##"); ok {
			into, token = m.next, rest
		}
		if token == "" {
			return fmt.Errorf("reading model: token %d is empty", i)
		}
		into[token] = Token(i)
		m.longest = max(m.longest, len(token))
		i++
	}
	return nil
}

// Dimensions returns the length of the model's vectors.
func (m *Model) Dimensions() int { return m.dims }

// Tokens returns the size of the model's vocabulary.
func (m *Model) Tokens() int { return len(m.scale) }

// Has reports whether the lower-case word is a single piece of the model.
func (m *Model) Has(word string) bool {
	_, ok := m.first[word]
	return ok
}

// Add adds the row of token t to sum, which has Dimensions elements.
func (m *Model) Add(sum []float32, t Token) {
	add(sum[:m.dims], m.row(t), m.scale[t])
}

func (m *Model) row(t Token) string {
	return m.rows[int(t)*m.dims:][:m.dims]
}

// Embed returns the unit vector of a text: the normalised sum of the rows of all its tokens. It
// returns the zero vector for a text without a known piece. It takes about 0.15 µs per token. For
// ASCII texts of usual length, the result is the only allocation.
func (m *Model) Embed(text string) []float32 {
	var buf [128]Token
	v := make([]float32, m.dims)
	for _, t := range m.AppendTokens(buf[:0], text) {
		m.Add(v, t)
	}
	Normalize(v)
	return v
}

// Normalize scales v to length 1 and returns its former length. It does not change the zero
// vector.
func Normalize(v []float32) float32 {
	var ss float64
	for _, x := range v {
		ss += float64(x) * float64(x)
	}
	if ss == 0 {
		return 0
	}
	n := float32(math.Sqrt(ss))
	for i := range v {
		v[i] /= n
	}
	return n
}
