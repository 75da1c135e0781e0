package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/localfile"
)

// Everything that a class for finding tools had is there on 535 tools:
// levels of detail, filters, pages, batches, a tree, numbers, counts.
func TestLookingAroundAmong535Tools(t *testing.T) {
	t.Parallel()
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
	stats := c.index.Stats(discovery.Query{})
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

// cacheTime is how old an answer may be that an earlier class for finding
// tools gave.
const cacheTime = 30 * time.Second

// Searches are answered from memory, whatever becomes of the files, until
// there is a rebuild, which is seen within the time that answers used to be
// kept.
func TestLookingIsDoneInMemoryUntilARebuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) {
		if err := localfile.Write(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const git, notes = `[{"name": "log", "description": "Show the commit history."}]`,
		`[{"name": "add", "description": "Add a note."}]`
	write("git.json", git)
	write("notes.json", notes)
	write("mcp.json", `{"mcpServers": {"git": {"type": "snapshot", "path": "git.json"}}}`)
	f := &Files{Configs: []string{filepath.Join(dir, "mcp.json")}, NoMemory: true, NoUsage: true, NoObserve: true}
	defer f.Close()
	find := func(c *Catalog, text string) []discovery.Hit {
		page, err := c.Find(discovery.Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return page.Results
	}
	first, err := f.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := find(first, "commit history")
	if len(want) != 1 || want[0].ID != "git.log" {
		t.Fatalf("%+v", want)
	}
	for _, name := range []string{"git.json", "mcp.json", RegistryFile} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+".away")); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		c, err := f.Catalog(t.Context())
		if err != nil || c != first {
			t.Fatalf("not the catalog in memory: %v", err)
		}
		if d := cmp.Diff(want, find(c, "commit history")); d != "" {
			t.Fatal(d)
		}
	}

	write("git.json", git)
	write("mcp.json", `{"mcpServers": {"git": {"type": "snapshot", "path": "git.json"}}}`)
	ctx, cancel := context.WithCancel(t.Context())
	catalogs, ended := make(chan *Catalog, 100), make(chan error, 1)
	go func() {
		ended <- f.Watch(ctx, -1, func(c *Catalog, err error) {
			if err != nil {
				t.Error(err)
			}
			catalogs <- c
		})
	}()
	next := func() *Catalog {
		select {
		case c := <-catalogs:
			return c
		case <-time.After(cacheTime):
			t.Fatalf("nothing new after %v", cacheTime)
			return nil
		}
	}
	same := next()
	if got := find(same, "commit history"); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	if same == first || same.index != first.index || same.Registry != first.Registry {
		t.Error("nothing has changed, and yet all was indexed again")
	}
	write("mcp.json", `{"mcpServers": {"git": {"type": "snapshot", "path": "git.json"}, "notes": {"type": "snapshot", "path": "notes.json"}}}`)
	c := next()
	for len(c.Registry.Tools) < 2 {
		c = next()
	}
	if got := find(c, "add a note"); got[0].ID != "notes.add" {
		t.Errorf("%+v", got)
	}
	// What the config says of a tool counts from the next catalog on.
	before := c
	if f.Private("git.log") {
		t.Error("git.log is private before the config says so")
	}
	write("mcp.json", `{"mcpServers": {"git": {"type": "snapshot", "path": "git.json", "usetools": {"class": {"log": "read"}, "private": ["log"]}}, "notes": {"type": "snapshot", "path": "notes.json"}}}`)
	log := func(c *Catalog) record.Class {
		tool, _ := c.Registry.Tool("git.log")
		class, _ := c.Class(tool)
		return class
	}
	for c = next(); log(c) != record.Read; {
		c = next()
	}
	if !f.Private("git.log") {
		t.Error("git.log is not private, as the config says now")
	}
	if log(before) != record.Effect || c.Registry == before.Registry || c.Registry.Config != before.Registry.Config {
		t.Errorf("the catalog before has %s, registries of %s and %s", log(before), before.Registry.Config, c.Registry.Config)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if c, err := f.Catalog(t.Context()); err != nil || len(c.Registry.Tools) != 2 {
		t.Errorf("not the catalog of the rebuild: %v", err)
	}
}

