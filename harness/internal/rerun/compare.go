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

// Difference is a difference between a replay and its record.
type Difference struct {
	What string `json:"what"` // status, error, exit code, calls, value, stdout or stderr
	Text string `json:"text"` // a description
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// cutOff are the statuses of runs that ended at a moment that depends on neither the script nor
// the record: a replay may get further, or not as far.
var cutOff = []outcome.Status{outcome.Timeout, outcome.CPULimit, outcome.Canceled}

// killed are the statuses of scripts that were killed while they ran.
var killed = append([]outcome.Status{outcome.MemoryLimit, outcome.OutputLimit, outcome.CallLimit, outcome.Waiting,
	outcome.Uncertain}, cutOff...)

// recorded returns the status of the record.
func (p *Replayer) recorded() outcome.Status { return outcome.Status(p.run.End.Status) }

// Calls returns the number of calls answered from the record.
func (p *Replayer) Calls() int { return p.made }

// Compare returns the first difference between a replay and its record, or nil. If the replay
// reached the place where its run was killed, it gets the recorded status and error.
func (p *Replayer) Compare(res *outcome.Result) *Difference {
	d := p.compare(res)
	if end := p.run.End; p.over {
		res.Status, res.ExitCode, res.Error, res.Errors = p.recorded(), end.ExitCode, nil, nil
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
	left := res.Status == outcome.OK && p.recorded() == outcome.Uncertain && slices.ContainsFunc(p.run.Calls, (*record.Made).Lost)
	if left { // main did not wait for an unresolved call
		res.Status, res.ExitCode = outcome.Uncertain, outcome.Uncertain.ExitCode()
	}
	same := p.over || res.Status == p.recorded()
	// The place where a script is killed is arbitrary.
	ended := p.diverged == nil && same && !left && slices.Contains(killed, p.recorded())
	further := p.diverged == nil && slices.Contains(cutOff, p.recorded()) && res.Status != outcome.CompileError && (d == nil || d.Unasked == nil)
	wantError, gotError := outcome.Error{}, outcome.Error{}
	json.Unmarshal(end.Error, &wantError) // without an error, the message is empty
	if res.Error != nil {
		gotError = *res.Error
	}
	switch {
	case further && (p.over || !same):
		return p.compareTexts(res, strings.HasPrefix)
	case ended:
		return p.compareTexts(res, func(got, want string) bool {
			return strings.HasPrefix(got, want) || strings.HasPrefix(want, got)
		})
	case d != nil && (d.Asked != nil && (!same || d.Unasked != nil || !p.crowded()) || d.Unasked != nil && same):
		return &Difference{What: "calls", Text: d.Error()}
	case res.Status != p.recorded():
		return &Difference{What: "status", Want: end.Status, Got: string(res.Status),
			Text: fmt.Sprintf("the replay ended with %s, the recorded run with %s", statusText(res.Status, gotError.Message),
				statusText(p.recorded(), wantError.Message))}
	case wantError.Message != gotError.Message:
		return differ("error", wantError.Message, gotError.Message)
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

// crowded reports whether no further call could be under way when the run ended. Calls that
// waited for a slot are not in the record.
func (p *Replayer) crowded() bool {
	n := 0
	for _, m := range p.run.Calls {
		if m.Guess == nil && (m.Done == nil || m.Done.Cut) {
			n++
		}
	}
	return n >= p.Parallel
}

// compareTexts returns the first difference between the printed texts.
func (p *Replayer) compareTexts(res *outcome.Result, same func(got, want string) bool) *Difference {
	masked := func(s string) string { return withoutTimes(printable(s)) }
	stdout := printable
	if strings.Contains(p.Source, "log.") { // log or slog, which may write to stdout
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

// notText matches replacements of invalid UTF-8: a result has one for consecutive invalid
// bytes, a record one for each.
var notText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\uFFFD{2,}") })

func printable(s string) string { return notText().ReplaceAllLiteralString(s, "\uFFFD") }

// differ returns the difference between two texts. It adds a note if the record lacks clock
// readings that may have caused it.
func (p *Replayer) differ(what, want, got string) *Difference {
	d := differ(what, want, got)
	if slices.ContainsFunc(p.run.Notes, func(n *record.Note) bool { return n.Lost }) {
		d.Text += fmt.Sprintf("; the script read its clock more than %d times, and the record lacks the later readings", record.MaxReadings)
	}
	return d
}

func statusText(s outcome.Status, err string) string {
	if err == "" {
		return string(s)
	}
	return fmt.Sprintf("%s (%s)", s, text.Cut(err, 200))
}

// differ returns a difference with excerpts from where two texts differ.
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

// logTimes matches times written by packages log and slog, which read the system's clock
// instead of the script's.
var logTimes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
})

func withoutTimes(s string) string { return logTimes().ReplaceAllString(s, "TIME") }
