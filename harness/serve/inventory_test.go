package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
	"github.com/usetools/usetools/wrappers/observe"
)

// listed is a tools/list with execute alone, as it goes on the wire.
func listed(description string) string {
	b, _ := json.Marshal(map[string]any{"tools": []any{serve.ExecuteTool(description)}})
	return string(b)
}

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
	return called(reg)
}

// largeRegistries are further numbers of tools, which the tag slow adds.
var largeRegistries []int

func TestTheToolListFitsItsBudgetAndUsesIt(t *testing.T) {
	t.Parallel()
	count := counter(t)
	for _, n := range append([]int{0, 1, 20, 45, 150, 535}, largeRegistries...) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			reg := realTools(t, n)
			s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog,
				error) {
				return &catalog.Catalog{Registry: reg}, nil
			}})
			receive(t, s.Told())
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
			t.Logf("%d tools: %d tokens\n%s", n, got,
				strings.TrimPrefix(list.Tools[0].Description, fmt.Sprintf(serve.Teaching, s.Opts().Limits.Timeout)))
			if got > serve.DefaultDescribeTokens {
				t.Errorf("%d tokens", got)
			}
			if n >= 45 && got < serve.DefaultDescribeTokens*80/100 {
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
	s, _ := serving(t, &serve.Options{Policy: &policy.Policy{Deny: []string{"git", "files.delete_*"}}})
	receive(t, s.Told())
	got := s.Described()
	if _, list, _ := strings.Cut(got, "Servers:"); strings.Contains(list, "git") || strings.Contains(list, "DeleteFile") ||
		!strings.Contains(list, "files.ReadFile") {
		t.Error(list)
	}
}

func TestLargerBudgetsHold(t *testing.T) {
	t.Parallel()
	count := counter(t)
	reg := realTools(t, 535)
	for _, budget := range []int{300, 800, 2000} {
		s, _ := serving(t, &serve.Options{DescribeTokens: budget,
			Catalog: func(context.Context) (*catalog.Catalog, error) { return &catalog.Catalog{Registry: reg}, nil }})
		receive(t, s.Told())
		if got := count(listed(s.Described())); got > budget || got < budget*80/100 {
			t.Errorf("%d tokens of %d", got, budget)
		}
	}
}

// The estimate must be right on what descriptions are made of.
func TestTokensAreEstimatedWell(t *testing.T) {
	count := counter(t)
	reg := realTools(t, 1168)
	cat := &catalog.Catalog{Registry: reg}
	view, err := cat.View()
	if err != nil {
		t.Fatal(err)
	}
	if got := count(listed(strings.Replace(serve.Teaching, "%s", "", 1))); got > serve.TeachingTokens || got < serve.TeachingTokens-3 {
		t.Errorf("how to write a script costs %d tokens, said to be %d", got, serve.TeachingTokens)
	}
	var real, estimated int
	for _, s := range view.Servers() {
		var b strings.Builder
		for _, x := range s.Tools {
			b.WriteString(x.Line() + "\n" + x.Func + " ")
		}
		want, got := count(string(serve.Quote(b.String()))), text.Tokens(string(serve.Quote(b.String())))
		real, estimated = real+want, estimated+got
		if want > 100 && (got < want*80/100 || got > want*140/100) {
			t.Errorf("%s: %d tokens, estimated %d", s.Name, want, got)
		}
	}
	t.Logf("%d tokens, estimated %d", real, estimated)
}

// fortyServers are servers with names as there are: words, brands, and names
// that nobody knows.
func fortyServers(t *testing.T) *registry.Registry {
	t.Helper()
	from, reg := realTools(t, 535), &registry.Registry{}
	names := strings.Fields(`quaylog fennec brim tessera kilnwright orrery slack filesystem postgres jira linear sentry notion stripe
		gitlab confluence airtable hubspot zendesk grafana datadog pagerduty twilio sendgrid shopify mixpanel segment snowflake
		bigquery kafka docker terraform vault consul weather calendar contacts translate spotify invoices`)
	own := map[string]string{
		"quaylog": "quaylog_%s_berths_of_moorings", "fennec": "%s_dens_by_collar", "brim": "%s_hats_and_ribbons",
		"slack": "slack_%s_message", "filesystem": "%s_file", "weather": "%s_weather_forecast",
	}
	for i, name := range names {
		for j := range 3 + i%5 {
			x := from.Tools[(i*11+j)%len(from.Tools)]
			x.ID, x.Server, x.Hash = "", name, ""
			if o := own[name]; o != "" {
				x.Name, x.Description = fmt.Sprintf(o, []string{"list", "get", "update", "delete", "create", "count", "find"}[j]),
					""
			}
			reg.Tools = append(reg.Tools, x)
		}
	}
	reg.Normalize()
	return called(reg)
}

// over is a server over a registry.
func over(t *testing.T, reg *registry.Registry, opts serve.Options) *serve.Server {
	t.Helper()
	opts.Catalog = func(context.Context) (*catalog.Catalog, error) { return &catalog.Catalog{Registry: reg}, nil }
	s, _ := serving(t, &opts)
	receive(t, s.Told())
	return s
}

func TestFortyServersAreAllNamed(t *testing.T) {
	t.Parallel()
	count := counter(t)
	reg := fortyServers(t)
	text := over(t, reg, serve.Options{}).Described()
	if got := count(listed(text)); got > serve.DefaultDescribeTokens || got < serve.DefaultDescribeTokens*90/100 {
		t.Errorf("%d tokens", got)
	}
	_, list, _ := strings.Cut(text, "\nServers:\n")
	for _, srv := range reg.Servers {
		if !slices.Contains(serve.TextNames(list), srv.Name) {
			t.Errorf("%s is not in %s", srv.Name, list)
		}
	}
	for _, want := range []string{
		"quaylog (berths moorings)", "fennec (collar dens)", "brim (hats ribbons)", " slack ", " filesystem ", " weather ",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in %s", want, list)
		}
	}
}

