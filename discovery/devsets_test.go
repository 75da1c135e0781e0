package discovery_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// sets are the development sets; "all" is their union, in this order.
var sets = []string{"azure_mcp_head", "mongodb_mcp", "api_bank"}

// registryOf returns the tools of some development sets in the order and with
// the IDs of the reference, which a file's registry would sort.
func registryOf(t testing.TB, names ...string) *registry.Registry {
	t.Helper()
	reg := &registry.Registry{}
	for _, name := range names {
		reg.Tools = append(reg.Tools, toolsIn(t, filepath.Join("testdata", name, "tools.jsonl"))...)
	}
	return reg
}

func toolsIn(t testing.TB, path string) (tools []registry.Tool) {
	t.Helper()
	readLines(t, path, func(line []byte) error {
		var tool struct {
			ID, Server, Name, Title, Description string
			Annotations                          *registry.Annotations
			Input                                json.RawMessage `json:"input_schema"`
		}
		err := json.Unmarshal(line, &tool)
		tools = append(tools, registry.Tool{
			ID: tool.ID, Server: tool.Server, Name: tool.Name, Title: tool.Title, Description: tool.Description,
			Input: tool.Input, Annotations: tool.Annotations,
		})
		return err
	})
	return tools
}

// openAPITools returns the tools of the three OpenAPI documents, or of one.
func openAPITools(t testing.TB, document string) *registry.Registry {
	t.Helper()
	tools := toolsIn(t, filepath.Join("testdata", "openapi", "tools.jsonl.gz"))
	return &registry.Registry{Tools: slices.DeleteFunc(tools, func(tool registry.Tool) bool {
		return document != "" && tool.Server != document
	})}
}

