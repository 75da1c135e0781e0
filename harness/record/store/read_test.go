package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
)

func TestAValueKeepsItsBytes(t *testing.T) {
	for _, value := range []string{
		`{}`, `null`, ` { "a" : [ 1.0, 1e0 ] } `, "{\n\t\"a\": 1\r\n}", `"<&>"`,
		`"\u003c\/"`, "\"\u2028\"", `"blob:sha256:x"`, `"blob:"`,
		``, `no JSON`, `{"a":1,"a":2}`,
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		`"` + strings.Repeat("x", record.MaxInline) + `"`,
		"\"\xff\"", "\"\x00\"", `"` + strings.Repeat(`]`, 2000) + `"`, "12345678901234567890.0",
	} {
		s := Memory(1, nil)
		w, err := s.Begin(&record.Begin{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(&record.Done{N: 1, Result: record.Raw([]byte(value))}); err != nil {
			t.Errorf("%.40q: %v", value, err)
			continue
		}
		r, err := s.Load(w.ID())
		if err != nil {
			t.Fatal(err)
		}
		d := r.Lines[1].(*record.Done).Result
		got, err := r.Value(d)
		if err != nil || string(got) != value || d.Bytes != len(value) || d.Redacted {
			t.Errorf("%.40q is read as %.40q, %+v, %v", value, got, d, err)
		}
		if same, err := r.Same(d, []byte(value)); !same || err != nil {
			t.Errorf("%.40q is not the same: %v", value, err)
		}
		if same, _ := r.Same(d, []byte(value+" ")); same {
			t.Errorf("%.40q is the same as another", value)
		}
	}
}

func FuzzRead(f *testing.F) {
	data, _ := sample(f)
	f.Add(data, uint64(1))
	f.Add(data[:len(data)-7], uint64(2))
	f.Add([]byte("\n\n\x00\n{}"), uint64(3))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		for len(b) > 0 && seed%4 != 0 { // damage at a place or two
			b = bytes.Clone(b)
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
			seed /= 4
		}
		s, name := Memory(1, nil), "20300101T000000.000000Z-0123456789"
		r, err := record.Parse(b, s.stored(name, false))
		if err != nil {
			return
		}
		if err := s.takeAnswers(r, name); err != nil {
			t.Fatal(err)
		}
		record.Resume(r, nil)
		keptUntil(r)
		if r.Begin == nil || r.Torn < 0 || r.Torn > int64(len(b)) {
			t.Fatalf("begin %v, torn %d of %d", r.Begin, r.Torn, len(b))
		}
		r.Summary()
		r.Contains("x")
		for _, last := range []bool{false, true} {
			edge(&memorySource{bytes.NewReader(b), false}, last)
		}
		whole, err := record.Parse(b[:int64(len(b))-r.Torn], record.Stored{})
		if err != nil || whole.Torn != 0 || len(whole.Lines) != len(r.Lines) {
			t.Fatalf("without its torn tail: %v, torn %d, %d lines of %d", err, whole.Torn, len(whole.Lines), len(r.Lines))
		}
	})
}

