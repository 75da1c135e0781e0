package progress

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/build"
)

func TestTheLineSaysWhatIsWaitedForAndHowLong(t *testing.T) {
	var out strings.Builder
	l := newLine(&out, "harness")
	now := time.Now()
	ago := func(s float64) time.Time { return now.Add(-time.Duration(s * float64(time.Second))) }
	for _, ev := range []build.Event{
		{Server: "web", Total: 7}, {Server: "git", Total: 7},
		{Server: "git", Done: true, Finished: 1, Total: 7, Err: errors.New("no")},
	} {
		l.event(ev)
	}
	l.asked["web"] = ago(5)
	for _, tc := range []struct {
		want   string
		starts []mcp.Start
	}{
		{"harness: 1 of 7 servers, 1 failed; waiting for web (5 s)", nil},
		{"harness: 1 of 7 servers, 1 failed; waiting for web (5 s), a (3 s); 2 to come",
			[]mcp.Start{{Server: "a", Began: ago(3.2)}, {Server: "new", Began: ago(.1)}, {Server: "b"}, {Server: "c"}}},
	} {
		if got := l.text(tc.starts, now); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
	l.event(build.Event{Server: "web", Done: true, Finished: 7, Total: 7})
	many := []mcp.Start{}
	for _, name := range strings.Fields("one two three four five") {
		many = append(many, mcp.Start{Server: name + strings.Repeat("-server", 3), Began: ago(3)})
	}
	if got := []rune(l.text(many, now)); len(got) > width {
		t.Errorf("%d characters: %s", len(got), string(got))
	}
	if got := l.text(nil, now); got != "" {
		t.Errorf("nothing is waited for: %q", got)
	}
}

func TestTheLineGivesWayToWhatIsWritten(t *testing.T) {
	var out strings.Builder
	l := newLine(&out, "harness")
	now := time.Now()
	starts := []mcp.Start{{Server: "a", Began: now.Add(-time.Second)}}
	w := l.Over(&out)
	l.draw(starts, now)
	w.Write([]byte("half"))
	l.draw(starts, now)
	w.Write([]byte(" a line\n"))
	l.draw(starts, now)
	l.Close()
	const line, clear = "\r\x1b[Kharness: waiting for a (1 s)", "\r\x1b[K"
	if want := line + clear + "half a line\n" + line + clear; out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
	var none *Line
	none.Clear()
	none.Close()
	if none.Event() != nil || none.Over(&out) != &out {
		t.Error("no line has effects")
	}
}
