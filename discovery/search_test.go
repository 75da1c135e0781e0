package discovery_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

func search(t testing.TB, ix *discovery.Index, q discovery.Query) discovery.Page {
	t.Helper()
	p, err := ix.Search(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return p
}

func hitIDs(p discovery.Page) []string {
	ids := []string{}
	for _, h := range p.Results {
		ids = append(ids, h.ID)
	}
	return ids
}

func TestPagesShowEveryMatchOnce(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, nil, sets...)
	for _, q := range []discovery.Query{
		{}, {Text: "list databases"}, {Text: "list databases", Server: "azure"},
		{Text: "data", Match: discovery.Substring}, {Prefix: "SQL_"}, {Text: "xqzwv"},
	} {
		whole := q
		whole.Limit = discovery.MaxLimit
		all := search(t, ix, whole)
		if all.HasMore || all.Total != len(all.Results) {
			t.Errorf("%+v: total %d, %d shown, more: %v", q, all.Total, len(all.Results), all.HasMore)
		}
		var paged []string
		for q.Limit = 7; ; q.Offset += q.Limit {
			p := search(t, ix, q)
			paged = append(paged, hitIDs(p)...)
			if p.Total != all.Total {
				t.Errorf("%+v: total %d on this page, %d on the first", q, p.Total, all.Total)
			}
			if !p.HasMore {
				break
			}
		}
		if diff := cmp.Diff(hitIDs(all), append([]string{}, paged...)); diff != "" {
			t.Errorf("%+v: pages differ from the whole:\n%s", q, diff)
		}
		q.Offset = 1 << 40
		if p := search(t, ix, q); len(p.Results) != 0 || p.HasMore || p.Total != all.Total {
			t.Errorf("%+v: beyond the end %+v", q, p)
		}
	}
}

func TestSearchRanksAsResolve(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, nil, sets...)
	for _, phrase := range []string{"list clusters in mongodb", "set alarm", "delete the storage account"} {
		var want []string
		for _, c := range resolve(t, ix, phrase, nil).Candidates {
			want = append(want, c.ID)
		}
		if diff := cmp.Diff(want, hitIDs(search(t, ix, discovery.Query{Text: phrase}))); diff != "" {
			t.Errorf("%q (-Resolve +Search):\n%s", phrase, diff)
		}
	}
}

func TestFiltersNarrowEveryKindOfSearch(t *testing.T) {
	tools := slices.Clone(gitTools)
	tools[0].Category, tools[4].Category = "Version control", "files"
	ix := index(t, nil, tools...)
	for _, c := range []struct {
		query discovery.Query
		want  []string
	}{
		{discovery.Query{Server: "git"}, []string{"git.git_diff", "git.git_log", "git.git_status"}},
		{discovery.Query{Category: "version CONTROL"}, []string{"git.git_log"}},
		{discovery.Query{Prefix: "GIT_S"}, []string{"git.git_status"}},
		{discovery.Query{Prefix: "memory."}, []string{"memory.search"}},
		{discovery.Query{Server: "git", Prefix: "search"}, []string{}},
		{discovery.Query{Text: "commit history", Server: "git", Limit: 1}, []string{"git.git_log"}},
		{discovery.Query{Text: "search", Match: discovery.Substring, Category: "files"}, []string{"my files.search"}},
		{discovery.Query{Text: "COMMIT", Match: discovery.Substring}, []string{"git.git_diff", "git.git_log"}},
		{discovery.Query{Text: "nothing has this", Match: discovery.Substring}, []string{}},
		{discovery.Query{Text: "search", Server: "nobody"}, []string{}},
	} {
		if diff := cmp.Diff(c.want, hitIDs(search(t, ix, c.query))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.query, diff)
		}
	}
}

