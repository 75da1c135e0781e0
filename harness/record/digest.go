package record

import (
	"encoding/json"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// Bounds of what an End says for lists.
const (
	maxTools = 1000
	maxTitle = 120 // characters
)

// A digest is what a list says of a run, gathered from its lines.
type digest struct {
	calls, failed, attempts int
	tools                   []string
	called                  map[string]bool
	phrase, script          string
}

func (d *digest) add(l Line) {
	switch l := l.(type) {
	case *Begin:
		d.script = firstLine(l.Script.Text())
	case *Attempt:
		d.attempts = l.Number
	case *Tools:
		d.phrase = firstPhrase(l.Phrases)
	case *Call:
		d.call(l.Tool)
	case *Guess:
		d.call(l.Tool)
	case *Done:
		if l.Failed || l.Error != "" {
			d.failed++
		}
	}
}

func (d *digest) call(tool string) {
	d.calls++
	if !d.called[tool] && len(d.tools) < maxTools {
		if d.called == nil {
			d.called = map[string]bool{}
		}
		d.called[tool] = true
		d.tools = append(d.tools, tool)
	}
}

func (d *digest) title() string {
	if d.phrase != "" {
		return d.phrase
	}
	return d.script
}

// fill sets what an End has from the lines before it.
func (d *digest) fill(e *End) {
	if e.Calls == 0 {
		e.Calls, e.Failed = d.calls, d.failed
	}
	e.Tools, e.Title, e.Attempts = d.tools, d.title(), d.attempts
}

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

// firstLine is the first line of a script that says something of it.
func firstLine(script string) string {
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "package ") && !strings.HasPrefix(line, "//go:") {
			return text.Cut(line, maxTitle)
		}
	}
	return ""
}
