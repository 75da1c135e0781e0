package serve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
)

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

func TestANewsLineSaysWhatHasChanged(t *testing.T) {
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprintf("tool_%c", 'a'+i)
	}
	long := "server \"files\": dial tcp:\n connection refused " + strings.Repeat("x", 200)
	for _, x := range []struct {
		name        string
		before, now func(*registry.Registry)
		want        string
	}{
		{"nothing", func(*registry.Registry) {}, func(*registry.Registry) {}, ""},
		{"down", func(*registry.Registry) {}, fails("files", long),
			"files is down: dial tcp: connection refused " + strings.Repeat("x", 80-len("dial tcp: connection refused ")) + "…"},
		{"down for another reason", fails("files", "a"), fails("files", "b"), ""},
		{"back", fails("files", "a"), func(*registry.Registry) {}, "files is back"},
		{"new tools", func(*registry.Registry) {}, adds("git", "git_show", "git_diff"), "new tools: git.Diff, git.Show"},
		{"many", func(*registry.Registry) {}, adds("git", many...),
			"new tools: git.ToolA, git.ToolB, git.ToolC, git.ToolD, git.ToolE, git.ToolF, git.ToolG, git.ToolH, and 12 more"},
		{"removed", adds("git", "git_show"), func(*registry.Registry) {}, "removed tools: git.Show"},
		{"changed", func(*registry.Registry) {}, func(reg *registry.Registry) {
			x, _ := reg.Tool("git.git_log")
			x.Input, x.Hash = serve.Schema(`{"type":"object"}`), ""
		}, "changed tools: git.Log"},
		{"a new server", func(*registry.Registry) {}, adds("tides", "low", "high"), "new servers: tides (2 tools)"},
		{"a removed server", adds("tides", "low", "high"), func(*registry.Registry) {}, "removed servers: tides"},
		{"denied", func(*registry.Registry) {}, adds("git", "git_push"), ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			s, _ := serving(t, &serve.Options{Policy: &policy.Policy{Deny: []string{"git.git_push"}}})
			receive(t, s.Told())
			got, err := s.Changes(other(x.before), other(x.now))
			if err != nil || strings.Join(got, "; ") != x.want {
				t.Errorf("got %q, %v, want %q", got, err, x.want)
			}
		})
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

// That a server goes down or comes back does not change a session's list; its
// next answer says so, once. Other tools change it, and clients are told.
func TestASessionIsToldOnceOfWhatChanges(t *testing.T) {
	t.Parallel()
	s, exchange := changing(t)
	told := make(chan struct{}, 100)
	c := connect(t, s, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context,
		*mcp.ToolListChangedRequest) {
		told <- struct{}{}
	}})
	list := func() string {
		t.Helper()
		l, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return l.Tools[0].Description
	}
	first := list()
	says := func(want string) {
		t.Helper()
		if got, _ := c.run("Return(1)"); got != "1\n"+want {
			t.Errorf("got %q, want %q at its end", got, want)
		}
	}
	says("")
	exchange(other(fails("files", "connection refused")))
	if got := list(); got != first {
		t.Errorf("the list has changed:\n%s\n%s", first, got)
	}
	says("since the list was sent: files is down: connection refused\n")
	says("")
	if got := list(); got != first {
		t.Errorf("the list has changed:\n%s\n%s", first, got)
	}
	says("")
	exchange(testRegistry())
	says("since the list was sent: files is back\n")
	says("")
	if len(told) > 0 {
		t.Error("the client was told of a list that is as it was")
	}
	if fresh := s.NewSession("fresh", serve.Execute, true); fresh.Shown() != first {
		t.Errorf("a new session has another list:\n%s\n%s", first, fresh.Shown())
	}

	exchange(other(adds("issues", "close")))
	receive(t, told)
	says("since the list was sent: new tools: issues.Close\n")
	says("")
	if got := list(); !strings.Contains(got, "issues.Close(") {
		t.Errorf("the new tool is not in the list: %s", got)
	}
	exchange(testRegistry())
	receive(t, told)
	list() // the client has seen it
	says("")
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
	if !strings.Contains(first, "issues.Close(") || c.Shown() != first {
		t.Errorf("%s\n%s", first, c.Shown())
	}
	if !s.DescribesLater() {
		t.Fatal("nothing will tell of the second change")
	}
	if !strings.Contains(c.Shown(), "issues.Reopen(") {
		t.Error(c.Shown())
	}
}

// Who has no session is told in every answer that a change concerns.
func TestWithoutASessionTheAnswersConcernedTell(t *testing.T) {
	t.Parallel()
	s, exchange := changing(t)
	c := s.NewSession("anonymous", serve.Execute, false)
	exchange(other(func(reg *registry.Registry) {
		fails("files", "connection refused")(reg)
		adds("issues", "close")(reg)
	}))
	use := func(tool string) *harness.Result {
		return &harness.Result{Tools: []harness.ToolUse{{Go: tool}}, Calls: []harness.Call{{Tool: tool}}}
	}
	for range 2 {
		for _, x := range []struct {
			res  *harness.Result
			want string
		}{
			{&harness.Result{}, ""},
			{use("git.Log"), ""},
			{use("files.ReadFile"), "now: files is down: connection refused\n"},
			{use("issues.Search"), "now: new tools: issues.Close\n"},
			{&harness.Result{Errors: []harness.Error{{Message: "files has no Weight"}}},
				"now: files is down: connection refused\n"},
			{&harness.Result{Down: []string{"files"}}, "now: files is down: connection refused\n"},
		} {
			if got := c.News(x.res); got != x.want {
				t.Errorf("got %q, want %q", got, x.want)
			}
		}
	}
}