// Hundreds look, load and rebuild at once, and each is answered from one
// registry: the one that it began with.
func TestManyLookWhileTheRegistryIsRebuilt(t *testing.T) {
	t.Parallel()
	const tools = 40
	file := filepath.Join(t.TempDir(), "tool_registry.json")
	// build makes the registry of a generation: each of its tools has the
	// number of that in its name, its description and its schema.
	build := func(n int) *registry.Registry {
		reg := &registry.Registry{}
		for i := range tools {
			reg.Tools = append(reg.Tools, registry.Tool{
				Server: fmt.Sprintf("s%d", i%4), Name: fmt.Sprintf("tool_%d_of_%d", i, n),
				Description: fmt.Sprintf("Reads a file of generation %d.", n),
				Input:       json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"generation_%d":{"type":"string"}}}`, n)),
			})
		}
		reg.Normalize()
		return reg
	}
	var now atomic.Pointer[Catalog]
	rebuild := func(n int) {
		reg := build(n)
		if err := reg.Save(file); err != nil {
			t.Error(err)
		}
		now.Store(&Catalog{Registry: reg})
	}
	rebuild(0)
	// generation is the number in a tool's name.
	generation := func(name string) string { return name[strings.LastIndexByte(name, '_')+1:] }
	look := func(c *Catalog, i int) error {
		of := generation(c.Registry.Tools[0].Name)
		d := discovery.Details[i%len(discovery.Details)]
		page, err := c.Find(discovery.Query{Text: "read a file", Detail: d, Limit: 7, Offset: i % tools})
		if want := min(7, tools-i%tools); err != nil || len(page.Results) != want || page.Total != tools {
			return fmt.Errorf("%d tools of %d, want %d of %d: %v", len(page.Results), page.Total, want, tools, err)
		}
		for _, h := range page.Results {
			if generation(h.Name) != of || h.Go == "" || d == discovery.NameDescription &&
				!strings.HasSuffix(h.Description, " "+of+".") {
				return fmt.Errorf("generation %s has %+v", of, h)
			}
		}
		id := page.Results[0].ID
		batch, err := c.Describe([]string{id, "nope", page.Results[0].Go}, discovery.Go)
		if err != nil || len(batch.Tools) != 1 || !slices.Equal(batch.NotFound, []string{"nope"}) ||
			!strings.Contains(batch.Tools[0].Signature, "Generation"+of+" string") {
			return fmt.Errorf("describing %s: %+v, %v", id, batch, err)
		}
		r, err := c.Resolve(t.Context(), id, nil)
		if err != nil || r.Tool != id {
			return fmt.Errorf("resolving %s: %+v, %v", id, r, err)
		}
		tree, err := c.Tree(i%2 == 0, discovery.NameOnly)
		n := 0
		for _, b := range tree {
			n += len(b.Tools)
		}
		if stats := c.index.Stats(discovery.Query{}); err != nil || n != tools || stats.Total.Tools != tools ||
			len(c.index.Names(discovery.Query{})) != tools {
			return fmt.Errorf("%d tools in the tree, %d in the numbers, %v", n, stats.Total.Tools, err)
		}
		return nil
	}
	var wg sync.WaitGroup
	for i := range 400 {
		wg.Go(func() {
			c := now.Load()
			switch i % 8 {
			case 0:
				rebuild(i)
			case 1:
				reg, err := registry.Load(file)
				if err != nil || len(reg.Tools) != tools {
					t.Errorf("loading: %v", err)
					return
				}
				c = &Catalog{Registry: reg}
			}
			if err := look(c, i); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
