package main

import (
	"fmt"

	"servers/git"
)

// One result, three ways to read it: its fields, the text that the server
// wrote for readers, and the JSON for a type of your own.
func main() {
	UseTools("show the commit history of a git repository")

	log, err := git.Log(git.LogParams{MaxCount: 1})
	if err != nil {
		panic(err)
	}
	var own struct {
		Commits []struct {
			Subject string `json:"subject"`
		} `json:"commits"`
	}
	if err := log.JSON(&own); err != nil {
		panic(err)
	}
	fmt.Println("a field:", log.Commits[0].Author)
	fmt.Println("the text:", len(log.Text()) > 0)
	Return(map[string]any{"typed": len(log.Commits), "own": len(own.Commits), "text": log.Text() != "",
		"raw": len(log.Raw()) > 0})
}
