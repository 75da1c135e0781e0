package worker

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A script whose calls come in the order of its maps.
const inOrder = `import (
	"fmt"
	"maps"
	"reflect"
	"sync"

	"servers/shop"
)

type item struct{ Name string; N int }

func buy(x any) {
	if _, err := shop.Buy(shop.BuyParams{What: x}); err != nil {
		panic(err)
	}
}

func main() {
	names, items, anys := map[string]int{}, map[item]bool{}, map[any]int{}
	var all sync.Map
	for i := range 12 {
		name := fmt.Sprint("item ", i)
		names[name], items[item{name, i}], anys[[]any{i, name}[i%2]] = i, true, i
		all.Store(name, i)
	}
	for name, n := range names {
		buy(fmt.Sprint(name, n))
	}
	for name := range maps.Keys(names) {
		buy(name)
	}
	for i := range items {
		buy(i)
	}
	for _, n := range anys {
		buy(n)
	}
	for _, key := range reflect.ValueOf(names).MapKeys() {
		buy(key.String())
	}
	all.Range(func(key, n any) bool {
		buy(key)
		return true
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		for name := range names {
			buy(name)
		}
	})
	wg.Wait()
}
`

func TestCallsOverAMapComeInTheSameOrderAgain(t *testing.T) {
	t.Parallel()
	calls := func(seed byte) string {
		t.Helper()
		s := &shop{}
		s.run(t, &Script{Source: inOrder, Seed: bytes.Repeat([]byte{seed}, 32)})
		var lines []string
		for _, c := range s.calls {
			lines = append(lines, string(c.Args))
		}
		return strings.Join(lines, "\n")
	}
	want := calls(1)
	if n := len(strings.Split(want, "\n")); n != 7*12 {
		t.Fatalf("%d calls:\n%s", n, want)
	}
	for range 3 {
		if diff := cmp.Diff(want, calls(1)); diff != "" {
			t.Fatalf("the same seed has other calls (-first +again):\n%s", diff)
		}
	}
	other := calls(2)
	if other == want {
		t.Error("another seed has the same order")
	}
	sorted := func(s string) []string { return slices.Sorted(strings.SplitSeq(s, "\n")) }
	if diff := cmp.Diff(sorted(want), sorted(other)); diff != "" {
		t.Errorf("another seed has other calls (-1 +2):\n%s", diff)
	}
}

func TestOnlyScriptsWithCallsHaveAnOrderOfTheirOwn(t *testing.T) {
	for script, want := range map[string]bool{
		"for k := range map[string]int{} {\n\tprintln(k)\n}":              false,
		"for k := range map[string]int{} {\n\tRunScript(k, nil)\n}":       true,
		"for k := range map[string]int{} {\n\tprintln(k)\n}\nshop.List()": true,
	} {
		o, err := Run(t.Context(), &Script{Source: script, Check: true}, &shop{}, nil)
		if err != nil || len(o.Errors) > 0 {
			t.Fatal(err, o.Errors)
		}
		if got := strings.Contains(o.Lowered, "rt.StringKeys("); got != want {
			t.Errorf("%s\nhas an order: %t, want %t", script, got, want)
		}
	}
}
