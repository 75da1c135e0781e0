package check

import "testing"

// benchmarkScript has the size and the means of a usual script: 40 lines, two
// tools, sorting, maps, formatting.
const benchmarkScript = `package main

import (
	"fmt"
	"sort"
	"strings"

	"servers/git"
)

type author struct {
	name    string
	commits int
}

func byCommits(counts map[string]int) []author {
	var list []author
	for name, n := range counts {
		list = append(list, author{name, n})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].commits > list[j].commits })
	return list
}

func main() {
	UseTools("show the commit history of a git repository")
	log, err := git.Log(git.LogParams{RepoPath: ".", MaxCount: 500})
	if err != nil {
		panic(err)
	}
	counts := map[string]int{}
	for _, c := range log.Commits {
		counts[strings.ToLower(c.Author)]++
	}
	list := byCommits(counts)
	for i, a := range list[:min(3, len(list))] {
		fmt.Printf("%d. %-20s %4d\n", i+1, a.name, a.commits)
	}
	Return(map[string]any{"authors": len(list), "first": list[0].name})
}
`

func BenchmarkParseAndCheck(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s, bad := Parse([]byte(benchmarkScript))
		if bad != nil {
			b.Fatal(bad)
		}
		if _, bad = s.Check(testOptions()); bad != nil {
			b.Fatal(bad)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, bad := Parse([]byte(benchmarkScript)); bad != nil {
			b.Fatal(bad)
		}
	}
}

func BenchmarkUnknownType(b *testing.B) {
	for b.Loop() {
		s, bad := Parse([]byte(`memory.CreateEntities(memory.CreateEntitiesParams{Entities: []memory.Entity{{Name: "a"}}})`))
		if bad != nil {
			b.Fatal(bad)
		}
		if _, bad = s.Check(testOptions()); bad != nil {
			b.Fatal(bad)
		}
	}
}
