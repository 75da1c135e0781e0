package discovery_test

import (
	"encoding/json"
	"fmt"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// twoServers returns an index of a few tools, as a build makes it of what
// servers answer.
func twoServers() *discovery.Index {
	reg := &registry.Registry{}
	for _, t := range []struct{ server, name, description, input string }{
		{"git", "git_log", "Show the commit history of a repository.",
			`{"type":"object","properties":{"max_count":{"type":"integer"}}}`},
		{"git", "git_blame", "Show who last changed each line of a file.",
			`{"type":"object","properties":{"path":{"type":"string"}}}`},
		{"weather", "forecast", "Get the weather forecast for a city.",
			`{"type":"object","properties":{"city":{"type":"string"}}}`},
	} {
		reg.Tools = append(reg.Tools, registry.Tool{Server: t.server, Name: t.name, Description: t.description,
			Input: json.RawMessage(t.input)})
	}
	reg.Normalize()
	ix, err := discovery.New(reg, nil)
	if err != nil {
		panic(err)
	}
	return ix
}

func ExampleIndex_Resolve() {
	ix := twoServers()
	for _, phrase := range []string{"who changed each line of a file", "will it rain in Paris tomorrow", "order a pizza"} {
		r, err := ix.Resolve(phrase, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Verdict, r.Tool)
	}
	// Output:
	// resolved git.git_blame
	// resolved weather.forecast
	// not_found
}

func ExampleIndex_Search() {
	page, err := twoServers().Search(discovery.Query{Text: "commits", Server: "git", Limit: 1})
	if err != nil {
		panic(err)
	}
	for _, hit := range page.Results {
		fmt.Println(hit.ID, "-", hit.Short)
	}
	fmt.Println(page.Total, page.HasMore)
	// Output:
	// git.git_log - Show the commit history of a repository
	// 2 true
}

func ExampleIndex_Describe() {
	found, err := twoServers().Describe([]string{"git_log", "git_push"}, discovery.MicroSchema)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %s; not found: %q\n", found.Tools[0].ID, found.Tools[0].Micro, found.NotFound)
	// Output: git.git_log {"p":{"max_count":"i"}}; not found: ["git_push"]
}

func ExampleIndex_Distinguish() {
	for _, d := range twoServers().Distinguish([]string{"git.git_log", "git.git_blame"}) {
		fmt.Println(d.ID, "-", d.Distinction())
	}
	// Output:
	// git.git_log - log, commit, history, repository; parameters: max_count
	// git.git_blame - blame, last, changed, each, line; parameters: path
}
