package record

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/registry/text"
)

// Bounds of what an End says for lists.
const (
	maxTools = 1000
	maxTitle = 120 // characters
)

// A tally is what a list says of a run, gathered from its lines.
type tally struct {
	calls, failed, attempts, asks int
	tools                         []string
	called                        map[string]bool
	again                         map[int]bool
	phrase, script                string
	began, last                   time.Time     // of the attempt
	earlier                       time.Duration // that attempts before it took
}

func (t *tally) add(l Line) {
	at := l.head().Time
	switch l.(type) {
	case *Answer, *Settle: // of people, between attempts
		at = t.last
	case *Begin:
		t.began = at
	case *Attempt:
		t.earlier += t.last.Sub(t.began)
		t.began = at
	}
	t.last = at
	switch l := l.(type) {
	case *Begin:
		t.script = firstLine(l.Script.Text())
	case *Attempt:
		t.attempts = l.Number
	case *Tools:
		if l.Path == "" {
			t.phrase = firstPhrase(l.Phrases)
		}
	case *Call:
		if l.Class == Again { // it may be made again
			if t.again[l.N] {
				return
			}
			if t.again == nil {
				t.again = map[int]bool{}
			}
			t.again[l.N] = true
		}
		t.call(l.Tool)
	case *Guess: // it was not sent
		t.uses(l.Tool)
	case *Ask:
		t.asks++
	case *Done:
		if l.Failed || l.Error != "" {
			t.failed++
		}
	}
}

func (t *tally) call(tool string) {
	t.calls++
	t.uses(tool)
}

// uses adds a tool to those that the run is found by.
func (t *tally) uses(tool string) {
	if !t.called[tool] && len(t.tools) < maxTools {
		if t.called == nil {
			t.called = map[string]bool{}
		}
		t.called[tool] = true
		t.tools = append(t.tools, tool)
	}
}

func (t *tally) title() string {
	if t.phrase != "" {
		return t.phrase
	}
	return t.script
}

// fill sets what an End has from the lines before it. Its Ms is that of the last attempt before,
// and of all attempts then.
func (t *tally) fill(e *End) {
	if e.Ms == 0 {
		e.Ms = ms(t.last.Sub(t.began))
	}
	e.Ms += ms(t.earlier)
	e.Calls, e.Failed = t.calls, t.failed
	e.Tools, e.Title, e.Attempts, e.Asks = t.tools, t.title(), t.attempts, t.asks
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// firstPhrase is the first phrase of the tools of a result.
func firstPhrase(raw json.RawMessage) string {
	var uses []struct {
		Phrase string `json:"phrase"`
	}
	json.Unmarshal(raw, &uses) // what is none has no phrase
	for _, u := range uses {
		if u.Phrase != "" {
			return text.Cut(u.Phrase, maxTitle)
		}
	}
	return ""
}

// firstLine is the first line of a script that says something of it: the phrase, where
// that line declares tools.
func firstLine(script string) string {
	declared := "" // the line that declares them, where its phrase is on the next one
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "package ") || strings.HasPrefix(line, "//go:") {
			continue
		}
		phrase := line
		if _, rest, ok := strings.Cut(line, "UseTools("); ok {
			if declared, phrase = line, strings.TrimSpace(rest); phrase == "" {
				continue
			}
		}
		if quoted, err := strconv.QuotedPrefix(phrase); err == nil && declared != "" {
			line, _ = strconv.Unquote(quoted)
		} else if declared != "" {
			line = declared
		}
		return text.Cut(line, maxTitle)
	}
	return declared
}
