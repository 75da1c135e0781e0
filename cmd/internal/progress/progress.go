// Package progress shows on a terminal which servers a command waits for and how long,
// in one line that it overwrites.
package progress

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/build"
)

const (
	// every is the interval between updates of the line; after is how long a
	// command must wait before the line appears.
	every = 250 * time.Millisecond
	after = 400 * time.Millisecond
	// width is the largest number of characters in the line, so that it fits
	// any terminal; most is the largest number of servers that it names.
	width = 79
	most  = 3
)

// Line is the progress line. A nil Line shows nothing.
type Line struct {
	w    io.Writer
	name string // of the command
	stop chan struct{}
	done sync.WaitGroup

	mu              sync.Mutex
	shown, mid      bool                 // the line is visible; other output has not ended its line
	asked           map[string]time.Time // servers, and when each was asked
	finished, total int
	failed          int
}

// New shows a line on w until Close. It returns nil if w is not a terminal.
func New(w io.Writer, command string) *Line {
	terminal := lifetime.Device(w)
	if terminal == nil || os.Getenv("TERM") == "dumb" {
		return nil
	}
	l := newLine(terminal, command)
	l.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.draw(mcp.Starting(), time.Now())
			case <-l.stop:
				return
			}
		}
	})
	return l
}

func newLine(w io.Writer, command string) *Line {
	return &Line{w: w, name: command, stop: make(chan struct{}), asked: map[string]time.Time{}}
}

// Close removes the line permanently.
func (l *Line) Close() {
	if l == nil {
		return
	}
	close(l.stop)
	l.done.Wait()
	l.Clear()
}

// Event returns the hook for a build. It returns nil if the line is nil.
func (l *Line) Event() func(build.Event) {
	if l == nil {
		return nil
	}
	return l.event
}

func (l *Line) event(ev build.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.finished == l.total {
		l.failed = 0 // another build
	}
	l.finished, l.total = ev.Finished, ev.Total
	if !ev.Done {
		l.asked[ev.Server] = time.Now()
		return
	}
	delete(l.asked, ev.Server)
	if ev.Err != nil {
		l.failed++
	}
}

// Clear removes the line before other output.
func (l *Line) Clear() {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.clear()
	}
}

func (l *Line) clear() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// Over returns a writer that clears the line before each write to w.
func (l *Line) Over(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return &over{l, w}
}

type over struct {
	line *Line
	w    io.Writer
}

func (o *over) Write(b []byte) (int, error) {
	o.line.mu.Lock()
	defer o.line.mu.Unlock()
	o.line.clear()
	if len(b) > 0 {
		o.line.mid = b[len(b)-1] != '\n'
	}
	return o.w.Write(b)
}

func (l *Line) draw(starts []mcp.Start, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text(starts, now)
	if text == "" || l.mid {
		l.clear()
		return
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", text)
	l.shown = true
}

// text describes the servers that the command waits for. It returns "" if it waits for none.
func (l *Line) text(starts []mcp.Start, now time.Time) string {
	var parts []string
	var busy []item
	waiting, starting := 0, map[string]bool{}
	for _, s := range starts {
		starting[s.Server] = true
		if s.Began.IsZero() {
			waiting++
			continue
		}
		busy = append(busy, item{s.Server, s.Began})
	}
	for name, since := range l.asked {
		if !starting[name] {
			busy = append(busy, item{name, since})
		}
	}
	busy = slices.DeleteFunc(busy, func(i item) bool { return now.Sub(i.since) < after })
	if len(busy) == 0 {
		return ""
	}
	slices.SortFunc(busy, func(a, b item) int {
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(a.server, b.server)
	})
	if l.finished < l.total {
		of := fmt.Sprintf("%d of %d servers", l.finished, l.total)
		if l.failed > 0 {
			of += fmt.Sprintf(", %d failed", l.failed)
		}
		parts = append(parts, of)
	}
	var names []string
	for _, i := range busy[:min(len(busy), most)] {
		names = append(names, i.text(now))
	}
	on := "waiting for " + strings.Join(names, ", ")
	if n := len(busy) - most; n > 0 {
		on += fmt.Sprintf(" and %d more", n)
	}
	parts = append(parts, on)
	if waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d to come", waiting))
	}
	return registry.Printable(l.name+": "+strings.Join(parts, "; "), width-1) // and an ellipsis
}

// item is a server that the command waits for.
type item struct {
	server string
	since  time.Time
}

func (i item) text(now time.Time) string {
	return fmt.Sprintf("%s (%d s)", i.server, int(now.Sub(i.since).Seconds()))
}