func TestWhatDoesNotFitIsCountedAndCanBeAskedFor(t *testing.T) {
	t.Parallel()
	count := counter(t)
	reg := realTools(t, 3000)
	for i := range reg.Servers {
		if i < 20 { // the first of all, by name
			reg.Servers[i].Transport = "snapshot"
		}
	}
	text := over(t, reg, serve.Options{}).Described()
	if got := count(listed(text)); got > serve.DefaultDescribeTokens || got < serve.DefaultDescribeTokens*80/100 {
		t.Errorf("%d tokens", got)
	}
	var servers, tools int
	_, rest, _ := strings.Cut(text, "\nand ")
	if _, err := fmt.Sscanf(rest, "%d more servers, %d tools: UseTools(\"what you need\") alone finds them", &servers,
		&tools); err != nil {
		t.Fatal(err, text)
	}
	_, list, _ := strings.Cut(text, "\nServers:\n")
	list, _, _ = strings.Cut(list, "\nand ")
	named := strings.Fields(list)
	for _, srv := range reg.Servers {
		if srv.Transport == "snapshot" && slices.Contains(named, srv.Name) {
			t.Errorf("%s cannot be called and stands before others", srv.Name)
		}
	}
	if len(named)+servers != len(reg.Servers) || tools >= len(reg.Tools) || len(named) < 20 {
		t.Errorf("%d named, %d more of %d servers; %d more of %d tools", len(named), servers, len(reg.Servers), tools,
			len(reg.Tools))
	}
}

// The list is the same after a restart and from another instance, whatever was
// used or learnt meanwhile.
func TestOneRegistryHasOneList(t *testing.T) {
	for _, n := range []int{20, 535} {
		reg := realTools(t, n)
		learnt := func(context.Context) (*catalog.Catalog, error) {
			log := usage.Open(filepath.Join(t.TempDir(), "usage.jsonl"))
			log.Add(usage.Run{Time: time.Now(), Status: "ok", Tools: []usage.Calls{{Tool: reg.Tools[n-1].ID, Calls: 100}}})
			shapes := observe.New("")
			for i := range reg.Tools {
				for range 5 {
					shapes.Observe(reg.Tools[i].ID, []byte(`{"structuredContent":{"learnt":1}}`), true)
				}
			}
			return &catalog.Catalog{Registry: reg, Usage: log, Shapes: shapes}, nil
		}
		a := over(t, reg, serve.Options{})
		b, _ := serving(t, &serve.Options{Catalog: learnt})
		receive(t, b.Told())
		if x, y := a.Described(), b.Described(); x != y {
			t.Errorf("%s\n%s", x, y)
		}
	}
}

func TestUsedToolsComeFirstWhereThatIsAskedFor(t *testing.T) {
	reg := realTools(t, 150)
	used := reg.Tools[40].ID
	log := usage.Open(filepath.Join(t.TempDir(), "usage.jsonl"))
	if err := log.Add(usage.Run{Time: time.Now(), Status: "ok",
		Tools: []usage.Calls{{Tool: used, Calls: 20}}}); err != nil {
		t.Fatal(err)
	}
	cat := &catalog.Catalog{Registry: reg, Usage: log}
	x, _ := wrappers.NewView(reg).Tool(used)
	for _, order := range []bool{false, true} {
		s, _ := serving(t, &serve.Options{UsageOrder: order,
			Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }})
		receive(t, s.Told())
		c := s.NewSession("a", serve.Execute, true)
		if got := c.Shown(); strings.Contains(got, x.Line()) != order {
			t.Errorf("order by use %v: %s in\n%s", order, x.Line(), got)
		}
		// It counts when a session begins, not during it.
		before := c.Shown()
		if err := log.Add(usage.Run{Time: time.Now(), Status: "ok",
			Tools: []usage.Calls{{Tool: reg.Tools[0].ID, Calls: 5000}}}); err != nil {
			t.Fatal(err)
		}
		list := c.Guard(func(context.Context, string, mcp.Request) (mcp.Result, error) { return nil, nil })
		if _, err := list(t.Context(), "tools/list", nil); err != nil || c.Shown() != before {
			t.Errorf("the list has changed during a session: %v\n%s", err, c.Shown())
		}
	}
}

func TestWhatCannotBeCalledComesLastAndSaysSo(t *testing.T) {
	reg := testRegistry()
	why := "connection refused"
	for i := range reg.Servers {
		switch s := &reg.Servers[i]; s.Name {
		case "files":
			s.Error = &why
		case "git":
			s.Transport = "snapshot"
		}
	}
	_, list, _ := strings.Cut(over(t, reg, serve.Options{DescribeTokens: 2000}).Described(), "\nServers:\n")
	issues, git := strings.Index(list, "issues.Search("), strings.Index(list, "\nSnapshots, not callable:\ngit.")
	files := strings.Index(list, "\nDown at the last build:\nfiles.")
	if issues < 0 || git < issues || files < git {
		t.Error(list)
	}
	_, list, _ = strings.Cut(over(t, reg, serve.Options{DescribeTokens: serve.MinDescribeTokens + 20}).Described(), "\nServers:\n")
	if !strings.HasSuffix(list, "\nSnapshots, not callable:\ngit\nDown at the last build:\nfiles") {
		t.Error(list)
	}
}

func TestTheDiscoveryToolsCostLittle(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.Discovery})
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
