package oracle

import (
	"fmt"
	"regexp"
	"strings"
)

// An outcome is how a program ended, in Go or as a script.
type outcome struct {
	Stdout  string
	Exit    int
	Panic   string // first line of what it died of
	Refused string // why the front end does not take it; nothing has run
	Broken  string // neither Go's way to end nor a refusal: a crash, an error of the interpreter, too slow
}

// difference says in what two outcomes differ, or "". A refusal differs from nothing.
func difference(want, got outcome) string {
	switch {
	case got.Refused != "":
		return ""
	case got.Broken != "":
		return "broken: " + got.Broken
	case want.Stdout != got.Stdout:
		return firstLines(want.Stdout, got.Stdout)
	case masked(want.Panic) != masked(got.Panic):
		return fmt.Sprintf("panic: want %q, got %q", want.Panic, got.Panic)
	case want.Exit != got.Exit:
		return fmt.Sprintf("exit code: want %d, got %d", want.Exit, got.Exit)
	}
	return ""
}

// firstLines tells where two texts part.
func firstLines(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < min(len(w), len(g)) && w[i] == g[i] {
		i++
	}
	line := func(l []string) string {
		if i < len(l) {
			return fmt.Sprintf("%q", l[i])
		}
		return "nothing"
	}
	return fmt.Sprintf("stdout line %d: want %s, got %s", i+1, line(w), line(g))
}

var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// masked hides what differs from run to run.
func masked(s string) string { return addresses.ReplaceAllString(s, "0x…") }

// panicLine returns what a Go program says on stderr that it died of: the first
// line of the last panic.
func panicLine(stderr string) string {
	found := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimLeft(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "goroutine ") {
			break
		}
		if text, ok := strings.CutPrefix(line, "panic: "); ok {
			found = text
		}
		if text, ok := strings.CutPrefix(line, "fatal error: "); ok {
			return "fatal error: " + text
		}
	}
	return found
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
