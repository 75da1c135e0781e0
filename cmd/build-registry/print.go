package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/text"
)

// printReport writes a line for each server, with its problems below, and the changes.
// If onlyFailed is set, it writes the failed servers alone.
func printReport(w io.Writer, r *build.Report, onlyFailed bool) {
	name, transport := 0, 0
	for _, s := range r.Servers {
		name, transport = max(name, len(s.Name)), max(transport, len(s.Transport))
	}
	for _, s := range r.Servers {
		if onlyFailed && s.Err == nil {
			continue
		}
		tools := text.Count(s.Tools, "tool")
		if s.Err != nil {
			tools = "failed"
		} else if s.Skills > 0 {
			tools += ", " + text.Count(s.Skills, "skill")
		}
		fmt.Fprintf(w, "%-*s  %-*s  %-9s  %8s\n", name, s.Name, transport, s.Transport, tools, s.Time.Round(time.Millisecond))
		printFaults(w, s)
	}
	if !onlyFailed {
		printChanges(w, r)
	}
}

// printFaults writes why a server failed, and the problems of its tools.
func printFaults(w io.Writer, s build.ServerReport) {
	if s.Err != nil {
		say := catalog.OfServer(s.Name, s.Err.Error())
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(say, "\n", "\n  "))
		if s.Stale {
			fmt.Fprintf(w, "  its %s are those of an earlier build\n", text.Count(s.Tools, "tool"))
		}
	}
	for _, p := range s.Problems {
		fmt.Fprintf(w, "  %s\n", registry.Printable(p, 2000))
	}
}

// printChanges writes the added, removed and changed tools.
func printChanges(w io.Writer, r *build.Report) {
	for _, c := range []struct {
		what string
		ids  []string
	}{{"added", r.Changes.Added}, {"removed", r.Changes.Removed}} {
		if n := len(c.ids); n > 0 {
			fmt.Fprintf(w, "%s %d: %s\n", c.what, n, text.List(c.ids, maxNames))
		}
	}
	if n := len(r.Changed); n > 0 {
		names := make([]string, 0, maxNames)
		for _, c := range r.Changed {
			names = append(names, fmt.Sprintf("%s (%s)", c.ID, strings.Join(c.What, ", ")))
		}
		fmt.Fprintf(w, "changed %d: %s\n", n, text.List(names, maxNames))
	}
	for _, c := range r.Changed {
		if c.Held {
			fmt.Fprintf(w, "%s is pinned and not to be called until you accept it: build-registry accept %s\n", c.ID,
				registry.ShellWord(c.ID))
		}
	}
}

// maxNames is the largest number of tools named in a line.
const maxNames = 10
