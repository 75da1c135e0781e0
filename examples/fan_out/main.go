package main

import (
	"fmt"
	"sync"

	"servers/git"
)

// Many calls side by side, but never more than four at a time, and one small
// answer: what each of the latest commits changed.
func main() {
	UseTools("show the commit history of a git repository", "files changed between two commits")

	log, err := git.Log(git.LogParams{MaxCount: 20})
	if err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	files, failed := map[string]int{}, 0
	slots := make(chan struct{}, 4)
	for i := 0; i+1 < len(log.Commits); i++ {
		newer, older := log.Commits[i], log.Commits[i+1]
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			diff, err := git.Diff(git.DiffParams{From: older.Hash, To: newer.Hash})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			for _, f := range diff.Files {
				files[f.Path]++
			}
		})
	}
	wg.Wait()
	fmt.Println(len(log.Commits), "commits,", len(files), "files,", failed, "diffs failed")
	Return(map[string]any{"commits": len(log.Commits), "files": len(files), "failed": failed})
}
