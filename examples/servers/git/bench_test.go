package main

import (
	"strconv"
	"testing"
)

func benchRoot(b *testing.B) root {
	dir := b.TempDir()
	if err := makeDemo(dir, demoNow); err != nil {
		b.Fatal(err)
	}
	r, err := newRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func BenchmarkLog(b *testing.B) {
	r := benchRoot(b)
	for b.Loop() {
		if _, err := r.log(b.Context(), logDefaults); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkShow(b *testing.B) {
	r := benchRoot(b)
	for b.Loop() {
		if _, err := r.show(b.Context(), showDefaults); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBlame(b *testing.B) {
	r, p := benchRoot(b), blameDefaults
	p.Path = "main.go"
	for b.Loop() {
		if _, err := r.blame(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiffLinesOfALongFile(b *testing.B) {
	before, after := make([]string, 10_000), make([]string, 10_000)
	for i := range before {
		before[i] = strconv.Itoa(i)
		after[i] = before[i]
		if i%100 == 0 {
			after[i] += " changed"
		}
	}
	for b.Loop() {
		diffLines(before, after)
	}
}