func TestSubstringInTheNameComesFirst(t *testing.T) {
	ix := index(t, nil,
		tool("a", "other", "Runs a log query."), tool("b", "catalog", ""), tool("c", "log_tail", ""), tool("d", "log", ""))
	p := search(t, ix, discovery.Query{Text: "Log", Match: discovery.Substring})
	if diff := cmp.Diff([]string{"d.log", "c.log_tail", "b.catalog", "a.other"}, hitIDs(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Results[3].Why != "description" || p.Results[0].Why != "name" {
		t.Errorf("why: %+v", p.Results)
	}
}

func TestHitSaysWhyItMatches(t *testing.T) {
	ix := index(t, nil, gitTools...)
	for phrase, want := range map[string]string{
		"history of commits, git server": "words: history, commits, git; server: git",
		"past revisions":                 "meaning",
	} {
		if p := search(t, ix, discovery.Query{Text: phrase}); len(p.Results) == 0 || p.Results[0].Why != want {
			t.Errorf("%q: %+v, want %q", phrase, p.Results, want)
		}
	}
}

func TestWrongSearchesSayWhatIsPossible(t *testing.T) {
	ix := index(t, nil, gitTools...)
	for want, q := range map[string]discovery.Query{
		`match "fuzzy"`:        {Text: "x", Match: "fuzzy"},
		`detail level "all"`:   {Detail: "all"},
		"must not be negative": {Offset: -1},
	} {
		if _, err := ix.Search(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", q, err, want)
		}
	}
	if _, err := ix.Describe(nil, "all"); err == nil {
		t.Error("an unknown detail level is described")
	}
}

// A page without results says which part of the query is to blame.
func TestPageWithoutResultsSaysWhy(t *testing.T) {
	tools := slices.Clone(gitTools)
	tools[0].Category = "vcs"
	ix := index(t, nil, tools...)
	for _, c := range []struct {
		query discovery.Query
		want  string
	}{
		{discovery.Query{Server: "gti", Text: "log"}, `unknown server "gti"; the servers are: `},
		{discovery.Query{Category: "nosuch", Text: "log"}, `no tool has the category "nosuch"; the categories are: `},
		{discovery.Query{Prefix: "zz"}, `no tool's name or ID begins with "zz"`},
		{discovery.Query{Server: "git", Prefix: "search"}, "no tool passes all of server, category and prefix"},
		{discovery.Query{Text: "zz", Match: discovery.Substring}, `no such tool has "zz"`},
		{discovery.Query{Offset: 99}, fmt.Sprintf("offset 99 is after the last of %d tools", len(tools))},
	} {
		if p := search(t, ix, c.query); len(p.Results) > 0 || !strings.HasPrefix(p.Note, c.want) {
			t.Errorf("%+v: %d results, %q; want %q", c.query, len(p.Results), p.Note, c.want)
		}
	}
	if p := search(t, ix, discovery.Query{Text: "log"}); p.Note != "" {
		t.Errorf("results, and yet %q", p.Note)
	}
	if p := search(t, index(t, nil), discovery.Query{}); p.Note != "the registry has no tools" {
		t.Errorf("of nothing: %q", p.Note)
	}
}

// What may not be found is not counted either.
func TestToolsThatAreNotKeptAreNotCounted(t *testing.T) {
	ix := index(t, nil, gitTools...)
	for _, q := range []discovery.Query{{}, {Text: "log"}, {Text: "git", Match: discovery.Substring}} {
		all := search(t, ix, q)
		q.Keep = func(x *registry.Tool) bool { return x.Name != "git_log" }
		if p := search(t, ix, q); p.Total != all.Total-1 || slices.Contains(hitIDs(p), "git.git_log") {
			t.Errorf("%q: %v of %d, want all but git_log of %v", q.Text, hitIDs(p), p.Total, hitIDs(all))
		}
	}
}

func TestDetailLevelsShowMoreAndMore(t *testing.T) {
	x := tool("git", "git_log", "Show the history.")
	x.Title, x.Category = "Log", "vcs"
	x.Input = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","description":"How many."}},"examples":[{"n":3}]}`)
	ix := index(t, nil, x)
	const head, short = `{"id":"git.git_log","server":"git","name":"git_log",`, `"short":"Show the history",`
	for detail, want := range map[discovery.Detail]string{
		discovery.NameOnly:        head + `"tokens":17}`,
		discovery.Go:              head + `"tokens":17}`,
		discovery.NameDescription: head + short + `"title":"Log","description":"Show the history.","category":"vcs","tokens":36}`,
		discovery.MicroSchema:     head + short + `"category":"vcs","micro":{"p":{"n":"i"}},"tokens":35}`,
		discovery.CompactSchema: head + short +
			`"category":"vcs","inputSchema":{"properties":{"n":{"type":"integer"}},"type":"object"},"tokens":43}`,
		discovery.FullSchema: head + short + `"title":"Log","description":"Show the history.","category":"vcs",` +
			`"inputSchema":` + string(x.Input) + `,"examples":[{"n":3}],"tokens":72}`,
	} {
		d, err := ix.Describe([]string{"git_log", "git_blame"}, detail)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(d)
		if whole := `{"tools":[` + want + `],"notFound":["git_blame"]}`; err != nil || string(got) != whole {
			t.Errorf("%s: %s, %v; want %s", detail, got, err, whole)
		}
	}
}

func TestSummaryIsTheFirstSentenceOrItsBeginning(t *testing.T) {
	for description, want := range map[string]string{
		"":                                 "",
		"Show the history.":                "Show the history",
		"Show\n the  history. And more.":   "Show the history",
		"Costs 1.5 cents":                  "Costs 1.5 cents",
		strings.Repeat("é", 60):            strings.Repeat("é", 60),
		strings.Repeat("é", 61):            strings.Repeat("é", 59) + "…",
		strings.Repeat("word, ", 11) + "x": strings.Repeat("word, ", 8) + "word…",
	} {
		if got := discovery.Summary(description); got != want {
			t.Errorf("%q: %q, want %q", description, got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	ix, err := discovery.New(mutated(b, 535), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		search(b, ix, discovery.Query{Text: "list the storage accounts"})
	}
}
