package discovery_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// mutated returns a registry of n tools that look like real ones: those of
// the development sets, of several vendors each, with every fifth word
// replaced by one from another tool.
func mutated(t testing.TB, n int) *registry.Registry {
	base := registryOf(t, sets...).Tools
	rng := rand.New(rand.NewPCG(1, 2))
	var words []string
	for _, tool := range base {
		words = append(words, strings.Fields(tool.Description)...)
	}
	reg := &registry.Registry{Tools: make([]registry.Tool, n)}
	for i := range reg.Tools {
		tool := base[i%len(base)]
		if copies := i / len(base); copies > 0 {
			text := strings.Fields(tool.Description)
			for k := range text {
				if rng.IntN(5) == 0 {
					text[k] = words[rng.IntN(len(words))]
				}
			}
			word := strings.ToLower(strings.Trim(words[rng.IntN(len(words))], ".,:;()'\"`"))
			tool.Name = fmt.Sprintf("%s_%s_%d", tool.Name, word, copies)
			tool.Server = fmt.Sprintf("%s-%s-%d", tool.Server, words[copies%len(words)], copies)
			tool.Description = strings.Join(text, " ")
		}
		tool.ID = registry.ToolID(tool.Server, tool.Name)
		reg.Tools[i] = tool
	}
	return reg
}

// phrases returns the queries of all development sets.
func phrases(t testing.TB) []string {
	var out []string
	for _, set := range sets {
		for _, q := range queriesOf(t, set) {
			out = append(out, q.Query)
		}
	}
	return out
}

func BenchmarkResolve(b *testing.B) {
	for _, n := range []int{45, 535, 10_000, 18_000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			ix, err := discovery.New(mutated(b, n), nil)
			if err != nil {
				b.Fatal(err)
			}
			all := phrases(b)
			b.ReportAllocs()
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := ix.Resolve(all[len(took)%len(all)], nil); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, n := range []int{535, 10_000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			reg := mutated(b, n)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var ix *discovery.Index
			for b.Loop() {
				var err error
				if ix, err = discovery.New(reg, nil); err != nil {
					b.Fatal(err)
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "heap-B/tool")
			runtime.KeepAlive(ix)
		})
	}
}

// From the bytes of a registry's file to the first answer.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{535, 10_000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			reg := mutated(b, n)
			reg.Normalize()
			if err := discovery.EmbedTools(b.Context(), reg); err != nil {
				b.Fatal(err)
			}
			data, err := reg.Encode()
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				loaded, err := registry.Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				ix, err := discovery.New(loaded, nil)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := ix.Resolve("list the storage accounts", nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(data))/float64(n), "file-B/tool")
		})
	}
}

func BenchmarkEmbedTools(b *testing.B) {
	reg := mutated(b, 10_000)
	for b.Loop() {
		reg.Embedder = nil
		if err := discovery.EmbedTools(b.Context(), reg); err != nil {
			b.Fatal(err)
		}
	}
}

// A phrase at its limit, with as many different words as fit.
func BenchmarkResolveLongest(b *testing.B) {
	ix := indexOf(b, nil, sets...)
	long := strings.Join(discovery.Distinct(strings.Fields(strings.ToLower(strings.Join(phrases(b), " ")))), " ")
	for b.Loop() {
		if _, err := ix.Resolve(long, nil); err != nil {
			b.Fatal(err)
		}
	}
}
