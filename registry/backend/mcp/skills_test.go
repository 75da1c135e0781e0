package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/skill"
	"github.com/usetools/usetools/registry/skill/skilltest"
)

// skillServer returns the listing of an HTTP server with one tool and skills.
func skillServer[E any](t *testing.T, entries []E, files skilltest.Files, change func(*sdk.Server, *config.Server)) (
	*backend.Listing, error) {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, skilltest.Options())
	sdk.AddTool(s, &sdk.Tool{Name: "t"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, nil
	})
	if err := skilltest.Serve(s, entries, files); err != nil {
		t.Fatal(err)
	}
	def := config.Server{Name: "s", Type: config.HTTP}
	if change != nil {
		change(s, &def)
	}
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	def.URL = web.URL
	return open(t, def, nil).List(t.Context())
}

func markdown(name, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: About %[1]s.\n---\n%s", name, body)
}

func TestSkillsOfAServerAreRead(t *testing.T) {
	t.Parallel()
	files := skilltest.Files{
		"skill://refunds/SKILL.md":      markdown("refunds", "Look first.\n"),
		"skill://refunds/ref/other.md":  "other",
		"skill://a/mail/SKILL.md":       markdown("mail", "1"),
		"skill://b/mail/SKILL.md":       markdown("mail", "2"),
		"github://o/r/triage/SKILL.md":  markdown("triage", ""),
		"github://o/r/triage/a/x/y.txt": "",
	}
	l, err := skillServer(t, files.Entries(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range l.Server.Skills {
		got = append(got, fmt.Sprint(k.Name, " ", k.Description, " ", k.URI, " ", k.Files, k.Text == files[k.URI], len(k.Digest)))
	}
	want := []string{
		"a/mail About mail. skill://a/mail/SKILL.md 1 true 71",
		"b/mail About mail. skill://b/mail/SKILL.md 1 true 71",
		"refunds About refunds. skill://refunds/SKILL.md 2 true 71",
		"triage About triage. github://o/r/triage/SKILL.md 2 true 71",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(l.Tools) != 1 || len(l.Server.Problems) != 2 || !strings.Contains(l.Server.Problems[0], `2 skills have the name "mail"`) {
		t.Errorf("%d tools, problems %q", len(l.Tools), l.Server.Problems)
	}
	other := skilltest.Files{"skill://refunds/SKILL.md": files["skill://refunds/SKILL.md"], "skill://refunds/ref/other.md": "changed"}
	changed, err := skillServer(t, other.Entries(), other, nil)
	if err != nil || changed.Server.Skills[0].Digest == l.Server.Skills[2].Digest {
		t.Errorf("the digest does not cover supporting files: %v", err)
	}
}

func TestBadSkillsAreProblemsAndTheRestIsKept(t *testing.T) {
	t.Parallel()
	const uri = "skill://bad/SKILL.md"
	for name, c := range map[string]struct {
		text   string // of SKILL.md; if empty, a good one
		change func(entry map[string]any, files skilltest.Files)
		want   string
	}{
		"no front matter": {"# Bad\n", nil, `want lowercase letters`},
		"no front matter, but an entry": {"# Bad\n", func(e map[string]any, _ skilltest.Files) {
			e["frontmatter"] = map[string]any{"name": "bad", "description": "x"}
		}, "no front matter"},
		"digest":       {"", func(_ map[string]any, f skilltest.Files) { f[uri] = strings.Replace(f[uri], "Text", "Tex!", 1) }, "has the digest"},
		"size":         {"", func(_ map[string]any, f skilltest.Files) { f[uri] += "x" }, "its entry says"},
		"too large":    {markdown("bad", strings.Repeat("x", 33<<10)), nil, "want at most 32768"},
		"dynamic":      {"", func(e map[string]any, _ skilltest.Files) { e["resources"] = "dynamic" }, "cannot be verified"},
		"no resources": {"", func(e map[string]any, _ skilltest.Files) { delete(e, "resources") }, "not among its files"},
		"outside": {"", func(e map[string]any, _ skilltest.Files) {
			e["resources"] = append(e["resources"].([]any), map[string]any{"uri": "skill://bad/../good/SKILL.md",
				"digest": skill.Digest(nil), "size": 0})
		}, "outside"},
		"name":         {markdown("Bad", ""), nil, "want lowercase letters"},
		"other name":   {markdown("worse", ""), nil, "is not that of its folder"},
		"front matter": {"", func(e map[string]any, _ skilltest.Files) { e["frontmatter"].(map[string]any)["license"] = "x" }, "differs"},
		"twice":        {"", func(e map[string]any, _ skilltest.Files) { e["uri"] = "skill://good/SKILL.md" }, "listed twice"},
		"missing":      {"", func(_ map[string]any, f skilltest.Files) { delete(f, uri) }, "Resource not found"},
		"a number":     {"", func(e map[string]any, _ skilltest.Files) { e["uri"] = 7 }, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := skilltest.Files{"skill://good/SKILL.md": markdown("good", ""), uri: markdown("bad", "Text")}
			if c.text != "" {
				files[uri] = c.text
			}
			raw, _ := json.Marshal(files.Entries())
			var entries []map[string]any
			if err := json.Unmarshal(raw, &entries); err != nil || entries[0]["uri"] != uri {
				t.Fatal(err)
			}
			if c.change != nil {
				c.change(entries[0], files)
			}
			entries[0], entries[1] = entries[1], entries[0]
			l, err := skillServer(t, entries, files, nil)
			if err != nil || len(l.Tools) != 1 || len(l.Server.Skills) != 1 || l.Server.Skills[0].Name != "good" {
				t.Fatalf("%+v, %v", l, err)
			}
			if p := l.Server.Problems; len(p) != 1 || !strings.HasPrefix(p[0], "skill ") || !strings.Contains(p[0], c.want) {
				t.Errorf("problems %q; want %q", p, c.want)
			}
		})
	}
}

func TestServersWhoseSkillsCannotBeListedKeepTheirTools(t *testing.T) {
	t.Parallel()
	files := skilltest.Files{"skill://good/SKILL.md": markdown("good", "")}
	hang := func(method string) func(*sdk.Server, *config.Server) {
		return func(s *sdk.Server, def *config.Server) {
			def.StartTimeout = 2 * time.Second
			s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
				return func(ctx context.Context, m string, r sdk.Request) (sdk.Result, error) {
					if m == method {
						select { // longer than the client waits
						case <-ctx.Done():
						case <-time.After(4 * time.Second):
						}
					}
					return next(ctx, m, r)
				}
			})
		}
	}
	fail := func(s *sdk.Server, _ *config.Server) {
		s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, m string, r sdk.Request) (sdk.Result, error) {
				if m == skill.MethodList {
					return nil, fmt.Errorf("disk full")
				}
				return next(ctx, m, r)
			}
		})
	}
	undeclared := func(s *sdk.Server, _ *config.Server) {
		*s = *sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
		s.AddTool(&sdk.Tool{Name: "t", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return nil, nil })
		if err := skilltest.Serve(s, files.Entries(), files); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(*sdk.Server, *config.Server)
		want   []string
	}{
		"hanging list":  {hang(skill.MethodList), []string{"its skills are unknown: no answer within 2s"}},
		"hanging read":  {hang("resources/read"), []string{`skill "skill://good/SKILL.md" left out: no answer within 2s`}},
		"failing":       {fail, []string{"its skills are unknown: "}},
		"not declaring": {undeclared, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := skillServer(t, files.Entries(), files, c.change)
			if err != nil || len(l.Tools) != 1 || len(l.Server.Skills) != 0 || len(l.Server.Problems) != len(c.want) {
				t.Fatalf("%+v, %v", l, err)
			}
			for i, p := range l.Server.Problems {
				if !strings.HasPrefix(p, c.want[i]) {
					t.Errorf("%q; want %q", p, c.want[i])
				}
			}
		})
	}
	many := make(skilltest.Files)
	for i := range 101 {
		name := fmt.Sprint("s", i)
		many["skill://"+name+"/SKILL.md"] = markdown(name, "")
	}
	l, err := skillServer(t, many.Entries(), many, nil)
	if err != nil || len(l.Server.Skills) != 100 || len(l.Server.Problems) != 1 {
		t.Errorf("%d skills, problems %q, %v", len(l.Server.Skills), l.Server.Problems, err)
	}
}
