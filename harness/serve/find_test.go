package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve"
)

// Whatever narrows a search in Go narrows it for clients, by both names of the
// tool that searches.
func TestSearchTakesAllItsKnobs(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.All, Policy: &policy.Policy{Deny: []string{"files.break"}}})
	c := connect(t, s, nil)
	type args = map[string]any
	for _, x := range []struct {
		args  args
		wants []string // patterns of the whole text, "!" before those that it must not have
	}{
		{args{}, []string{`^files\.delete_file  .*\n(.*\n){6}$`, `!files\.break`}},
		{args{"query": "read a file", "limit": 1},
			[]string{`^files\.read_file  files\.ReadFile\(Path string\) → text or JSON // Read a file and return its content\n\(1 of \d, hasMore: offset 1 shows the next\)\n$`}},
		{args{"limit": 3, "offset": 6.0}, []string{`^issues\.search .*\n\(the last of 7\)\n$`}},
		{args{"limit": "2", "server": "files", "detail": "name_only"},
			[]string{`^files\.delete_file\nfiles\.read_file\n\(2 of 4, hasMore: offset 2 `}},
		{args{"server": "GIT"}, []string{`^git\.git_log .*\n$`}},
		{args{"prefix": "TAKE", "query": nil}, []string{`^files\.take_picture .*\n$`}},
		{args{"query": "COMMENT on", "match": "substring"}, []string{`^issues\.comment .*\n$`}},
		{args{"query": "commits", "match": "substring"},
			[]string{`no such tool has "commits" in its .*; the match semantic`}},
		{args{"query": "history", "limit": 1, "detail": "micro_schema"},
			[]string{`^\{"id":"git\.git_log",.*"micro":\{"p":\{"max_count":"i"\}.*\},"class":"read","tokens":\d+,"score":[\d.]+,"why":"words: history"\}\n`}},
		{args{"query": "history", "limit": 1, "detail": "go"},
			[]string{`^git\.git_log\n(.*\n)*func git\.Log\(p git\.LogParams\)`}},
		{args{"prefix": "git_log", "detail": "full_schema"},
			[]string{`"outputSchema":\{"type":"object"`, `"readOnlyHint":true`,
				`"class":"read","classWhy":"marked as read-only by its server"`}},
		{args{"prefix": "git_log", "detail": "compact_schema"}, []string{`"inputSchema":\{`, `!"description"`}},
		// What is wrong is answered with what would be right.
		{args{"server": "gti"}, []string{`^no tool matches: unknown server "gti"; the servers are: files, git, issues\n$`}},
		{args{"category": "nosuch"}, []string{`no tool has the category "nosuch"; the categories are: \w+`}},
		{args{"prefix": "zz"}, []string{`no tool's name or ID begins with "zz"`}},
		{args{"server": "git", "prefix": "read"}, []string{`no tool passes all of server, category and prefix`}},
		{args{"offset": 50}, []string{`offset 50 is after the last of 7 tools`}},
		{args{"match": "fuzzy", "query": "x"}, []string{`^match "fuzzy": want semantic or substring$`}},
		{args{"detail": "all"}, []string{`^detail level "all": want one of \["name_only"`}},
		{args{"limit": 0}, []string{`^limit is 0; want a whole number, 1 to 1000$`}},
		{args{"limit": "many"}, []string{`^limit is "many"; want a whole number`}},
		{args{"offset": -1}, []string{`^offset is -1; want`}},
		{args{"offset": 1.5}, []string{`^offset is 1.5; want`}},
		{args{"query": []string{"x"}}, []string{`^query is \["x"\]; want a string$`}},
		{args{"k": 3}, []string{`^unknown argument "k"; (tool_find|search_tools) takes query, match, server, category, prefix, detail, limit, offset$`}},
	} {
		for _, tool := range []string{"tool_find", "search_tools"} {
			got := textOf(c.call(tool, x.args))
			for _, want := range x.wants {
				pattern, not := strings.CutPrefix(want, "!")
				if regexp.MustCompile(pattern).MatchString(got) == not {
					t.Errorf("%s %v: %s\nwant %s", tool, x.args, got, want)
				}
			}
		}
	}
}

// A category is one that the tools have.
func TestSearchByCategory(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.Classic})
	c := connect(t, s, nil)
	got := textOf(c.call("search_tools", map[string]any{"category": "nosuch"}))
	_, list, _ := strings.Cut(strings.TrimSpace(got), "there are: ")
	total := 0
	for name := range strings.SplitSeq(list, ", ") {
		lines := strings.Split(strings.TrimSpace(textOf(c.call("search_tools",
			map[string]any{"category": strings.ToUpper(name), "detail": "name_only"}))), "\n")
		total += len(lines)
	}
	if total != 8 {
		t.Errorf("%d tools in the categories %s, want 8", total, list)
	}
}

