package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry/build"
)

// progress shows how far a build is: on a terminal in one line that is written
// over, otherwise a line an event. nil shows nothing.
type progress struct {
	w        io.Writer
	terminal bool
	waiting  []string // names of servers that are being asked
	failed   int
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok && os.Getenv("TERM") != "dumb" {
		st, err := f.Stat()
		p.terminal = err == nil && st.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// event returns the hook for a build, nil where nothing is shown.
func (p *progress) event() func(build.Event) {
	if p == nil {
		return nil
	}
	return p.show
}

func (p *progress) show(ev build.Event) {
	if !p.terminal {
		if ev.Err != nil { // the report says why
			fmt.Fprintf(p.w, "%s: failed after %v (%d of %d)\n", ev.Server, ev.Time.Round(time.Millisecond), ev.Finished, ev.Total)
			return
		}
		fmt.Fprintln(p.w, harness.ProgressLine(ev))
		return
	}
	if !ev.Done {
		p.waiting = append(p.waiting, ev.Server)
	} else {
		p.waiting = slices.DeleteFunc(p.waiting, func(s string) bool { return s == ev.Server })
	}
	p.clear()
	if ev.Err != nil {
		p.failed++
	}
	if ev.Finished < ev.Total {
		failed := ""
		if p.failed > 0 {
			failed = fmt.Sprintf(", %d failed", p.failed)
		}
		fmt.Fprintf(p.w, "%d of %d servers%s, waiting for %s", ev.Finished, ev.Total, failed, p.names())
	}
}

// names are the servers that are waited for, as many as a line holds.
func (p *progress) names() string {
	const most = 4
	if n := len(p.waiting); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(p.waiting[:most], ", "), n-most)
	}
	return strings.Join(p.waiting, ", ")
}

// clear takes the line away.
func (p *progress) clear() {
	if p != nil && p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