func readLines(t testing.TB, path string, line func([]byte) error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := line(lines.Bytes()); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func indexOf(t testing.TB, opts *discovery.Options, names ...string) *discovery.Index {
	t.Helper()
	ix, err := discovery.New(registryOf(t, names...), opts)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

type devQuery struct {
	Query string
	Gold  []string
	Mode  string // any, all; absent: all when there are several
}

func queriesOf(t testing.TB, set string) []devQuery {
	t.Helper()
	var out []devQuery
	readLines(t, filepath.Join("testdata", set, "queries.jsonl"), func(line []byte) error {
		var q devQuery
		err := json.Unmarshal(line, &q)
		out = append(out, q)
		return err
	})
	return out
}

// score is what a development set measures, in percent.
type score struct {
	Top1, Top3, Recall5, MRR float64
	Resolved, Right          float64 // verdicts resolved, and how many of them are right
}

// measure asks the index all queries of a set.
func measure(t testing.TB, ix *discovery.Index, queries []devQuery) score {
	t.Helper()
	var s score
	for _, q := range queries {
		r, err := ix.Resolve(q.Query, &discovery.ResolveOptions{Candidates: 30})
		if err != nil {
			t.Fatal(err)
		}
		all := q.Mode == "all" || q.Mode == "" && len(q.Gold) > 1
		if r.Verdict == discovery.Resolved {
			s.Resolved++
			if slices.Contains(q.Gold, r.Tool) {
				s.Right++
			}
		}
		inFive, first := 0, 0
		for i, c := range r.Candidates {
			if !slices.Contains(q.Gold, c.ID) {
				continue
			}
			if first == 0 {
				first = i + 1
			}
			if i < 5 {
				inFive++
			}
		}
		switch {
		case all:
			s.Recall5 += float64(inFive) / float64(len(q.Gold))
		case inFive > 0:
			s.Recall5++
		}
		if first == 0 {
			continue
		}
		s.MRR += 1 / float64(first)
		if first == 1 {
			s.Top1++
		}
		if first <= 3 {
			s.Top3++
		}
	}
	n := float64(len(queries)) / 100
	return score{s.Top1 / n, s.Top3 / n, s.Recall5 / n, s.MRR / n, s.Resolved / n, 100 * s.Right / max(1, s.Resolved)}
}

// inFiveWords returns the queries cut to five words each.
func inFiveWords(queries []devQuery) []devQuery {
	queries = slices.Clone(queries)
	for i := range queries {
		queries[i].Query = discovery.InFiveWords(queries[i].Query)
	}
	return queries
}

// Whoever changes weights or features raises these floors or keeps above them.
func TestDevelopmentSetsAreAnsweredWell(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("searches a whole set, one phrase after another")
	}
	var pooled []devQuery
	check := func(label string, ix *discovery.Index, queries []devQuery, floor score) {
		got := measure(t, ix, queries)
		t.Logf("%s: %.1f", label, got)
		for _, m := range []struct {
			name       string
			got, floor float64
		}{
			{"top-1", got.Top1, floor.Top1}, {"recall@5", got.Recall5, floor.Recall5},
			{"resolved", got.Resolved, floor.Resolved}, {"right of the resolved", got.Right, floor.Right},
		} {
			if m.got < m.floor {
				t.Errorf("%s: %s is %.2f %%, want at least %.1f", label, m.name, m.got, m.floor)
			}
		}
	}
	for set, floor := range map[string][2]score{
		"azure_mcp_head": {{Top1: 94.0, Recall5: 99.0, Resolved: 69.0, Right: 99.0}, {Top1: 88.7, Recall5: 98.4, Resolved: 67.7, Right: 95.9}},
		"mongodb_mcp":    {{Top1: 78.4, Recall5: 89.3, Resolved: 26.0, Right: 96.0}, {Top1: 71.0, Recall5: 87.5, Resolved: 32.0, Right: 91.5}},
		"api_bank":       {{Top1: 94.0, Recall5: 99.7, Resolved: 68.3, Right: 99.7}, {Top1: 94.0, Recall5: 99.7, Resolved: 68.3, Right: 99.7}},
	} {
		ix, queries := indexOf(t, nil, set), queriesOf(t, set)
		check(set, ix, queries, floor[0])
		check(set+", five words", ix, inFiveWords(queries), floor[1])
	}
	for _, set := range sets {
		pooled = append(pooled, queriesOf(t, set)...)
	}
	ix := indexOf(t, nil, sets...)
	check("all", ix, pooled, score{Top1: 88.9, Recall5: 95.5, Resolved: 62.0, Right: 99.0})
	check("all, five words", ix, inFiveWords(pooled), score{Top1: 83.3, Recall5: 94.8, Resolved: 62.0, Right: 94.8})
}

// A big API's tools share most of their words; summary, name and method tell them apart.
func TestToolOfABigAPIIsFound(t *testing.T) {
	t.Parallel()
	queries := map[string][]devQuery{}
	readLines(t, filepath.Join("testdata", "openapi", "queries.tsv"), func(line []byte) error {
		f := strings.Split(string(line), "\t")
		gold := strings.Split(f[2], "|")
		for i := range gold {
			gold[i] = f[0] + "." + gold[i]
		}
		queries[f[0]] = append(queries[f[0]], devQuery{f[1], gold, "any"})
		return nil
	})
	top, all := 0., 0.
	for document, qs := range queries {
		ix, err := discovery.New(openAPITools(t, document), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := measure(t, ix, qs)
		t.Logf("%s: %.1f", document, got)
		top, all = top+got.Top1*float64(len(qs)), all+float64(len(qs))
	}
	if top /= all; top < 85 {
		t.Errorf("top-1 is %.1f %%, want at least 85", top)
	}
}

// What no tool does is neither resolved nor led by a tool that destroys something.
func TestWhatNoToolDoesIsSaid(t *testing.T) {
	t.Parallel()
	public := &registry.Registry{Tools: slices.DeleteFunc(publicTools(t).Tools, func(tool registry.Tool) bool {
		return !slices.Contains(strings.Fields("filesystem git-cyanheads memory mcp-server-time mcp-server-fetch "+
			"mcp-server-sqlite everything mongodb redis playwright chroma"), tool.Server)
	})}
	indexes := map[string]*discovery.Index{}
	for name, reg := range map[string]*registry.Registry{"public": public, "openapi": openAPITools(t, "")} {
		ix, err := discovery.New(reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		indexes[name] = ix
	}
	wrong, told := 0, 0
	readLines(t, filepath.Join("testdata", "none.tsv"), func(line []byte) error {
		catalogue, phrase, _ := strings.Cut(string(line), "\t")
		ix := indexes[catalogue]
		r, err := ix.Resolve(phrase, nil)
		switch {
		case r.NoTool:
			told++
			if r.Verdict == discovery.Resolved || !strings.HasPrefix(r.Reason, "no tool ") {
				t.Errorf("%q: %s, %q", phrase, r.Verdict, r.Reason)
			}
		case r.Verdict == discovery.Resolved, ix.Destroys(r.Candidates[0].ID):
			wrong++
			t.Logf("%q: %s %+v", phrase, r.Verdict, r.Candidates[0])
		}
		return err
	})
	if wrong > 3 || told < 40 {
		t.Errorf("%d of 60 are resolved or led by a tool that destroys, want at most 3; no tool does %d, want at least 40",
			wrong, told)
	}
}

// An ambiguous phrase whose first candidate is far ahead says what speaks against it.
func TestAmbiguousPhraseSaysWhy(t *testing.T) {
	ix := index(t, nil, tool("store", "publish", "Publish a message to a channel."),
		tool("store", "list_keys", "List all keys."), tool("store", "drop_index", "Drop an index."))
	for phrase, want := range map[string]string{
		"post a greeting":   "store.publish does not mention",
		"drop the customer": `no tool clearly does this: store.drop_index does not mention "customer"`,
	} {
		if r := resolve(t, ix, phrase, nil); r.Verdict == discovery.Resolved || !strings.Contains(r.Reason, want) {
			t.Errorf("%q: %s %.2f, %q, want %q", phrase, r.Verdict, r.Confidence, r.Reason, want)
		}
	}
	if r := resolve(t, ix, "list all keys", nil); r.Verdict != discovery.Resolved || r.Reason != "" || r.NoTool {
		t.Errorf("%+v, want it resolved without a reason", r)
	}
}

// Most of the phrases mean a tool that several servers offer, and name one of them.
func TestPhraseNamesTheServer(t *testing.T) {
	t.Parallel()
	ix, err := discovery.New(publicTools(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	var queries []devQuery
	readLines(t, filepath.Join("testdata", "servers.tsv"), func(line []byte) error {
		phrase, gold, _ := strings.Cut(string(line), "\t")
		queries = append(queries, devQuery{phrase, strings.Split(gold, "|"), "any"})
		return nil
	})
	if got := measure(t, ix, queries); got.Top1 < 96 || got.Right < 97 {
		t.Errorf("%.1f, want a top-1 of 96 %%, and 97 %% of the resolved right", got)
	}
}

// A phrase whose tool is not there must not be taken for another one's: the
// development sets without the right tools, of which siblings stay.
func TestMissingToolIsSeldomTakenForAnother(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("searches a whole set, one phrase after another")
	}
	for set, most := range map[string]float64{"azure_mcp_head": 20.2, "mongodb_mcp": 4.2, "api_bank": 14.3} {
		ix, queries, falsely := indexOf(t, nil, set), queriesOf(t, set), 0.
		for _, dq := range queries {
			if ix.IsSureWithout(t, dq.Query, dq.Gold) {
				falsely++
			}
		}
		falsely *= 100 / float64(len(queries))
		t.Logf("%s: %.1f %% are resolved to another tool", set, falsely)
		if falsely > most {
			t.Errorf("%s: %.1f %%, want at most %.1f", set, falsely, most)
		}
	}
}

func TestLastNounOfTheNameIsTheObjectOfThePhrase(t *testing.T) {
	ix := index(t, nil,
		tool("store", "syncgroup_delete", "Delete a sync group."),
		tool("store", "syncgroup_endpoint_delete", "Delete an endpoint of a sync group."),
		tool("store", "index_list", "List the indexes of a collection."),
		tool("store", "query", "Query a collection by its index."))
	for phrase, want := range map[string]string{
		"delete the endpoint from the sync group": "store.syncgroup_endpoint_delete",
		"is there an index for the user's name":   "store.index_list",
		"are there indexes on the collection":     "store.index_list",
	} {
		if r := resolve(t, ix, phrase, nil); r.Candidates[0].ID != want {
			t.Errorf("%q: %+v, want %s first", phrase, r.Candidates, want)
		}
	}
}

// Values of parameters and nouns before nouns tell tools apart whose summaries share the
// phrase's words.
func TestToolOfABigAPIIsFoundByWhatItsSummaryOmits(t *testing.T) {
	with := func(tool registry.Tool, schema string) registry.Tool {
		tool.Input = json.RawMessage(schema)
		return tool
	}
	yes := true
	deletes := &registry.Annotations{Destructive: &yes}
	ref := tool("git", "git_delete-ref", "Delete a reference.\nDeletes the provided reference.")
	protection := tool("git", "repos_delete-branch-protection", "Delete branch protection.\nBranches are protected by rules.")
	ref.Annotations, protection.Annotations = deletes, deletes
	ix := index(t, nil, protection, with(ref, `{"properties":{"ref":{"description":"The Git reference."}}}`),
		with(tool("git", "git_get-ref", "Get a reference."), `{"properties":{"ref":{"description":"A branch or a tag."}}}`),
		tool("git", "repos_get-branch", "Get a branch."),
		tool("git", "repos_delete-file", "Delete a file."),
		with(tool("git", "issues_update", "Update an issue."), `{"properties":{"state":{"enum":["open","closed"]}}}`),
		tool("git", "issues_get", "Get an issue."),
		tool("git", "issues_lock", "Lock an issue."),
		with(tool("git", "pulls_list", "List pull requests."), `{"properties":{"state":{"enum":["open","closed"]}}}`),
		tool("git", "repos_list-pulls-for-commit", "List pull requests of a commit.\nOpen and merged pull requests are listed."),
		tool("git", "activity_star-repo-for-user", "Star a repository for the user."),
		tool("git", "activity_count-stars-of-repo", "Get the star count of a repository."))
	for phrase, want := range map[string]string{
		"close an issue": "git.issues_update",
		"list open pull requests of a repository": "git.pulls_list",
		"star a repository":                       "git.activity_star-repo-for-user",
	} {
		r := resolve(t, ix, phrase, nil)
		if r.Candidates[0].ID != want || r.Verdict == discovery.Resolved && r.Tool != want {
			t.Errorf("%q: %s %+v, want %s first", phrase, r.Verdict, r.Candidates, want)
		}
	}
	r := resolve(t, index(t, nil, protection, tool("git", "repos_get-branch", "Get a branch.")), "delete a branch", nil)
	if want := "git.repos_delete-branch-protection deletes something other than the phrase names"; !r.NoTool || r.Note != want {
		t.Errorf("%+v, want no tool, and the note %q", r, want)
	}
}
