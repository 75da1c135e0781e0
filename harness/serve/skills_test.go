package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/skills"
	"github.com/usetools/usetools/registry/skill"
)

var guides = os.DirFS("../../cmd/harness/help/html")

type (
	skillParams struct {
		mcp.ParamsBase
		URI    string `json:"uri,omitempty"`
		Cursor string `json:"cursor,omitempty"`
	}
	skillResult struct {
		mcp.ResultBase
		ResultType string         `json:"resultType"`
		Skills     []*skill.Skill `json:"skills"`
		Skill      *skill.Skill   `json:"skill"`
		NextCursor string         `json:"nextCursor"`
		TTLMs      *int           `json:"ttlMs"`
		CacheScope string         `json:"cacheScope"`
	}
)

// asker is a client that knows the extension for skills.
func asker(t *testing.T, connect func(*mcp.Client) (*mcp.ClientSession, error)) *client {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for _, method := range []string{skill.MethodList, skill.MethodGet} {
		if err := mcp.AddSendingCustomMethod[*skillParams, *skillResult](c, method); err != nil {
			t.Fatal(err)
		}
	}
	cs, err := connect(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return &client{cs, t, nil, nil}
}

func askHTTP(t *testing.T, url, version, token string) *client {
	return asker(t, func(c *mcp.Client) (*mcp.ClientSession, error) {
		return c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
	})
}

func askStdio(t *testing.T, s *serve.Server) *client {
	return asker(t, func(c *mcp.Client) (*mcp.ClientSession, error) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- s.Stdio(ctx, inR, outW) }()
		t.Cleanup(func() { cancel(); inW.Close(); outR.Close(); receive(t, done) })
		return c.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	})
}

func (c *client) skills(cursor string) *skillResult {
	c.t.Helper()
	res, err := mcp.CallCustomMethod[*skillParams, *skillResult](c.t.Context(), c.ClientSession, skill.MethodList, &skillParams{Cursor: cursor})
	if err != nil {
		c.t.Fatal(err)
	}
	return res
}

// imports reads all skills as a host does: it lists them, reads their files, and verifies them.
func (c *client) imports() (uris []string) {
	c.t.Helper()
	for cursor := ""; ; {
		page := c.skills(cursor)
		if page.ResultType != "complete" || page.TTLMs == nil || page.CacheScope != "private" {
			c.t.Errorf("%+v", page)
		}
		for _, listed := range page.Skills {
			uris = append(uris, listed.URI)
			got, err := mcp.CallCustomMethod[*skillParams, *skillResult](c.t.Context(), c.ClientSession, skill.MethodGet,
				&skillParams{URI: listed.URI})
			if err != nil {
				c.t.Fatal(err)
			}
			if d := cmp.Diff(listed, got.Skill); d != "" || got.ResultType != "complete" || got.TTLMs == nil {
				c.t.Error(d, got)
			}
			for i, f := range listed.Resources {
				res, err := c.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: f.URI})
				if err != nil {
					c.t.Fatal(err)
				}
				text := res.Contents[0].Text
				if i == 0 {
					if err := listed.Verify([]byte(text)); err != nil || res.Contents[0].MIMEType != "text/markdown" {
						c.t.Error(err, res.Contents[0].MIMEType)
					}
				} else if skill.Digest([]byte(text)) != f.Digest {
					c.t.Error(f)
				}
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			return uris
		}
	}
}

func savedScripts(t *testing.T, n int) *library.Library {
	t.Helper()
	lib := library.Open(t.TempDir())
	for i := range n {
		if err := lib.Save(&library.Script{Name: fmt.Sprintf("s-%03d", i), About: "Says a number", Source: fmt.Sprintf("Return(%d)", i)}); err != nil {
			t.Fatal(err)
		}
	}
	return lib
}

func withScripts(lib *library.Library) func(context.Context) (*catalog.Catalog, error) {
	cat := &catalog.Catalog{Registry: testRegistry(), Calls: newFake(), Scripts: lib}
	return func(context.Context) (*catalog.Catalog, error) { return cat, nil }
}

