package serve_test

import (
	"fmt"
	"testing"

	"github.com/usetools/usetools/harness/serve"
)

func BenchmarkDescription(b *testing.B) {
	for _, n := range []int{16, 60, 535, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := over(b, realTools(b, n), serve.Options{UsageOrder: true})
			for b.Loop() {
				s.Undescribed()
			}
		})
	}
}
