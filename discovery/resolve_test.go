package discovery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

func tool(server, name, description string) registry.Tool {
	return registry.Tool{Server: server, Name: name, Description: description}
}

func index(t testing.TB, opts *discovery.Options, tools ...registry.Tool) *discovery.Index {
	t.Helper()
	reg := &registry.Registry{Tools: slices.Clone(tools)} // Normalize sorts them
	reg.Normalize()
	ix, err := discovery.New(reg, opts)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func resolve(t testing.TB, ix *discovery.Index, phrase string, opts *discovery.ResolveOptions) discovery.Resolution {
	t.Helper()
	r, err := ix.Resolve(phrase, opts)
	if err != nil {
		t.Fatalf("%.80q: %v", phrase, err)
	}
	return r
}

var gitTools = []registry.Tool{
	tool("git", "git_log", "Show the commit history of a repository."),
	tool("git", "git_diff", "Show the changes between two commits."),
	tool("git", "git_status", "Show which files of the working tree are modified."),
	tool("mcp.files", "read/file", "Read a file as text."),
	tool("my files", "search", "Search files by their content."),
	tool("memory", "search", "Search the nodes of the knowledge graph."),
}

func TestExactNamesWinOutright(t *testing.T) {
	ix := index(t, nil, gitTools...)
	for phrase, id := range map[string]string{
		"git.git_log":               "git.git_log",
		"git/git_log":               "git.git_log",
		"mcp__git__git_log":         "git.git_log",
		" git_log\n":                "git.git_log",
		"mcp.files.read/file":       "mcp.files.read/file",
		"mcp.files/read/file":       "mcp.files.read/file",
		"read/file":                 "mcp.files.read/file",
		"mcp__mcp_files__read/file": "mcp.files.read/file",
		"mcp__my_files__search":     "my files.search",
		"my files.search":           "my files.search",
		"memory.search":             "memory.search",
	} {
		want := discovery.Resolution{Phrase: phrase, Verdict: discovery.Resolved, By: discovery.ByExact, Tool: id, Confidence: 1,
			Candidates: []discovery.Candidate{{id, 1}}}
		if diff := cmp.Diff(want, resolve(t, ix, phrase, nil)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", phrase, diff)
		}
	}
	for _, phrase := range []string{"Git.git_log", "gitgit_log", "git.log", "memory.git_log", "mcp__git_log"} {
		if r := resolve(t, ix, phrase, nil); r.By == discovery.ByExact {
			t.Errorf("%q is taken for the name %s", phrase, r.Tool)
		}
	}
}

func TestNameOfToolsOnTwoServersIsAmbiguous(t *testing.T) {
	both := []discovery.Candidate{{"memory.search", .5}, {"my files.search", .5}}
	want := discovery.Resolution{Phrase: "search", Verdict: discovery.Ambiguous, Reason: "the phrase is the name of 2 tools",
		Confidence: .5, Candidates: both}
	if diff := cmp.Diff(want, resolve(t, index(t, nil, gitTools...), "search", nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r := resolve(t, index(t, nil, gitTools...), "search", &discovery.ResolveOptions{Server: "memory"})
	if r.Tool != "memory.search" || r.By != discovery.ByExact {
		t.Errorf("on one server it is %+v", r)
	}
	r = resolve(t, index(t, &discovery.Options{Prefer: []string{"none", "my files"}}, gitTools...), "search", nil)
	if r.Tool != "my files.search" || r.By != discovery.ByPreference {
		t.Errorf("with a preference it is %+v", r)
	}
}

func TestServerIsAHardFilter(t *testing.T) {
	ix := indexOf(t, nil, sets...)
	for _, server := range []string{"azure", "mongodb"} {
		r := resolve(t, ix, "list databases", &discovery.ResolveOptions{Server: server, Candidates: 20})
		if len(r.Candidates) != 20 {
			t.Errorf("%s: %d candidates", server, len(r.Candidates))
		}
		for _, c := range r.Candidates {
			if !strings.HasPrefix(c.ID, server+"/") {
				t.Errorf("asked for %s, got %s", server, c.ID)
			}
		}
	}
	if r := resolve(t, ix, "list databases", &discovery.ResolveOptions{Server: "nobody"}); r.Verdict != discovery.NotFound ||
		len(r.Candidates) > 0 {
		t.Errorf("a server without tools gave %+v", r)
	}
}

func TestSameToolOfTwoServersIsAmbiguousWithBoth(t *testing.T) {
	tools := append(slices.Clone(gitTools),
		tool("github", "create_issue", "Create a new issue in a repository, with a title and a body."),
		tool("gitlab", "create_issue", "Create a new issue in a repository with title and body."))
	const phrase = "create a new issue in a repository"
	r := resolve(t, index(t, nil, tools...), phrase, nil)
	first := []string{r.Candidates[0].ID, r.Candidates[1].ID}
	slices.Sort(first)
	if r.Verdict != discovery.Ambiguous || !slices.Equal(first, []string{"github.create_issue", "gitlab.create_issue"}) {
		t.Errorf("got %+v", r)
	}
	if r := resolve(t, index(t, nil, tools...), phrase+" on gitlab", nil); r.Tool != "gitlab.create_issue" ||
		r.By != discovery.ByPhrase {
		t.Errorf("with the server in the phrase: %+v", r)
	}
	r = resolve(t, index(t, &discovery.Options{Prefer: []string{"github"}}, tools...), phrase, nil)
	if r.Tool != "github.create_issue" || r.By != discovery.ByPreference || r.Candidates[0].ID != r.Tool {
		t.Errorf("with a preference: %+v", r)
	}
	aliases := &discovery.Options{Aliases: map[string][]string{"gitlab": {"the forge"}}}
	if r := resolve(t, index(t, aliases, tools...), phrase+" on the forge", nil); r.Tool != "gitlab.create_issue" {
		t.Errorf("with an alias in the phrase: %+v", r)
	}
}

func TestPreferredServersToolOfTheSameNameComesFirst(t *testing.T) {
	tools := append(slices.Clone(gitTools),
		tool("git2", "git_log", "View the commit history of a repository with filters for author, date and path."))
	const phrase = "show the commit history of a repository"
	if r := resolve(t, index(t, nil, tools...), phrase, nil); r.Tool != "git.git_log" || r.By != discovery.ByPhrase {
		t.Errorf("without a preference: %+v", r)
	}
	prefer := &discovery.Options{Prefer: []string{"git2"}}
	if r := resolve(t, index(t, prefer, tools...), phrase, nil); r.Tool != "git2.git_log" || r.By != discovery.ByPreference {
		t.Errorf("with a preference: %+v", r)
	}
	if r := resolve(t, index(t, prefer, tools...), "show the changes between two commits",
		nil); r.Tool != "git.git_diff" || r.By != discovery.ByPhrase {
		t.Errorf("a tool that the preferred server does not have: %+v", r)
	}
}

func TestServerIsMeantByItsTitle(t *testing.T) {
	reg := &registry.Registry{
		Servers: []registry.Server{{Name: "srv1", Title: "Acme Tracker"}},
		Tools: []registry.Tool{
			tool("srv1", "create_issue", "Create an issue."), tool("srv2", "create_issue", "Create an issue."),
		},
	}
	reg.Normalize()
	ix, err := discovery.New(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := resolve(t, ix, "create an issue in Acme Tracker", nil); r.Tool != "srv1.create_issue" {
		t.Errorf("got %+v", r)
	}
}

func TestDestructiveToolNeedsMoreConfidenceWhenThePhraseAloneDecides(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("searches a whole set, one phrase after another")
	}
	yes, no := true, false
	ix := indexOf(t, nil, "azure_mcp_head")
	between := 0
	for _, q := range queriesOf(t, "azure_mcp_head") {
		r := resolve(t, ix, q.Query, nil)
		if r.Verdict != discovery.Resolved || r.Confidence >= discovery.AloneConfidence {
			continue
		}
		between++
		if r := resolve(t, ix, q.Query, &discovery.ResolveOptions{Alone: true}); r.Verdict == discovery.Resolved {
			t.Errorf("%q resolves to the unannotated %s with %.2f", q.Query, r.Tool, r.Confidence)
		}
	}
	if between == 0 {
		t.Error("no query of the set is between the two thresholds")
	}
	for _, c := range []struct {
		hints *registry.Annotations
		want  bool
	}{
		{nil, true},
		{&registry.Annotations{}, true},
		{&registry.Annotations{ReadOnly: &yes}, false},
		{&registry.Annotations{ReadOnly: &no}, true},
		{&registry.Annotations{ReadOnly: &no, Destructive: &no}, false},
		{&registry.Annotations{Destructive: &yes}, true},
	} {
		one := tool("s", "t", "")
		one.Annotations = c.hints
		if got := index(t, nil, one).MayDestroy(0); got != c.want {
			t.Errorf("%+v: may destroy is %v", c.hints, got)
		}
		// Hints that do not count are none.
		distrust := &discovery.Options{Hints: func(*registry.Tool) *registry.Annotations { return nil }}
		if !index(t, distrust, one).MayDestroy(0) {
			t.Errorf("%+v: they do not count, and it destroys nothing", c.hints)
		}
	}
}

func TestBadPhrasesAreAnsweredNotFound(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, nil, sets...)
	for name, phrase := range map[string]string{
		"empty":              "",
		"white space":        " \t\n\u2003",
		"stop words":         "the of and with some",
		"control characters": "\x00\x01\x1f\x7f",
		"invalid UTF-8":      "\xff\xfe\xc3",
		"punctuation":        "<>\"'`()[]{}|,.;:?!",
		"another script":     "показать погоду",
		"nonsense":           "xqzwv blorft",
	} {
		r := resolve(t, ix, phrase, nil)
		if r.Verdict == discovery.Resolved {
			t.Errorf("%s: resolved to %s with %.2f", name, r.Tool, r.Confidence)
		}
		if readable := name == "stop words" || name == "nonsense"; readable == (len(r.Candidates) == 0) {
			t.Errorf("%s: %d candidates", name, len(r.Candidates))
		}
		if r.Candidates == nil || math.IsNaN(r.Confidence) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestHugePhraseIsReadUpToItsLimit(t *testing.T) {
	ix := indexOf(t, nil, "mongodb_mcp")
	short := strings.Repeat("list the collections of a database ", 100)[:discovery.MaxPhrase]
	long := short + strings.Repeat("drop everything ", 7000)
	got, want := resolve(t, ix, long, nil), resolve(t, ix, short, nil)
	got.Phrase, want.Phrase = "", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what lies beyond the limit changes the answer:\n%s", diff)
	}
	if cut := text.FirstBytes(strings.Repeat("x", discovery.MaxPhrase-1)+"é", discovery.MaxPhrase); cut != strings.Repeat("x", discovery.MaxPhrase-1) {
		t.Errorf("a character is cut in two: …%q", cut[discovery.MaxPhrase-3:])
	}
	for _, huge := range []string{
		strings.Repeat("a", 100_000), strings.Repeat("北", 40_000), strings.Repeat("aB", 50_000),
		strings.Repeat("<", 100_000), strings.Repeat("' '", 30_000), strings.Repeat("mongodb ", 12_000),
	} {
		resolve(t, ix, huge, nil)
	}
}

func TestOddRegistriesAreIndexed(t *testing.T) {
	many := []registry.Tool{}
	for i := range 353 {
		many = append(many, tool("forms", fmt.Sprintf("create_form_field_%d", i),
			fmt.Sprintf("Create form field number %d.", i)))
	}
	long := tool("s", "long", strings.Repeat("Reads the weather forecast of a city. ", 350))
	schema := tool("s", "schema", "Takes anything.")
	schema.Input = json.RawMessage(`{"properties": [1, {"x`)
	for name, c := range map[string]struct {
		tools        []registry.Tool
		phrase, want string
	}{
		"empty registry": {nil, "weather forecast", ""},
		"one tool": {[]registry.Tool{tool("w", "get_forecast", "Get the weather forecast.")},
			"get the weather forecast", "w.get_forecast"},
		"no description": {[]registry.Tool{tool("w", "get_forecast", ""), tool("w", "x", "")}, "get forecast",
			"w.get_forecast"},
		"13,000 characters":   {append([]registry.Tool{long}, gitTools...), "read the weather forecast of a city", "s.long"},
		"353 siblings":        {many, "create form field number 217", "forms.create_form_field_217"},
		"damaged schema":      {[]registry.Tool{schema, long}, "take anything", "s.schema"},
		"names without words": {[]registry.Tool{tool("…", "…", "…"), tool("北", "京", "天气预报")}, "北京 天气", "北.京"},
	} {
		r := resolve(t, index(t, nil, c.tools...), c.phrase, nil)
		if c.want == "" {
			if r.Verdict != discovery.NotFound || len(r.Candidates) > 0 {
				t.Errorf("%s: %+v", name, r)
			}
			continue
		}
		if r.Candidates[0].ID != c.want {
			t.Errorf("%s: %+v, want %s first", name, r, c.want)
		}
		var sum float64
		for _, candidate := range r.Candidates {
			sum += candidate.Score
		}
		if sum > 1.01 || math.IsNaN(sum) {
			t.Errorf("%s: the shares sum up to %g", name, sum)
		}
	}
}

func TestPropertyTextsAreDescriptionsTitlesAndValues(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"string","description":"start \"it\"","enum":["on","off"]},"b":{"title":"B"}},"description":"no"}`: `"start \"it\"" ["on","off"] "B"`,
		`{"properties":{"a":1,"b":{"description":`: ``,
		`[]`: ``,
	} {
		if got := strings.Join(strings.Fields(valuesOf(schema)), " "); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

func TestResolutionIsStableJSON(t *testing.T) {
	ix := index(t, nil, gitTools[:2]...)
	for phrase, want := range map[string]string{
		"git_log": `{"phrase":"git_log","verdict":"resolved","by":"exact","tool":"git.git_log","confidence":1,` +
			`"candidates":[{"id":"git.git_log","score":1}]}`,
		"": `{"phrase":"","verdict":"not_found","no_tool":true,` +
			`"reason":"no words to search for, or no tools to search in","confidence":0,"candidates":[]}`,
	} {
		got, err := json.Marshal(resolve(t, ix, phrase, nil))
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

// The tools and phrases of testdata/spec are measured, never tuned for.
func TestSpecServerIsUnderstood(t *testing.T) {
	var listing struct {
		Server string
		Tools  []struct {
			Name, Description string
			InputSchema       json.RawMessage
		}
	}
	var queries []struct {
		Query  string
		Gold   []string
		Strict bool
	}
	for path, into := range map[string]any{"testdata/spec/tools.json": &listing, "testdata/spec/queries.json": &queries} {
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var tools []registry.Tool
	for _, x := range listing.Tools {
		tools = append(tools, registry.Tool{Server: listing.Server, Name: x.Name, Description: x.Description,
			Input: x.InputSchema})
	}
	ix := index(t, nil, tools...)
	strict, inThree := 0, 0
	for _, q := range queries {
		place := slices.IndexFunc(resolve(t, ix, q.Query, nil).Candidates, func(c discovery.Candidate) bool {
			return slices.Contains(q.Gold, strings.TrimPrefix(c.ID, listing.Server+"."))
		})
		if place < 0 || place > 2 || q.Strict && place > 0 {
			t.Errorf("%q: %v is at place %d", q.Query, q.Gold, place+1)
			continue
		}
		inThree++
		if q.Strict {
			strict++
		}
	}
	t.Logf("first: %d of 17, among the first three: %d of %d", strict, inThree, len(queries))
}

// noNetwork fails the test on any HTTP request.
type noNetwork struct{ t *testing.T }

func (n noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("%s %s was requested", r.Method, r.URL)
	return nil, errors.New("no network in tests")
}

func TestVectorSearchNeverDials(t *testing.T) {
	before := http.DefaultTransport
	http.DefaultTransport = noNetwork{t}
	t.Cleanup(func() { http.DefaultTransport = before })
	resolve(t, indexOf(t, nil, "mongodb_mcp"), "list collections", nil)
	near, err := discovery.OpenCollection()
	if err == nil {
		err = discovery.AddNear(near, 0, []float32{1})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.Query(context.Background(), "a text", 1, nil, nil); !errors.Is(err, discovery.ErrNoText) {
		t.Errorf("a query by text ends with %v", err)
	}
}

func TestIndexIsSwappedUnderLoad(t *testing.T) {
	t.Parallel()
	tools := registryOf(t, "mongodb_mcp").Tools
	indexes := []*discovery.Index{index(t, nil, tools[:20]...), index(t, nil, tools[20:]...), index(t, nil, tools...)}
	var live atomic.Pointer[discovery.Index]
	live.Store(indexes[0])
	swapped := make(chan struct{})
	var asking atomic.Int32
	var wg sync.WaitGroup
	for g := range 100 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-swapped:
					if i > 0 {
						return
					}
				default:
				}
				asking.Add(1)
				phrase := []string{"list collections", "drop a database", "mongodb.find", ""}[(g+i)%4]
				if _, err := live.Load().Resolve(phrase, nil); err != nil {
					t.Error(err)
				}
				if i%5 == 0 {
					if _, err := live.Load().Search(discovery.Query{Text: phrase}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for i := range 1000 {
		for asked := asking.Load(); i%20 == 0 && asking.Load() == asked; { // somebody asks all the while
			runtime.Gosched()
		}
		live.Store(indexes[i%len(indexes)])
	}
	close(swapped)
	wg.Wait()
}

func TestExplanationAddsUpToTheResolution(t *testing.T) {
	ix := indexOf(t, nil, sets...)
	const phrase = "list clusters in mongodb"
	e, err := ix.Explain(t.Context(), phrase, &discovery.ResolveOptions{Candidates: 5})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(resolve(t, ix, phrase, &discovery.ResolveOptions{Candidates: 5}), e.Resolution); diff != "" {
		t.Errorf("Resolve and Explain differ:\n%s", diff)
	}
	if e.Read.Phrase != phrase || !slices.Equal(e.Read.Objects, []string{"clusters"}) ||
		!slices.Contains(e.Read.Verbs, "list") {
		t.Errorf("read as %+v", e.Read)
	}
	if len(e.Tools) != 5 || e.Reason == "" || e.Found < .8 {
		t.Errorf("%d tools, reason %q, found %g", len(e.Tools), e.Reason, e.Found)
	}
	for i, l := range e.Tools {
		var sum float64
		for _, f := range l.Features {
			sum += f.Adds
		}
		if l.ID != e.Candidates[i].ID || math.Abs(sum-l.Score) > .01 {
			t.Errorf("candidate %d: %s, contributions %g, score %g", i, l.ID, sum, l.Score)
		}
	}
	for _, phrase := range []string{"", "collections", "mongodb.find", "xqzwv"} {
		if _, err := ix.Explain(t.Context(), phrase, nil); err != nil {
			t.Errorf("%q: %v", phrase, err)
		}
	}
}

func TestOfferedToolsAreToldApart(t *testing.T) {
	status, diff := tool("git", "git_status", "Show modified files of the working tree."),
		tool("git", "git_diff", "Show modified lines between two commits. All.")
	diff.Input = json.RawMessage(`{"properties":{"path":{},"from":{},"to":{}}}`)
	status.Input = json.RawMessage(`{"properties":{"path":{}}}`)
	want := []discovery.Difference{
		{ID: "git.git_status", Summary: "Show modified files of the working tree",
			Words: []string{"status", "files", "working", "tree"}},
		{ID: "git.git_diff", Summary: "Show modified lines between two commits",
			Words: []string{"diff", "lines", "between", "two", "commits"}, Params: []string{"from", "to"}},
	}
	got := index(t, nil, status, diff).Distinguish([]string{"git.git_status", "git.gone", "git.git_diff"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStoredVectorsAreKeptUnlessAnotherModelMadeThem(t *testing.T) {
	reg := &registry.Registry{Tools: slices.Clone(gitTools)}
	reg.Normalize()
	ctx := context.Background()
	if err := discovery.EmbedTools(ctx, reg); err != nil {
		t.Fatal(err)
	}
	if id := embed.Identity(); *reg.Embedder != id {
		t.Errorf("embedder %+v, want %+v", reg.Embedder, id)
	}
	marked := embed.EncodeI8(embed.Default().Embed("marked"))
	reg.Tools[0].Embedding, reg.Tools[1].Embedding = marked, nil
	if err := discovery.EmbedTools(ctx, reg); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(reg.Tools[0].Embedding, marked) || len(reg.Tools[1].Embedding) != len(marked) {
		t.Error("a vector of the same model is not kept, or a missing one not made")
	}
	reg.Embedder.Name = "another"
	if err := discovery.EmbedTools(ctx, reg); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(reg.Tools[0].Embedding, marked) {
		t.Error("a vector of another model is kept")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := discovery.EmbedTools(canceled, reg); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func FuzzResolve(f *testing.F) {
	for _, q := range queriesOf(f, "mongodb_mcp")[:20] {
		f.Add(q.Query)
	}
	f.Add("use the azure server: list \"x\" <y> https://z \u212a İ 北京 ß")
	f.Add("mcp__a__b__c/d.e")
	ix := indexOf(f, nil, sets...)
	f.Fuzz(func(t *testing.T, phrase string) {
		r := resolve(t, ix, phrase, nil)
		if (r.Verdict == discovery.Resolved) != (r.Tool != "") || len(r.Candidates) > 10 {
			t.Errorf("%q: %+v", phrase, r)
		}
		if !(r.Confidence >= 0 && r.Confidence <= 1) {
			t.Errorf("%q: confidence %g", phrase, r.Confidence)
		}
		for i, c := range r.Candidates {
			if !(c.Score >= 0 && c.Score <= 1) || i > 0 && c.Score > r.Candidates[i-1].Score {
				t.Errorf("%q: the scores %+v do not fall", phrase, r.Candidates)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add("git", "git_log", "Show the history.\n\n- one; two: three! four? <x>", `{"properties":{"a":1}}`)
	f.Add("", "x", "\xff\t\r\n", `{"properties":`)
	f.Fuzz(func(t *testing.T, server, name, description, schema string) {
		x := tool(server, name, description)
		x.Input = json.RawMessage(schema)
		ix := index(t, nil, x, tool("git", "log", "Show the log."))
		r := resolve(t, ix, description, nil)
		for _, c := range r.Candidates {
			if math.IsNaN(c.Score) {
				t.Errorf("%+v", r)
			}
		}
	})
}

func FuzzPropertyNames(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","x":["}"]},"b\n":1,"c":null},"required":["a"]}`)
	f.Add(`{"properties":{"a":1},"properties":{"b":{"properties":{"c":2}}}} `)
	f.Add(`[{"properties":{"a":1}}]`)
	f.Fuzz(func(t *testing.T, schema string) {
		got := discovery.PropertyNames([]byte(schema))
		if texts := valuesOf(schema); len(texts) > discovery.MaxPropertyTexts+utf8.UTFMax {
			t.Errorf("%q: %d bytes of texts", schema, len(texts))
		}
		var want struct {
			Properties json.RawMessage `json:"properties"`
		}
		var byName map[string]json.RawMessage
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(schema), &members) != nil {
			return
		}
		want.Properties = members["properties"]
		if len(want.Properties) > 0 && json.Unmarshal(want.Properties, &byName) != nil {
			return
		}
		if len(got) != len(byName) && len(byName) <= discovery.MaxProperties {
			t.Errorf("%q: %q, want the keys of %v", schema, got, byName)
		}
		for _, name := range got {
			if _, ok := byName[name]; !ok {
				t.Errorf("%q: %q is no property", schema, name)
			}
		}
	})
}

func valuesOf(schema string) string {
	_, values := discovery.Properties([]byte(schema))
	return strings.Join(values, "\n") + "\n"
}
