package rerun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Difference is where a replay is not like the record.
type Difference struct {
	What string `json:"what"` // status, error, calls, value, stdout, stderr
	Text string `json:"text"` // in words
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// cutOff reports whether the run ended at a moment of which neither the script nor
// the record knows: the same script may then come further, or not so far.
func (p *Replayer) cutOff() bool {
	switch outcome.Status(p.run.End.Status) {
	case outcome.Timeout, outcome.CPULimit, outcome.Canceled:
		return true
	}
	return false
}

// killed reports whether a script with this status was ended while it ran.
func killed(s outcome.Status) bool {
	switch s {
	case outcome.Timeout, outcome.CPULimit, outcome.MemoryLimit, outcome.OutputLimit, outcome.CallLimit, outcome.Canceled, outcome.Waiting, outcome.Uncertain:
		return true
	}
	return false
}

// Calls returns how many calls were answered from the record.
func (p *Replayer) Calls() int { return p.made }

// Compare returns the first difference between a replay and its record, or nil. A replay that
// came to where its run was ended gets the status and the error of that.
func (p *Replayer) Compare(res *outcome.Result) *Difference {
	d := p.compare(res)
	if end := p.run.End; p.over {
		res.Status, res.ExitCode, res.Error, res.Errors = outcome.Status(end.Status), end.ExitCode, nil, nil
		if json.Unmarshal(end.Errors, &res.Errors) == nil && len(res.Errors) > 0 {
			res.Error = &res.Errors[0]
		}
	}
	return d
}

func (p *Replayer) compare(res *outcome.Result) *Difference {
	end := p.run.End
	d := p.diverged
	if d == nil && res.Status != outcome.CompileError {
		d = p.gate.End()
	}
	left := res.Status == outcome.OK && outcome.Status(end.Status) == outcome.Uncertain && slices.ContainsFunc(p.run.Calls, (*record.Made).Lost)
	if left { // main did not wait for a call of which nobody knows what became
		res.Status, res.ExitCode = outcome.Uncertain, outcome.Uncertain.ExitCode()
	}
	same := p.over || string(res.Status) == end.Status
	// What a script did in the moment in which it was ended is chance.
	ended := p.diverged == nil && same && !left && killed(outcome.Status(end.Status))
	further := p.diverged == nil && p.cutOff() && res.Status != outcome.CompileError && (d == nil || d.Unasked == nil)
	wantError, gotError := errorText(end.Error), errorText(record.JSON(res.Error))
	switch {
	case further && (p.over || !same):
		return p.compareTexts(res, strings.HasPrefix)
	case ended:
		return p.compareTexts(res, func(got, want string) bool {
			return strings.HasPrefix(got, want) || strings.HasPrefix(want, got)
		})
	case d != nil && (d.Asked != nil && (!same || d.Unasked != nil || !p.crowded()) || d.Unasked != nil && same):
		return &Difference{What: "calls", Text: d.Error()}
	case string(res.Status) != end.Status:
		return &Difference{What: "status", Want: end.Status, Got: string(res.Status),
			Text: fmt.Sprintf("it ended with %s; in the record with %s", statusText(string(res.Status), gotError),
				statusText(end.Status, wantError))}
	case wantError != gotError:
		return differ("error", wantError, gotError)
	case res.ExitCode != end.ExitCode:
		return differ("exit code", strconv.Itoa(end.ExitCode), strconv.Itoa(res.ExitCode))
	}
	want, err := p.run.Value(end.Value)
	if err != nil {
		return &Difference{What: "value", Text: err.Error()}
	}
	if !bytes.Equal(want, res.Value) {
		return p.differ("value", string(want), string(res.Value))
	}
	return p.compareTexts(res, func(got, want string) bool { return got == want })
}

// crowded reports whether as many calls were under way when the run ended as may be:
// further ones waited, and are not in the record.
func (p *Replayer) crowded() bool {
	n := 0
	for _, m := range p.run.Calls {
		if m.Guess == nil && (m.Done == nil || m.Done.Cut) {
			n++
		}
	}
	return n >= p.Parallel
}

// compareTexts returns the first difference between what a replay and its record
// printed.
func (p *Replayer) compareTexts(res *outcome.Result, same func(got, want string) bool) *Difference {
	masked := func(s string) string { return withoutTimes(printable(s)) }
	stdout := printable
	if strings.Contains(p.Source, "log.") { // log or slog, which can write there too
		stdout = masked
	}
	if want, got := stdout(p.run.Stdout()), stdout(res.Stdout); !same(got, want) {
		return p.differ("stdout", want, got)
	}
	if want, got := masked(p.run.Stderr()), masked(res.Stderr); !same(got, want) {
		return p.differ("stderr", want, got)
	}
	return nil
}

// notText is what stands for bytes that are no UTF-8: in a result once for all that
// follow each other, in a record for each.
var notText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\uFFFD{2,}") })

func printable(s string) string { return notText().ReplaceAllLiteralString(s, "\uFFFD") }

// differ is the difference of two texts, and whether the record is known not to
// have what they may follow from.
func (p *Replayer) differ(what, want, got string) *Difference {
	d := differ(what, want, got)
	if slices.ContainsFunc(p.run.Notes, func(n *record.Note) bool { return n.Lost }) {
		d.Text += fmt.Sprintf("; the script read its clock more than %d times, and the record does not have what it read "+
			"after that", record.MaxReadings)
	}
	return d
}

func statusText(status, err string) string {
	if err == "" {
		return status
	}
	return status + " (" + text.Cut(err, 200) + ")"
}

// errorText is the message of an error of a result.
func errorText(raw json.RawMessage) string {
	var e outcome.Error
	if len(raw) == 0 || json.Unmarshal(raw, &e) != nil {
		return ""
	}
	return e.Message
}

// differ shows two texts from where they differ.
func differ(what, want, got string) *Difference {
	const before, most = 40, 200 // bytes
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	line := 1 + strings.Count(want[:i], "\n")
	from := max(0, i-before)
	cut := func(s string) string {
		return strings.ToValidUTF8(s[min(from, len(s)):min(len(s), from+most)], "\uFFFD")
	}
	d := &Difference{What: what, Want: cut(want), Got: cut(got)}
	d.Text = fmt.Sprintf("the %s differs", what)
	if line > 1 {
		d.Text = fmt.Sprintf("the %s differs in line %d", what, line)
	}
	return d
}

// logTimes are what packages log and slog write of the time, which they take from
// the system and not from the script's clock.
var logTimes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
})

func withoutTimes(s string) string { return logTimes().ReplaceAllString(s, "TIME") }
