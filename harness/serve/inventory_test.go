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
	"github.com/usetools/usetools/harness/outcome"
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
func realTools(t testing.TB, n int) *registry.Registry {
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
	for _, n := range append([]int{0, 1, 16, 60, 150, 535}, largeRegistries...) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			reg := realTools(t, n)
			s := over(t, reg, serve.Options{})
			c := connect(t, s, nil)
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			wire, err := json.Marshal(map[string]any{"tools": list.Tools})
			if err != nil {
				t.Fatal(err)
			}
			text := list.Tools[0].Description
			got, signed := count(string(wire)), signatures(text, reg)
			t.Logf("%d tools: %d tokens, %d signatures\n%s", n, got, signed, text)
			if got > serve.DefaultListTokens || n >= 60 && got < serve.DefaultListTokens*85/100 {
				t.Errorf("%d tokens", got)
			}
			if n <= 16 && signed != n || n == 60 && signed < 35 || signed < min(n, 16) {
				t.Errorf("%d signatures", signed)
			}
			if description(c) != text {
				t.Error("the description is not stable")
			}
		})
	}
}

// whole is a description whose lines name their server each.
func whole(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, ".") {
			server, _, _ := strings.Cut(lines[i], ".")
			lines[i+1] = server + line
		}
	}
	return strings.Join(lines, "\n")
}

// signatures counts the tools of a registry whose signature is in a text.
func signatures(text string, reg *registry.Registry) (n int) {
	text = whole(text)
	for _, s := range wrappers.NewView(reg).Servers() {
		for _, t := range s.Tools {
			if strings.Contains(text, "\n"+t.Go()+"(") {
				n++
			}
		}
	}
	return n
}

func TestDeniedToolsAreNotAdvertised(t *testing.T) {
	s, _ := serving(t, &serve.Options{Policy: &policy.Policy{Deny: []string{"git", "files.delete_*"}}})
	receive(t, s.Told())
	if got := s.Described(); strings.Contains(got, "git") || strings.Contains(got, "DeleteFile") ||
		!strings.Contains(whole(got), "files.ReadFile") {
		t.Error(got)
	}
}

// A catalog of one server, whatever its names cost, keeps the budget too.
func TestTheListOfEachServerFits(t *testing.T) {
	t.Parallel()
	count := counter(t)
	for _, s := range wrappers.NewView(realTools(t, 535)).Servers() {
		reg := &registry.Registry{}
		for _, x := range s.Tools {
			reg.Tools = append(reg.Tools, *x.Tool)
		}
		reg.Normalize()
		for _, budget := range []int{300, 600, serve.DefaultListTokens} {
			if got := count(listed(over(t, called(reg), serve.Options{ListTokens: budget}).Described())); got > budget {
				t.Errorf("%s: %d tokens of %d", s.Name, got, budget)
			}
		}
	}
}

func TestLargerBudgetsHold(t *testing.T) {
	t.Parallel()
	count := counter(t)
	reg := realTools(t, 535)
	for _, budget := range []int{300, 600, 2000, 4000} {
		s, _ := serving(t, &serve.Options{ListTokens: budget,
			Catalog: func(context.Context) (*catalog.Catalog, error) { return &catalog.Catalog{Registry: reg}, nil }})
		receive(t, s.Told())
		if got := count(listed(s.Described())); got > budget || got < budget*80/100 {
			t.Errorf("%d tokens of %d", got, budget)
		}
	}
}

// The estimate must be right on what descriptions are made of.
func TestTokensAreEstimatedWell(t *testing.T) {
	t.Parallel()
	count := counter(t)
	reg := realTools(t, 1168)
	cat := &catalog.Catalog{Registry: reg}
	view, err := cat.View()
	if err != nil {
		t.Fatal(err)
	}
	taught := fmt.Sprintf(serve.Teaching, "", "30s")
	if got := count(listed(taught)); got > serve.TeachingTokens || got < serve.TeachingTokens-3 || count(taught) > 200 {
		t.Errorf("a list with nothing but teaching costs %d tokens, said to be %d; teaching %d", got, serve.TeachingTokens, count(taught))
	}
	var real, estimated int
	for _, s := range view.Servers() {
		var b strings.Builder
		for _, x := range s.Tools {
			b.WriteString(x.Sketch(6) + "\n" + x.Func + " ")
		}
		want, got := count(string(serve.Quote(b.String()))), text.Tokens(string(serve.Quote(b.String())))
		real, estimated = real+want, estimated+got
		if want > 100 && (got < want*80/100 || got > want*140/100) {
			t.Errorf("%s: %d tokens, estimated %d", s.Name, want, got)
		}
	}
	t.Logf("%d tokens, estimated %d", real, estimated)
}

// over is a server over a registry.
func over(t testing.TB, reg *registry.Registry, opts serve.Options) *serve.Server {
	t.Helper()
	opts.Catalog = func(context.Context) (*catalog.Catalog, error) { return &catalog.Catalog{Registry: reg}, nil }
	s, _ := serving(t, &opts)
	receive(t, s.Told())
	return s
}

