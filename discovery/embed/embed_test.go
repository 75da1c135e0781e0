package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type goldenText struct {
	Text   string
	Words  []string
	IDs    []Token
	First8 []float32
	Norm   float64
	Cos    []struct {
		With  int `json:"with_"`
		Value float64
	}
}

type goldenRuns struct {
	Text                string
	Runs, Words, Pieces []string
}

func golden(t testing.TB) (texts []goldenText, runs []goldenRuns) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Embed     []goldenText
		Tokeniser []goldenRuns
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g.Embed, g.Tokeniser
}

func TestModelIsTheOneThatRegistriesName(t *testing.T) {
	got := sha256.Sum256([]byte(modelBin))
	id := Identity()
	if hex.EncodeToString(got[:]) != id.SHA256 {
		t.Errorf("model.bin has the digest %x, Identity says %s", got, id.SHA256)
	}
	if d := Default().Dimensions(); d != id.Dimensions {
		t.Errorf("the model has %d dimensions, Identity says %d", d, id.Dimensions)
	}
}

func TestVectorsEqualTheReference(t *testing.T) {
	m := Default()
	texts, _ := golden(t)
	vectors := make([][]float32, len(texts))
	for i, g := range texts {
		vectors[i] = m.Embed(g.Text)
	}
	for i, g := range texts {
		if diff := cmp.Diff(g.Words, m.Words(g.Text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("words of %q (-reference +got):\n%s", g.Text, diff)
		}
		if diff := cmp.Diff(g.IDs, m.AppendTokens(nil, g.Text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("tokens of %q (-reference +got):\n%s", g.Text, diff)
		}
		for k, want := range g.First8 {
			if d := math.Abs(float64(vectors[i][k] - want)); d > 1e-5 {
				t.Errorf("%q: dimension %d is %g, reference %g", g.Text, k, vectors[i][k], want)
			}
		}
		for _, c := range g.Cos {
			if got := inner(vectors[i], vectors[c.With]); math.Abs(got-c.Value) > 1e-4 {
				t.Errorf("cosine of %q and %q is %g, reference %g", g.Text, texts[c.With].Text, got, c.Value)
			}
		}
	}
}

func TestTokeniserEqualsTheReference(t *testing.T) {
	m := Default()
	name := make([]string, len(m.scale))
	for piece, token := range m.first {
		name[token] = piece
	}
	for piece, token := range m.next {
		name[token] = "##" + piece
	}
	_, cases := golden(t)
	for _, c := range cases {
		var runs, pieces []string
		folded := Fold(c.Text)
		for start, end := NextRun(folded, 0); start < end; start, end = NextRun(folded, end) {
			runs = append(runs, folded[start:end])
		}
		for _, token := range m.AppendTokens(nil, c.Text) {
			pieces = append(pieces, name[token])
		}
		if diff := cmp.Diff(c, goldenRuns{c.Text, runs, m.Words(c.Text), pieces}); diff != "" {
			t.Errorf("%q (-reference +got):\n%s", c.Text, diff)
		}
	}
}

func TestTextWithoutKnownPiecesHasTheZeroVector(t *testing.T) {
	for _, text := range []string{"", " \t\n", "北京", "…", "\xff\xfe", "\x00\x01"} {
		for i, x := range Default().Embed(text) {
			if x != 0 {
				t.Errorf("%q: dimension %d is %g", text, i, x)
				break
			}
		}
	}
}

func TestStoredVectorKeepsItsDirection(t *testing.T) {
	for _, text := range []string{"list pull requests", "x", "delete every branch that was merged: all of them"} {
		v := Default().Embed(text)
		back, err := DecodeI8(EncodeI8(v), len(v))
		if err != nil {
			t.Fatal(err)
		}
		if cos := inner(v, back); cos < .9999 {
			t.Errorf("%q: the cosine with the decoded vector is %g", text, cos)
		}
	}
	zero, err := DecodeI8(EncodeI8(make([]float32, 192)), 192)
	if err != nil || inner(zero, zero) != 0 {
		t.Errorf("the zero vector came back as %v, %v", zero, err)
	}
}

func TestProbeGivesTheDotProductOfTheRows(t *testing.T) {
	m := Default()
	v := m.Embed("list pull requests of a repository")
	p := m.Probe(v, Probe{})
	for token := range Token(len(m.scale)) {
		row := make([]float32, m.dims)
		m.Add(row, token)
		if got, want := float64(m.Dot(p, token)), inner(v, row); math.Abs(got-want) > 1e-5 {
			t.Fatalf("token %d: %g, want %g", token, got, want)
		}
	}
}

func TestVectorUnitMultipliesLikeGo(t *testing.T) {
	q := make([]int16, 100)
	row := make([]byte, 100)
	for i := range q {
		q[i], row[i] = int16(i*7919), byte(i*101)
	}
	q[3], row[3] = math.MinInt16, 0x80
	for n := range len(q) {
		if got, want := dot(q[:n], string(row[:n])), dotGo(q[:n], string(row[:n])); got != want {
			t.Errorf("%d elements: %d, want %d", n, got, want)
		}
	}
}

func TestVectorUnitAddsLikeGo(t *testing.T) {
	row := make([]byte, 100)
	for i := range row {
		row[i] = byte(i * 101)
	}
	row[3] = 0x80
	for n := range len(row) {
		got, want := make([]float32, n), make([]float32, n)
		for i := range got {
			got[i] = float32(i) / 7
			want[i] = got[i]
		}
		add(got, string(row[:n]), .0123)
		addGo(want, string(row[:n]), .0123)
		if !slices.Equal(got, want) {
			t.Errorf("%d elements: %v, want %v", n, got, want)
		}
	}
}

func TestDamagedModelsAreRefused(t *testing.T) {
	patch := func(at int, b byte) string { return modelBin[:at] + string([]byte{b}) + modelBin[at+1:] }
	for name, data := range map[string]string{
		"empty":              "",
		"header only":        modelBin[:20],
		"other magic":        patch(0, 'X'),
		"other version":      patch(4, 2),
		"truncated":          modelBin[:len(modelBin)-1],
		"trailing":           modelBin + "x",
		"more tokens":        patch(8, modelBin[8]+1),
		"vocabulary too big": patch(19, 0x7f),
	} {
		if _, err := parse(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestEmbeddingAllocatesOnlyItsResult(t *testing.T) {
	m := Default()
	if n := testing.AllocsPerRun(100, func() { m.Embed("show the commit history of a gitRepository") }); n > 1 {
		t.Errorf("%g allocations", n)
	}
}

func inner(a, b []float32) float64 {
	var s float64
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func FuzzEmbed(f *testing.F) {
	_, cases := golden(f)
	for _, c := range cases {
		f.Add(c.Text)
	}
	f.Add("\xc3\x28 \u212a İ ß\u0130")
	f.Fuzz(func(t *testing.T, text string) {
		m := Default()
		if n := inner(m.Embed(text), m.Embed(text)); n != 0 && math.Abs(n-1) > 1e-4 {
			t.Errorf("%q: the vector's squared length is %g", text, n)
		}
		var tokens []Token
		for _, w := range m.Words(text) {
			if w == "" {
				t.Errorf("%q has an empty word", text)
			}
			tokens = m.WordTokens(tokens, w)
		}
		if diff := cmp.Diff(m.AppendTokens(nil, text), tokens); diff != "" {
			t.Errorf("%q: tokens of the text and of its words differ:\n%s", text, diff)
		}
		if folded := Fold(text); utf8.ValidString(text) && strings.ToValidUTF8(folded, "") != folded {
			t.Errorf("%q folds to invalid %q", text, folded)
		}
	})
}

func FuzzDecodeI8(f *testing.F) {
	f.Add(EncodeI8([]float32{.6, .8}))
	f.Add([]byte{0, 0, 0xc0, 0x7f, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodeI8(data, max(0, len(data)-4))
		if err != nil {
			return
		}
		if n := inner(v, v); n != 0 && !(math.Abs(n-1) < 1e-3) {
			t.Errorf("decoded a vector of squared length %g from %x", n, data)
		}
	})
}

func FuzzParse(f *testing.F) {
	tiny := "SEMB\x01\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x05\x00\x00\x00a\n##b\x00\x00\x00" +
		"\x00\x00\x80\x3f\x00\x00\x80\x3f\x01\x02"
	if _, err := parse(tiny); err != nil {
		f.Fatal(err)
	}
	f.Add(tiny)
	f.Fuzz(func(t *testing.T, data string) {
		if m, err := parse(data); err == nil {
			m.Embed("ab a\u00e4 b")
		}
	})
}

func BenchmarkEmbedPhrase(b *testing.B) {
	m := Default()
	b.ReportAllocs()
	for b.Loop() {
		m.Embed("show the commit history of a git repository")
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := parse(modelBin); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDot(b *testing.B) {
	m := Default()
	p := m.Probe(m.Embed("show the commit history"), Probe{})
	var sum float32
	i := 0
	for b.Loop() {
		sum += m.Dot(p, Token(i%20000))
		i++
	}
}

func TestF32VectorsSurviveTheRegistry(t *testing.T) {
	v := Default().Embed("list the branches of a repository")
	got, err := DecodeF32(EncodeF32(v), len(v))
	if err != nil {
		t.Fatal(err)
	}
	for i := range v {
		if math.Abs(float64(got[i]-v[i])) > 1e-6 {
			t.Fatalf("dimension %d: %g, want %g", i, got[i], v[i])
		}
	}
	for name, damaged := range map[string][]byte{"nothing": nil, "too short": EncodeF32(v[1:]),
		"not a number": EncodeF32(append(v[1:], float32(math.NaN())))} {
		if _, err := DecodeF32(damaged, len(v)); err == nil {
			t.Errorf("%s is decoded", name)
		}
	}
}
