package serve_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// uses adds runs that called a tool once to a log.
func uses(t *testing.T, log *usage.Log, tool string, runs int, at time.Time) {
	t.Helper()
	for range runs {
		if err := log.Add(usage.Run{Time: at, Status: "ok", Tools: []usage.Calls{{Tool: tool, Calls: 3}}}); err != nil {
			t.Fatal(err)
		}
	}
}

// firstOf returns the first of the tools in a list.
func firstOf(text string) string {
	_, list, _ := strings.Cut(text, "Tools:\n")
	name, _, _ := strings.Cut(list, "(")
	return name
}

// The most used tools of the last 30 days come first, in an order that stays in a session
// and over restarts. Denied and private tools never come first, nor does use of others.
func TestUsedToolsComeFirst(t *testing.T) {
	t.Parallel()
	reg := realTools(t, 535)
	log := usage.Open(filepath.Join(t.TempDir(), "usage.jsonl"))
	now := time.Now()
	unused := whole(over(t, reg, serve.Options{}).Described())
	cat := &catalog.Catalog{Registry: reg}
	view, err := cat.View()
	if err != nil {
		t.Fatal(err)
	}
	line := func(id string) string { x, _ := view.Tool(id); return "\n" + x.Sketch(6) + "\n" }
	var tools []registry.Tool // of several servers, none of which the list has without use
	for i := 0; len(tools) < 5; i += 90 {
		for x, _ := view.Tool(reg.Tools[i].ID); strings.Contains(unused, "\n"+x.Go()+"("); x, _ = view.Tool(reg.Tools[i].ID) {
			i++
		}
		tools = append(tools, reg.Tools[i])
	}
	rare, often, old, denied, private := tools[0], tools[1], tools[2], tools[3], tools[4]
	uses(t, log, rare.ID, 2, now)
	uses(t, log, often.ID, 9, now.Add(-29*24*time.Hour))
	uses(t, log, old.ID, 30, now.Add(-40*24*time.Hour))
	uses(t, log, denied.ID, 30, now)
	uses(t, log, private.ID, 30, now)
	serves := func(order bool) *serve.Server {
		s, _ := serving(t, &serve.Options{UsageOrder: order, Policy: &policy.Policy{Deny: []string{denied.ID}},
			Catalog: func(context.Context) (*catalog.Catalog, error) {
				return &catalog.Catalog{Registry: reg, Usage: log,
					Servers: []config.Server{{Name: private.Server, Private: []string{"*"}}}}, nil
			}})
		receive(t, s.Told())
		return s
	}
	s := serves(true)
	c := s.NewSession("a", serve.Execute, true)
	c.IsOne(true)
	text := whole(c.Shown())
	if i, j := strings.Index(text, line(often.ID)), strings.Index(text, line(rare.ID)); i < 0 || j < i {
		t.Errorf("%d, %d: %s", i, j, text)
	}
	for _, id := range []string{old.ID, denied.ID, private.ID} {
		if strings.Contains(text, line(id)) {
			t.Errorf("%s is in %s", id, text)
		}
	}
	if other := whole(serves(true).Described()); other != text {
		t.Errorf("the list has changed with a restart:\n%s\n%s", text, other)
	}
	if other := serves(false).Described(); strings.Contains(whole(other), line(often.ID)) {
		t.Errorf("use counts where the list depends on the registry alone: %s", other)
	}
	uses(t, log, rare.ID, 50, now)
	s.ForgetUse()
	s.Describe()
	if fresh := whole(s.Described()); whole(c.Shown()) != text || strings.Index(fresh, line(often.ID)) < strings.Index(fresh, line(rare.ID)) {
		t.Errorf("the order of a session has changed, or that of a new one has not:\n%s\n%s", c.Shown(), fresh)
	}
}

// Where records are stored they count, also those of calls without a script.
func TestUseIsReadFromRecords(t *testing.T) {
	store, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	log := usage.Open(filepath.Join(t.TempDir(), "usage.jsonl"))
	s, _ := serving(t, &serve.Options{Tools: serve.All, UsageOrder: true, Records: store,
		Catalog: func(context.Context) (*catalog.Catalog, error) {
			return &catalog.Catalog{Registry: testRegistry(), Calls: newFake(), Usage: log}, nil
		}})
	c := connect(t, s, nil)
	if got := firstOf(description(c)); got != "files.ReadFile" {
		t.Errorf("%s comes first without any use", got)
	}
	c.call("call_tool", map[string]any{"tool": "issues.comment", "arguments": map[string]any{"number": 1, "body": "b"}})
	s.ForgetUse()
	if got := firstOf(description(connect(t, s, nil))); got != "issues.Comment" {
		t.Errorf("%s comes first", got)
	}
}