// The list is the same after a restart and from another instance, whatever was
// used or learnt meanwhile.
func TestOneRegistryHasOneList(t *testing.T) {
	t.Parallel()
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

// other is the test's registry after a change.
func other(change func(*registry.Registry)) *registry.Registry {
	reg := testRegistry()
	change(reg)
	reg.Normalize()
	return reg
}

// fails says of a server that it could not be asked.
func fails(name, why string) func(*registry.Registry) {
	return func(reg *registry.Registry) {
		srv, _ := reg.Server(name)
		srv.Error = &why
		for i := range reg.Tools {
			reg.Tools[i].Stale = reg.Tools[i].Stale || reg.Tools[i].Server == name
		}
	}
}

func adds(server string, names ...string) func(*registry.Registry) {
	return func(reg *registry.Registry) {
		for _, name := range names {
			reg.Tools = append(reg.Tools, registry.Tool{Server: server, Name: name})
		}
	}
}

// changing is a server whose registry is exchanged by the function.
func changing(t *testing.T) (s *serve.Server, exchange func(*registry.Registry)) {
	t.Helper()
	next, done := make(chan *registry.Registry), make(chan struct{})
	var f *fake
	s, f = serving(t, &serve.Options{Watch: func(ctx context.Context, updated func(*catalog.Catalog, error)) error {
		for {
			select {
			case reg := <-next:
				updated(&catalog.Catalog{Registry: reg, Calls: f}, nil)
				done <- struct{}{}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}})
	receive(t, s.Told())
	return s, func(reg *registry.Registry) {
		s.ForgetChange()
		next <- reg
		receive(t, done)
	}
}

// That a server goes down or comes back does not change a session's list, which a client
// keeps in its prompt cache. Other tools change it, and clients are told.
func TestAListStaysWhileTheToolsStay(t *testing.T) {
	t.Parallel()
	s, exchange := changing(t)
	told := make(chan struct{}, 100)
	c := connect(t, s, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context,
		*mcp.ToolListChangedRequest) {
		told <- struct{}{}
	}})
	first := description(c)
	exchange(other(fails("files", "connection refused")))
	if got := description(c); got != first {
		t.Errorf("the list has changed:\n%s\n%s", first, got)
	}
	exchange(testRegistry())
	if fresh := s.NewSession("fresh", serve.Execute, true); fresh.Shown() != first || len(told) > 0 {
		t.Errorf("a new session has another list, or the client was told of one:\n%s\n%s", first, fresh.Shown())
	}
	exchange(other(adds("issues", "close")))
	receive(t, told)
	if got := whole(description(c)); !strings.Contains(got, "issues.Close(") {
		t.Errorf("the new tool is not in the list: %s", got)
	}
}

// Of two changes within a minute clients are told of the second one later.
func TestListsDoNotChangeAllTheTime(t *testing.T) {
	t.Parallel()
	s, exchange := changing(t)
	c := s.NewSession("a", serve.Execute, true)
	c.IsOne(true)
	exchange(other(adds("issues", "close")))
	first := c.Shown()
	s.SetCatalog(&catalog.Catalog{Registry: other(adds("issues", "close", "reopen"))})
	s.DescribeSoon()
	if !strings.Contains(whole(first), "issues.Close(") || c.Shown() != first {
		t.Errorf("%s\n%s", first, c.Shown())
	}
	if !s.DescribesLater() {
		t.Fatal("nothing will tell of the second change")
	}
	if !strings.Contains(whole(c.Shown()), "issues.Reopen(") {
		t.Error(c.Shown())
	}
}

// Tools that cannot be called are counted, not named.
func TestUnavailableToolsAreCounted(t *testing.T) {
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
	got := over(t, reg, serve.Options{}).Described()
	if !strings.HasSuffix(got, "\n6 tools cannot be called now") || strings.Contains(got, "git") || strings.Contains(got, "files.") ||
		!strings.Contains(got, "\nissues.Search(Query string)\n") {
		t.Error(got)
	}
}

// The example is a call that runs.
func TestTheExampleRuns(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	_, example, _ := strings.Cut(description(c), "\n")
	example, _, _ = strings.Cut(example, "\n")
	if got, a := c.run(example); a.Status != outcome.OK || len(a.Calls) != 1 || a.Calls[0].Tool != "files.read_file" {
		t.Errorf("%s: %s", example, got)
	}
}

// Examples of all tools of real servers compile.
func TestExamplesCompile(t *testing.T) {
	t.Parallel()
	reg := realTools(t, 535)
	c := connect(t, over(t, reg, serve.Options{}), nil)
	n := 0
	for _, s := range wrappers.NewView(reg).Servers() {
		script := "never := func() {\n"
		for _, x := range s.Tools {
			if call, result := x.Example(); call != "" {
				script += fmt.Sprintf("{ r, err := %s; _, _ = %s, err }\n", call, result)
				n++
			}
		}
		if got, a := c.run(script + "}\n_ = never\nReturn(1)"); a.Status != outcome.OK {
			t.Error(got)
		}
	}
	t.Log(n, "examples")
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