// sample is a record of some lines, and where each of its lines ends.
func sample(t testing.TB) (data []byte, ends []int) {
	s := Memory(1, nil)
	w, err := s.Begin(&record.Begin{Script: record.String("x := 1\n")})
	if err != nil {
		t.Fatal(err)
	}
	var lines []record.Line
	for n := range 12 {
		lines = append(lines, &record.Call{N: n + 1, Tool: "a.b", Args: record.Raw(fmt.Appendf(nil, `{"n":%d}`, n))},
			&record.Done{N: n + 1, Kind: record.Answered, Result: record.String(strings.Repeat("x", 20*n))}, &record.Note{Stdout: "same\n"})
	}
	lines = append(lines, &record.Call{N: 13, Tool: "a.c"}, &record.Round{N: 13, State: "s"}, &record.Ask{A: "1", N: 13}, &record.Ask{A: "2",
		Tool: "a.d"},
		&record.Call{N: 14, Tool: "a.e"}, &record.End{Status: "uncertain"}, &record.Settle{N: 14, Happened: true, Result: record.Raw([]byte("1"))},
		&record.Answer{A: "1", Yes: true}, &record.Answer{A: "2"}, &record.Attempt{Number: 2}, &record.Round{N: 13, Sent: true}, &record.Done{N: 13})
	for _, l := range append(lines, &record.End{Status: "ok"}) {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range s.in.(*memory).records {
		data = r.buf
	}
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return data, ends
}

func TestACutRecordHasAllWholeLines(t *testing.T) {
	data, ends := sample(t)
	for cut := range len(data) + 1 {
		r, err := record.Parse(data[:cut], record.Stored{})
		whole, at := 0, 0
		for _, end := range ends {
			if end <= cut {
				whole, at = whole+1, end
			}
		}
		if whole == 0 && err == nil || whole > 0 && err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if whole == 0 {
			continue
		}
		if len(r.Lines) != whole || r.Torn != int64(cut-at) || r.Damaged != nil {
			t.Fatalf("cut at %d: %d lines of %d, torn %d, damaged %v", cut, len(r.Lines), whole, r.Torn, r.Damaged)
		}
	}
}

func TestADamagedRecordIsReadAndSaysSo(t *testing.T) {
	data, ends := sample(t)
	whole, err := record.Parse(data, record.Stored{})
	if err != nil {
		t.Fatal(err)
	}
	const block = 512
	for _, synced := range []int{1, 4, 20, len(ends) - 1} { // lines
		first := (ends[synced-1] + block - 1) / block * block // the first block without synced bytes
		for at := first; at < len(data); at += block {
			for _, size := range []int{block, 2 * block, len(data)} {
				zeroed := bytes.Clone(data)
				clear(zeroed[at:min(at+size, len(data))])
				wantDamaged := at+size < ends[len(ends)-2] // a whole line follows
				compare(t, fmt.Sprintf("zeroed %d at %d", size, at), zeroed, whole, synced, &wantDamaged)
				dropped := slices.Delete(bytes.Clone(data), at, min(at+size, len(data)))
				compare(t, fmt.Sprintf("without %d at %d", size, at), dropped, whole, synced, nil)
			}
		}
		for _, size := range []int{1, 100, block, 3 * block, len(data) - ends[len(ends)-2], len(data) - ends[len(ends)-4]} {
			doubled := append(bytes.Clone(data), data[len(data)-size:]...)
			compare(t, fmt.Sprintf("doubled %d", size), doubled, whole, len(ends), nil)
		}
	}
}

// compare reads what was done to a record, which has no other lines than that,
// and the first synced ones.
func compare(t *testing.T, what string, data []byte, whole *record.Run, synced int, damaged *bool) {
	t.Helper()
	r, err := record.Parse(data, record.Stored{})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if len(r.Lines) < synced || !cmp.Equal(r.Lines[:synced], whole.Lines[:synced]) {
		t.Fatalf("%s: of %d synced lines %d are there", what, synced, len(r.Lines))
	}
	i := 0
	for _, l := range r.Lines {
		for i < len(whole.Lines) && !cmp.Equal(l, whole.Lines[i]) {
			i++
		}
		if i++; i > len(whole.Lines) {
			t.Fatalf("%s: a line that was not written, or twice: %v", what, l)
		}
	}
	if damaged != nil && (r.Damaged != nil) != *damaged {
		t.Fatalf("%s: damaged: %v", what, r.Damaged)
	}
	if len(r.Lines) < len(whole.Lines) && damaged != nil && r.Damaged == nil && r.Torn == 0 {
		t.Fatalf("%s: %d lines of %d, and it does not say so", what, len(r.Lines), len(whole.Lines))
	}
}
