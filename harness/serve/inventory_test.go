package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry"
)

// counter counts tokens of cl100k.
func counter(t *testing.T) func(string) int {
	t.Helper()
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	return func(s string) int {
		n, err := enc.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// realTools are n tools of real servers, under other names again where there
// are too few.
func realTools(t *testing.T, n int) *registry.Registry {
	t.Helper()
	files, err := filepath.Glob("../../wrappers/testdata/schemas/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no schemas", err)
	}
	reg := &registry.Registry{}
	for round := 0; len(reg.Tools) < n; round++ {
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			var tools []registry.Tool
			if json.Unmarshal(data, &tools) != nil {
				var o struct{ Tools []registry.Tool }
				if err := json.Unmarshal(data, &o); err != nil {
					t.Fatal(f, err)
				}
				tools = o.Tools
			}
			for _, x := range tools {
				x.Server = strings.TrimSuffix(filepath.Base(f), ".json")
				if round > 0 {
					x.Server += fmt.Sprint(round)
				}
				if len(reg.Tools) < n {
					reg.Tools = append(reg.Tools, x)
				}
			}
		}
	}
	reg.Normalize()
	return reg
}

func TestTheToolListFitsItsBudgetAndUsesIt(t *testing.T) {
	count := counter(t)
	for _, n := range []int{0, 1, 20, 45, 150, 535, 10_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 1000 && testing.Short() {
				t.Skip("takes long under the race detector")
			}
			reg := realTools(t, n)
			s, _ := serving(t, &Options{Catalog: func(context.Context) (*harness.Catalog, error) { return &harness.Catalog{Registry: reg}, nil }})
			receive(t, s.live.told)
			c := connect(t, s, nil)
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			wire, err := json.Marshal(map[string]any{"tools": list.Tools})
			if err != nil {
				t.Fatal(err)
			}
			got := count(string(wire))
			t.Logf("%d tools: %d tokens\n%s", n, got, strings.TrimPrefix(list.Tools[0].Description, fmt.Sprintf(teaching, s.opts.Limits.Timeout)))
			if got > DefaultDescribeTokens {
				t.Errorf("%d tokens", got)
			}
			if n >= 45 && got < DefaultDescribeTokens*80/100 {
				t.Errorf("%d tokens: the budget is not used", got)
			}
			again, err := c.ListTools(t.Context(), nil)
			if err != nil || again.Tools[0].Description != list.Tools[0].Description {
				t.Error("the description is not stable")
			}
		})
	}
}

func TestDeniedToolsAreNotAdvertised(t *testing.T) {
	s, _ := serving(t, &Options{Policy: &harness.Policy{Deny: []string{"git", "files.delete_*"}}})
	receive(t, s.live.told)
	got := s.description()
	if _, list, _ := strings.Cut(got, "Servers:"); strings.Contains(list, "git") || strings.Contains(list, "DeleteFile") || !strings.Contains(list, "files.ReadFile") {
		t.Error(list)
	}
}

func TestLargerBudgetsHold(t *testing.T) {
	count := counter(t)
	reg := realTools(t, 535)
	for _, budget := range []int{300, 800, 2000} {
		s, _ := serving(t, &Options{DescribeTokens: budget, Catalog: func(context.Context) (*harness.Catalog, error) { return &harness.Catalog{Registry: reg}, nil }})
		receive(t, s.live.told)
		if got := count(listed(s.description())); got > budget || got < budget*80/100 {
			t.Errorf("%d tokens of %d", got, budget)
		}
	}
}

// The estimate must be right on what descriptions are made of.
func TestTokensAreEstimatedWell(t *testing.T) {
	count := counter(t)
	reg := realTools(t, 1168)
	cat := &harness.Catalog{Registry: reg}
	view, err := cat.View()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("how to write a script: %d, estimated %d", count(listed(teaching)), Tokens(listed(teaching)))
	var real, estimated int
	for _, s := range view.Servers() {
		var b strings.Builder
		for _, x := range s.Tools {
			b.WriteString(x.Line() + "\n" + x.Func + " ")
		}
		want, got := count(string(quote(b.String()))), Tokens(string(quote(b.String())))
		real, estimated = real+want, estimated+got
		if want > 100 && (got < want*80/100 || got > want*140/100) {
			t.Errorf("%s: %d tokens, estimated %d", s.Name, want, got)
		}
	}
	t.Logf("%d tokens, estimated %d", real, estimated)
}

func TestUsedToolsComeFirst(t *testing.T) {
	reg := realTools(t, 535)
	cat := &harness.Catalog{Registry: reg}
	view, err := cat.View()
	if err != nil {
		t.Fatal(err)
	}
	used := reg.Tools[400].ID
	x, _ := view.Tool(used)
	got := inventory(cat, view, nil, func(id string) int {
		if id == used {
			return 5
		}
		return 0
	}, 150)
	if !strings.Contains(got, x.Line()) {
		t.Errorf("%s is not in\n%s", x.Line(), got)
	}
}

func TestAServerThatIsDownIsShownSo(t *testing.T) {
	reg := testRegistry()
	why := "connection refused"
	for i := range reg.Servers {
		if reg.Servers[i].Name == "files" {
			reg.Servers[i].Error = &why
		}
	}
	cat := &harness.Catalog{Registry: reg}
	view, err := cat.View()
	if err != nil {
		t.Fatal(err)
	}
	if got := inventory(cat, view, nil, func(string) int { return 0 }, 150); !strings.Contains(got, "files [down]") {
		t.Error(got)
	}
}

func TestTheDiscoveryToolsCostLittle(t *testing.T) {
	s, _ := serving(t, &Options{Tools: Discovery})
	c := connect(t, s, nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := slices.DeleteFunc(list.Tools, func(x *mcp.Tool) bool { return x.Name == "execute" })
	wire, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	got := counter(t)(string(wire))
	t.Logf("%d tokens: %s", got, wire)
	if len(tools) != 4 || got > 147 {
		t.Errorf("%d tools, %d tokens", len(tools), got)
	}
}
