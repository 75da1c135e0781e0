package wrappers_test

import (
	"encoding/json"
	"fmt"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

// gitView returns the Go packages of a registry with one tool.
func gitView() *wrappers.View {
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "git", Name: "git_log",
		Description: "Show the commit history.",
		Input:       json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"max_count":{"type":"integer","maximum":100}},"required":["path"]}`),
		Output:      json.RawMessage(`{"type":"object","properties":{"total":{"type":"integer"}},"required":["total"]}`)}}}
	reg.Normalize()
	return wrappers.NewView(reg)
}

func ExampleTool_Line() {
	t, _ := gitView().Tool("git.git_log")
	fmt.Println(t.Line())
	// Output: git.Log(Path string, MaxCount? int) → Total int
}

func ExampleTool_Sketch() {
	t, _ := gitView().Tool("git.git_log")
	fmt.Println(t.Sketch(8))
	fmt.Println(t.Example())
	// Output:
	// git.Log(Path string, MaxCount? int) → {Total int}
	// git.Log(git.LogParams{Path: "x"}) r.Total
}

func ExampleTool_Show() {
	t, _ := gitView().Tool("git.git_log")
	fmt.Print(t.Show(wrappers.Types))
	// Output:
	// func git.Log(p git.LogParams) (git.LogResult, error)
	// p { Path string /*required*/; MaxCount int /*at most 100*/ }
	// r {Total int}
}

func ExampleServer_Func() {
	git, _ := gitView().Package("git")
	for _, name := range []string{"Log", "git_log", "GitLog", "Logs"} {
		t, ok := git.Func(name)
		if !ok {
			fmt.Println(name, "is unknown; the nearest is", git.Near(name, 1)[0].Go())
			continue
		}
		fmt.Println(name, "is", t.Go())
	}
	// Output:
	// Log is git.Log
	// git_log is git.Log
	// GitLog is git.Log
	// Logs is unknown; the nearest is git.Log
}

func ExampleWords() {
	fmt.Println(wrappers.Words("get_user-byID.v2"), wrappers.Fold("get_user-byID.v2"))
	// Output: [get user by id v2] getuserbyidv2
}