// A host of each revision gets all skills, over each transport, and what it reads is what was
// listed.
func TestHostsImportSkills(t *testing.T) {
	lib := savedScripts(t, 101)
	s, _ := serving(t, &serve.Options{Guides: guides, Catalog: withScripts(lib)})
	check := func(t *testing.T, c *client) {
		uris := c.imports()
		if len(uris) != 102 || uris[0] != skills.GuideURI || uris[101] != "skill://scripts/s-100/SKILL.md" {
			t.Errorf("%d skills: %q", len(uris), uris)
		}
		if can := c.InitializeResult().Capabilities; can.Extensions[skill.Extension] == nil || can.Resources == nil {
			t.Errorf("%+v", can)
		}
		for _, uri := range []string{"skill://scripts/none/SKILL.md", "skill://usetools", "skill://usetools/more.md", "", "\x00\""} {
			_, err := mcp.CallCustomMethod[*skillParams, *skillResult](t.Context(), c.ClientSession, skill.MethodGet, &skillParams{URI: uri})
			failed := []error{err}
			if strings.HasPrefix(uri, "skill:") {
				_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				failed = append(failed, err)
			}
			for _, err := range failed {
				var wire *jsonrpc.Error
				if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
					t.Errorf("%q: %v", uri, err)
				}
			}
		}
		if _, err := mcp.CallCustomMethod[*skillParams, *skillResult](t.Context(), c.ClientSession, skill.MethodList,
			&skillParams{Cursor: "?"}); err == nil {
			t.Error("a cursor of another server is taken")
		}
	}
	t.Run("stdio", func(t *testing.T) { check(t, askStdio(t, s)) })
	for _, stateless := range []bool{false, true} {
		url := "http://" + listen(t, s, &serve.HTTP{Stateless: stateless}) + "/mcp"
		for _, version := range []string{"2026-07-28", "2025-11-25", "2025-03-26"} {
			t.Run(fmt.Sprint(version, stateless), func(t *testing.T) { check(t, askHTTP(t, url, version, "")) })
		}
	}
}

// A token sees skills of the scripts that it can run.
func TestATokenSeesSkillsOfItsScripts(t *testing.T) {
	x := newTenants(t, "2026-07-28", twoTokens, &serve.Options{Guides: guides})
	if err := x.scripts.Save(&library.Script{Name: "shared", Source: "Return(1)"}); err != nil {
		t.Fatal(err)
	}
	x.saves(x.ann, "mine", "ann")
	for name, want := range map[string][]string{"ann": {"usetools", "mine", "shared"}, "bob": {"usetools", "shared"}} {
		var got []string
		c := askHTTP(t, x.url+"/mcp", x.version, twoTokens[name])
		for _, s := range c.skills("").Skills {
			got = append(got, s.Name())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s sees %q", name, got)
		}
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://scripts/mine/script.go"})
		if (err == nil) != (name == "ann") {
			t.Errorf("%s reads it: %v", name, err)
		}
	}
}

// Skills cost nothing until they are read: the list of tools has not one token more.
func TestSkillsDoNotChangeTheListOfTools(t *testing.T) {
	var lists []string
	for _, opts := range []*serve.Options{{}, {Guides: guides}} {
		opts.Catalog = withScripts(savedScripts(t, 3))
		s, _ := serving(t, opts)
		list, err := askStdio(t, s).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, string(b))
	}
	if lists[0] != lists[1] || strings.Contains(lists[1], "skill") {
		t.Error(cmp.Diff(lists[0], lists[1]))
	}
}

// Clients that write no scripts have no skills.
func TestClassicClientsHaveNoSkills(t *testing.T) {
	s, _ := serving(t, &serve.Options{Guides: guides, Tools: serve.Classic})
	c := askStdio(t, s)
	if can := c.InitializeResult().Capabilities; len(can.Extensions) > 0 {
		t.Errorf("%+v", can)
	}
	if _, err := mcp.CallCustomMethod[*skillParams, *skillResult](t.Context(), c.ClientSession, skill.MethodList, &skillParams{}); err == nil {
		t.Error("skills are listed")
	}
}

// What the prompt and the skill teach runs, with the tools that there are.
func TestTheGuideIsTrue(t *testing.T) {
	s, f := serving(t, &serve.Options{Guides: guides, ListTokens: 1000})
	c := connect(t, s, nil)
	p, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "scripts"})
	if err != nil {
		t.Fatal(err)
	}
	text := p.Messages[0].Content.(*mcp.TextContent).Text
	if res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: skills.GuideURI}); err != nil ||
		!strings.HasSuffix(res.Contents[0].Text, text) {
		t.Error("the skill and the prompt differ", err)
	}
	blocks := strings.Split(text, "```go\n")[1:]
	if len(blocks) != 3 {
		t.Fatalf("%d examples in\n%s", len(blocks), text)
	}
	for i, want := range []string{"number", "content of a", ""} {
		script, _, _ := strings.Cut(blocks[i], "```")
		res := c.call("execute", map[string]any{"script": script, "inputs": map[string]any{"values": []string{"a", "missing"}}})
		if res.IsError || !strings.Contains(textOf(res), want) {
			t.Errorf("example %d: %s\n%s", i+1, textOf(res), script)
		}
	}
	if f.calls.Load() != 4 {
		t.Error(f.calls.Load(), "calls")
	}
}
