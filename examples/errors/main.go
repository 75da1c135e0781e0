package main

import (
	"errors"
	"fmt"

	"servers/git"
)

// A tool that says no, told apart from a call that failed for another reason.
func main() {
	UseTools("show the commit history of a git repository")

	said := ""
	if _, err := git.Log(git.LogParams{Revision: "no-such-branch"}); err != nil {
		var refused *ToolError
		if !errors.As(err, &refused) {
			panic(err) // it was not sent, for example
		}
		said = refused.Message
		fmt.Println("the tool says:", said)
	}
	Return(map[string]any{"refused": said != ""})
}
