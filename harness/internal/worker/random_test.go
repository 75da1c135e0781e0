package worker

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// draws is a script that draws in many goroutines, with all functions.
const draws = `package main

import (
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand"
	rand2 "math/rand/v2"
	"sync"
	"time"
)

func one() []any {
	b := make([]byte, 9)
	rand.Read(b)
	xs := []int{1, 2, 3, 4, 5, 6, 7, 8}
	rand.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
	return []any{rand.Int(), rand.Intn(10), rand.Int31(), rand.Int31n(10), rand.Int63(), rand.Int63n(10), rand.Uint32(),
		rand.Uint64(), rand.Float32(), rand.Float64(), rand.ExpFloat64(), rand.NormFloat64(), rand.Perm(8), xs, hex.EncodeToString(b)}
}

func two() []any {
	xs := []int{1, 2, 3, 4, 5, 6, 7, 8}
	rand2.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
	return []any{rand2.Int(), rand2.IntN(10), rand2.Int32(), rand2.Int32N(10), rand2.Int64(), rand2.Int64N(10), rand2.Uint(),
		rand2.UintN(10), rand2.Uint32(), rand2.Uint32N(10), rand2.Uint64(), rand2.Uint64N(10), rand2.Float32(), rand2.Float64(),
		rand2.ExpFloat64(), rand2.NormFloat64(), rand2.Perm(8), xs, rand2.N(time.Second), rand2.N(int8(5))}
}

func crypto() []any {
	b, id := make([]byte, 9), make([]byte, 16)
	crand.Read(b)
	crand.Reader.Read(id)
	n, _ := crand.Int(crand.Reader, big.NewInt(1000))
	p, _ := crand.Prime(crand.Reader, 64)
	if !p.ProbablyPrime(20) || p.BitLen() != 64 {
		panic(p)
	}
	return []any{hex.EncodeToString(b), hex.EncodeToString(id), n, p, crand.Text()}
}

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	all := map[string][]any{"main": {one(), two(), crypto()}}
	for i := range 50 {
		wg.Go(func() {
			x, y, z := one(), two(), crypto()
			wg.Go(func() {
				intn := rand2.IntN
				n := intn(1 << 60)
				mu.Lock()
				defer mu.Unlock()
				all[fmt.Sprint(i, " within")] = []any{n}
			})
			mu.Lock()
			defer mu.Unlock()
			all[fmt.Sprint(i)] = []any{x, y, z}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, x := range all {
		seen[fmt.Sprint(x)] = true
	}
	if len(seen) != 101 {
		panic(fmt.Sprint(len(seen), " streams"))
	}
	Return(all)
}
`

func TestARunsSeedGivesItsDraws(t *testing.T) {
	t.Parallel()
	seed := bytes.Repeat([]byte{7}, 32)
	draw := func(seed []byte) string {
		t.Helper()
		return string((&shop{}).run(t, &Script{Source: draws, Seed: seed}).Value)
	}
	want := draw(seed)
	for range 5 {
		if diff := cmp.Diff(want, draw(seed)); diff != "" {
			t.Fatalf("the same seed draws something else (-first +again):\n%s", diff)
		}
	}
	if draw(bytes.Repeat([]byte{8}, 32)) == want {
		t.Error("another seed draws the same")
	}
	if first, second := draw(nil), draw(nil); first == second {
		t.Error("two runs without a seed draw the same")
	}
}

func TestASeedOfAnotherLengthIsAnError(t *testing.T) {
	_, err := Run(t.Context(), &Script{Source: "x", Seed: []byte("short")}, &shop{}, nil)
	if err == nil || !strings.Contains(err.Error(), "the seed has 5 bytes, want 32") {
		t.Errorf("got %v", err)
	}
}

// What a script gives a source of its own is as in Go.
func TestAScriptsOwnSourcesAreGos(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"Return(rand.New(rand.NewSource(1)).Intn(1000))":                                                                                         "81",
		"rand.Seed(1)\nr := rand.New(rand.NewSource(1))\nReturn(r.Intn(1000))":                                                                   "81",
		"import crand \"crypto/rand\"\n\ncrand.Reader = strings.NewReader(\"abcdefgh\")\nb := make([]byte, 3)\ncrand.Read(b)\nReturn(string(b))": `"abc"`,
		"n := 0\nrand.Shuffle(9, func(i, j int) { n += rand.Intn(1) + 1 })\nReturn(n)":                                                           "8",
		"defer func() { Return(recover()) }()\nrand.Intn(0)":                                                                                     `"invalid argument to Intn"`,
	} {
		if got := string((&shop{}).run(t, &Script{Source: script}).Value); got != want {
			t.Errorf("%s: got %s, want %s", script, got, want)
		}
	}
}
