// usetools:latest-commits Who wrote the latest commits, by author
package main

import "servers/git"

// The line at the top keeps this script under a name once it has run well.
// From then on another script needs one line for it:
//
//	v, err := RunScript("latest-commits", map[string]any{"count": 5})
func main() {
	UseTools("show the commit history of a git repository")

	count := 10
	_ = Input("count", &count) // 10 where nothing was sent
	log, err := git.Log(git.LogParams{MaxCount: count})
	if err != nil {
		panic(err)
	}
	byAuthor := map[string]int{}
	for _, c := range log.Commits {
		byAuthor[c.Author]++
	}
	Return(byAuthor)
}
