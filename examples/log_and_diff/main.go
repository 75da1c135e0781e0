// What the latest commits changed, from a server that gives a diff as text:
// log and diff of @cyanheads/git-mcp-server.
//
//	npm install -g @cyanheads/git-mcp-server@2.15.3
//	go run ./cmd/harness run -config examples/log_and_diff/.mcp.json examples/log_and_diff/main.go
package main

import (
	"fmt"
	"strings"

	"servers/git"
)

// here is the server's current folder. It is not written ".", which this server
// takes for a folder chosen earlier in the session.
const here = "./"

func main() {
	UseTools("show the commit history of a git repository", "files changed between two commits")

	log, err := git.Log(git.LogParams{Path: here, MaxCount: 5})
	if err != nil {
		panic(err)
	}
	for _, c := range log.Commits {
		fmt.Println(c.ShortHash, c.Subject)
	}
	summary := map[string]any{"commits": len(log.Commits)}
	if len(log.Commits) < 2 {
		Return(summary)
		return
	}

	newest, oldest := log.Commits[0], log.Commits[len(log.Commits)-1]
	diff, err := git.Diff(git.DiffParams{Path: here, Source: oldest.Hash, Target: newest.Hash, NameOnly: true,
		AutoExclude: false})
	if err != nil {
		panic(err)
	}
	files := strings.FieldsFunc(diff.Diff, func(r rune) bool { return r == '\n' })
	fmt.Printf("\n%d files changed from %s to %s:\n", len(files), oldest.ShortHash, newest.ShortHash)
	for _, file := range files {
		fmt.Println(" ", file)
	}
	summary["latest"] = newest.Hash
	summary["files"] = files
	Return(summary)
}