func TestSeveralToolsAreDescribedAtOnce(t *testing.T) {
	for _, x := range []struct {
		mode serve.Mode
		tool string
		args map[string]any
		want string
	}{
		{serve.Discovery, "tool_describe", map[string]any{"tool": "git.git_log, files.ReadFile,git.git_log"},
			`(?s)^git\.git_log\n.*func git\.Log\(.*\nfiles\.read_file\n.*func files\.ReadFile\(p files\.ReadFileParams\).*`},
		{serve.Discovery, "tool_describe", map[string]any{"tool": []string{"git.git_log", "git_blame"}, "detail": "name_only"},
			`^git\.git_log\nnotFound: unknown tool "git_blame"; the nearest are git\.git_log`},
		{serve.Discovery, "tool_describe", map[string]any{"tool": "git_log", "detail": "micro_schema"},
			`^\{"id":"git\.git_log".*"micro":\{"p":\{"max_count":"i"\}.*\}$`},
		{serve.Discovery, "tool_describe", map[string]any{"tool": "git_log", "detail": "huge"},
			`^detail level "huge": want one of`},
		{serve.Discovery, "tool_describe", map[string]any{"name": "git_log"},
			`^unknown argument "name"; tool_describe takes tool, tools, detail$`},
		{serve.Discovery, "tool_describe", map[string]any{"tool": " "}, `^tool is missing`},
		{serve.Classic, "describe_tool", map[string]any{"tools": []string{"read_file", "delete_file"}},
			`^\{"id":"files\.read_file".*"inputSchema":.*\}\n\{"id":"files\.delete_file".*\}$`},
		{serve.Classic, "describe_tool", map[string]any{"tools": []string{"a", "b"}},
			`^unknown tool "a".*\nunknown tool "b"`},
		{serve.Classic, "describe_tool", map[string]any{"tools": 7}, `^tools is 7; want a string or a list of strings$`},
		{serve.Classic, "describe_tool", map[string]any{"tools": make([]string, 500)}, `^tool is missing`},
		{serve.Classic, "describe_tool", map[string]any{"tools": strings.Split(strings.Repeat("x,", 500), ",")},
			`^500 tools are too many, want up to 100$`},
	} {
		s, _ := serving(t, &serve.Options{Tools: x.mode})
		c := connect(t, s, nil)
		if got := textOf(c.call(x.tool, x.args)); !regexp.MustCompile(x.want).MatchString(got) {
			t.Errorf("%s %.200v: %s\nwant %s", x.tool, x.args, got, x.want)
		}
	}
}

// A page ends where an answer does, and says where it goes on; one tool alone
// is cut, and stays JSON.
func TestPagesAreNotLongerThanAnswers(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.Classic, Answer: 3000, Catalog: manyTools(t)})
	c := connect(t, s, nil)
	seen := map[string]bool{}
	more := regexp.MustCompile(`\(\d+ of (\d+), hasMore: offset (\d+) shows the next\)\n$`)
	offset, total := "0", ""
	for range 1000 {
		got := textOf(c.call("search_tools", map[string]any{"offset": offset, "limit": 50, "detail": "full_schema"}))
		m := more.FindStringSubmatch(got)
		for _, line := range strings.Split(strings.TrimSpace(got), "\n") {
			if strings.HasPrefix(line, "(") {
				continue
			}
			var e discovery.Entry
			if err := json.Unmarshal([]byte(line), &e); err != nil || seen[e.ID] || len([]rune(line)) > 3001 {
				t.Fatalf("%v, twice %t: %s", err, seen[e.ID], line)
			}
			seen[e.ID] = true
		}
		if m == nil {
			break
		}
		total, offset = m[1], m[2]
	}
	if fmt.Sprint(len(seen)) != total {
		t.Errorf("%d tools on all pages, want %s", len(seen), total)
	}
}

// What a client pays for the tools that need no scripts.
func TestClassicToolsCostLittle(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.Classic, Catalog: manyTools(t)})
	c := connect(t, s, nil)
	list, err := c.ListTools(t.Context(), &mcp.ListToolsParams{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(list.Tools)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := enc.Count(string(b)); n > 320 || err != nil {
		t.Errorf("%d tokens, %v; want at most 320: %s", n, err, b)
	} else {
		t.Log(n, "tokens")
	}
}

func FuzzSearchArguments(f *testing.F) {
	f.Add([]byte(`{"query":"x","limit":5,"offset":"1","match":"substring"}`))
	f.Add([]byte(`{"limit":1e308,"tool":[1]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, err := serve.ParseQuery("tool_find", raw)
		if err == nil && (q.Limit < 1 || q.Limit > discovery.MaxLimit || q.Offset < 0) {
			t.Errorf("%q: %+v", raw, q)
		}
		if err != nil && len(err.Error()) > 500 {
			t.Errorf("%d bytes of error: %.100s", len(err.Error()), err)
		}
	})
}

// manyTools is a catalog of public servers.
func manyTools(t *testing.T) func(context.Context) (*catalog.Catalog, error) {
	t.Helper()
	reg := publicServers(t, "mcp-server-git", "ref-slack", "redis", "office-word")
	return func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: reg, Calls: newFake()}, nil
	}
}
