package harness

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// Everything that a class for finding tools had is there on 535 tools:
// levels of detail, filters, pages, batches, a tree, numbers, counts.
func TestLookingAroundAmong535Tools(t *testing.T) {
	reg := publicRegistry(t)
	reg = &registry.Registry{Tools: slices.Clone(reg.Tools[:535])}
	reg.Normalize()
	c := &Catalog{Registry: reg}

	// Levels of detail cost more and more.
	tokens := map[discovery.Detail]int{}
	for _, d := range discovery.Details {
		page, err := c.Find(discovery.Query{Detail: d, Limit: discovery.MaxLimit})
		if err != nil || len(page.Results) != 535 {
			t.Fatalf("%s: %d tools, %v", d, len(page.Results), err)
		}
		for _, h := range page.Results {
			if h.Go == "" || h.Tokens == 0 || (h.Signature != "") != (d == discovery.Go) {
				t.Fatalf("%s: %+v", d, h)
			}
			tokens[d] += h.Tokens
		}
	}
	order := []discovery.Detail{discovery.NameOnly, discovery.MicroSchema, discovery.CompactSchema, discovery.FullSchema}
	if !slices.IsSortedFunc(order, func(a, b discovery.Detail) int { return tokens[a] - tokens[b] }) {
		t.Errorf("tokens by level: %v", tokens)
	}

	// Pages of a query fit together, filters hold.
	for _, q := range []discovery.Query{
		{Text: "create an issue"}, {Text: "LIST", Match: discovery.Substring}, {Server: "github-mcp-server"},
		{Category: "browser"}, {Prefix: "git_"}, {Text: "read", Server: "filesystem", Prefix: "read", Category: "filesystem"},
	} {
		q.Limit, q.Detail = 7, discovery.NameOnly
		seen := map[string]bool{}
		for {
			page, err := c.Find(q)
			if err != nil || page.Offset != q.Offset {
				t.Fatalf("%+v: %+v, %v", q, page, err)
			}
			for _, h := range page.Results {
				if seen[h.ID] || q.Server != "" && h.Server != q.Server || q.Prefix != "" && !strings.HasPrefix(h.Name, q.Prefix) {
					t.Errorf("%+v: %s is shown, or shown twice", q, h.ID)
				}
				seen[h.ID] = true
			}
			if q.Offset += len(page.Results); !page.HasMore {
				if len(seen) != page.Total || len(seen) == 0 {
					t.Errorf("%+v: %d tools on all pages, %d in all", q, len(seen), page.Total)
				}
				break
			}
		}
	}

	// A batch says what it did not find, and shows a tool once.
	id := reg.Tools[0].ID
	goName, _ := c.Describe([]string{id}, discovery.NameOnly)
	d, err := c.Describe([]string{id, "nope", goName.Tools[0].Go, strings.ToUpper(id)}, discovery.FullSchema)
	if err != nil || len(d.Tools) != 1 || !slices.Equal(d.NotFound, []string{"nope"}) {
		t.Errorf("batch: %d tools, not found %v, %v", len(d.Tools), d.NotFound, err)
	}

	// Trees and numbers agree.
	stats := c.index.Stats()
	for _, by := range []bool{false, true} {
		tree, err := c.Tree(by, discovery.NameOnly)
		n := 0
		for _, b := range tree {
			n += len(b.Tools)
		}
		if err != nil || n != 535 || stats.Total.Tools != 535 {
			t.Errorf("tree by category %t: %d tools, %d in the numbers, %v", by, n, stats.Total.Tools, err)
		}
	}
	sum := 0
	for _, s := range stats.Servers {
		sum += s.SchemaTokens
	}
	if sum != stats.Total.SchemaTokens || stats.Total.WithOutput+stats.Total.WithoutOutput != 535 {
		t.Errorf("numbers: %+v", stats.Total)
	}
	if n := len(c.index.Names(discovery.Query{})); n != 535 {
		t.Errorf("%d names", n)
	}
}

// Hundreds may look while the registry is rebuilt.
func TestManyLookWhileTheRegistryIsRebuilt(t *testing.T) {
	catalog := func(n int) *Catalog {
		reg := &registry.Registry{}
		for i := range 40 {
			reg.Tools = append(reg.Tools, registry.Tool{Server: "s", Name: fmt.Sprintf("tool_%d_%d", n, i), Description: "Reads a file."})
		}
		reg.Normalize()
		return &Catalog{Registry: reg}
	}
	var now atomic.Pointer[Catalog]
	now.Store(catalog(0))
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			c := now.Load()
			if i%50 == 0 {
				now.Store(catalog(i))
			}
			page, err := c.Find(discovery.Query{Text: "read a file", Detail: discovery.Details[i%len(discovery.Details)]})
			if err != nil || len(page.Results) != 10 {
				t.Errorf("%d tools, %v", len(page.Results), err)
				return
			}
			if d, err := c.Describe([]string{page.Results[0].ID}, discovery.Go); err != nil || len(d.Tools) != 1 {
				t.Errorf("%+v, %v", d, err)
			}
			if _, err := c.Tree(i%2 == 0, discovery.NameOnly); err != nil {
				t.Error(err)
			}
			c.index.Stats()
			c.index.Categories()
		})
	}
	wg.Wait()
}
