package record

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/registry/text"
)

// The statuses of runs without an End, and of a run that another process ended because its own died
// or was cut off.
const (
	Running = "running" // its process is alive
	Died    = "died"    // its process is not alive
	Lost    = "lost"
)

// Summary is a run in a list of runs.
type Summary struct {
	ID       string    `json:"run"`
	Time     time.Time `json:"time"`
	Status   string    `json:"status"`
	Ms       float64   `json:"ms"`
	Name     string    `json:"name,omitempty"`
	Subject  string    `json:"subject,omitempty"`
	Session  string    `json:"session,omitempty"`
	Dry      bool      `json:"dry,omitempty"`
	Calls    int       `json:"calls"`
	Failed   int       `json:"failed"`
	Tools    []string  `json:"tools"`           // called, by ID
	Used     []Used    `json:"-"`               // by tool
	Title    string    `json:"title,omitempty"` // comment or first phrase of the script, or tools, or its first line
	Error    string    `json:"error,omitempty"` // first line
	Damaged  bool      `json:"damaged,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	Asks     int       `json:"asks,omitempty"` // of people, answered or not
	Request  string    `json:"-"`              // see Begin
	Once     string    `json:"once,omitempty"`
}

// Summary returns the entry of the run in a list.
func (r *Run) Summary() *Summary {
	end := r.End
	if end == nil {
		var t tally
		for _, l := range r.Lines {
			t.add(l)
		}
		end = &End{Status: Died}
		if r.Running {
			end.Status, t.last = Running, r.Now()
		}
		t.fill(end)
	}
	s := Summarize(r.Begin, end)
	s.Damaged = r.Damaged != nil
	return s
}

// Summarize returns the summary of a run from its first and last lines.
func Summarize(b *Begin, e *End) *Summary {
	return &Summary{ID: b.ID, Time: b.Time, Status: e.Status, Ms: e.Ms, Name: b.Name, Subject: b.Subject,
		Session: b.Session, Dry: b.Dry, Calls: e.Calls, Failed: e.Failed, Tools: e.Tools, Used: e.Used, Title: e.Title,
		Error: firstError(e.Error), Attempts: e.Attempts, Asks: e.Asks, Request: b.Request, Once: b.Once}
}

// firstError returns the first line of an error's message.
func firstError(raw json.RawMessage) string {
	var e struct {
		Message string `json:"message"`
	}
	json.Unmarshal(raw, &e) // invalid JSON has no message
	line, _, _ := strings.Cut(e.Message, "\n")
	return text.Cut(line, maxTitle)
}

// Bounds of the fields of an End for lists.
const (
	maxTools = 1000
	maxTitle = 120 // characters
)

// A tally gathers the fields of an End for lists from the lines of a run.
type tally struct {
	calls, failed, attempts, asks int
	tools                         []string
	called                        map[string]bool
	used                          []Used
	sent                          map[int]int // number of a call to its index in used
	repeated                      map[int]bool
	comment, phrase, script       string
	gonames                       map[string]string // of tools
	began, last                   time.Time         // of the attempt
	earlier                       time.Duration     // of earlier attempts
}

func (t *tally) add(l Line) {
	at := l.head().Time
	switch l.(type) {
	case *Answer, *Settle: // written by people, between attempts
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
		t.comment, t.script = FirstLines(l.Script.Text())
	case *Attempt:
		t.attempts = l.Number
	case *Tools:
		if l.Path == "" {
			t.phrase = firstPhrase(l.Phrases)
		}
		for _, tool := range l.Tools {
			if t.gonames == nil {
				t.gonames = map[string]string{}
			}
			t.gonames[tool.ID] = tool.Go
		}
	case *Call:
		if l.Class == Idempotent { // it may be repeated
			if t.repeated[l.N] {
				return
			}
			if t.repeated == nil {
				t.repeated = map[int]bool{}
			}
			t.repeated[l.N] = true
		}
		t.calls++
		t.uses(l.Tool)
		t.call(l)
	case *Guess: // not sent
		t.uses(l.Tool)
	case *Ask:
		t.asks++
	case *Done:
		if l.Failed || l.Error != "" {
			t.failed++
		}
		t.done(l)
	}
}

// call counts a call that was sent to a tool.
func (t *tally) call(l *Call) {
	i := slices.IndexFunc(t.used, func(u Used) bool { return u.Tool == l.Tool })
	if i < 0 {
		if len(t.used) == maxTools {
			return
		}
		i, t.used = len(t.used), append(t.used, Used{Tool: l.Tool})
	}
	if t.sent == nil {
		t.sent = map[int]int{}
	}
	t.sent[l.N] = i
	t.used[i].Calls++
}

// done counts the outcome of a call.
func (t *tally) done(l *Done) {
	i, ok := t.sent[l.N]
	if !ok {
		return
	}
	delete(t.sent, l.N)
	u := &t.used[i]
	switch {
	case l.Denied:
		u.Denied++
		return
	case l.Failed || l.Error != "":
		u.Failed++
	}
	if l.Kind == Answered {
		u.Timed, u.Ms, u.Max = u.Timed+1, u.Ms+l.Ms, max(u.Max, l.Ms)
	}
}

// uses adds a tool by which lists find the run.
func (t *tally) uses(tool string) {
	if !t.called[tool] && len(t.tools) < maxTools {
		if t.called == nil {
			t.called = map[string]bool{}
		}
		t.called[tool] = true
		t.tools = append(t.tools, tool)
	}
}

// title returns the comment at the beginning of the script, or else its first phrase, the tools
// that it called, or its first line.
func (t *tally) title() string {
	if title := cmp.Or(t.comment, t.phrase); title != "" || len(t.tools) == 0 {
		return cmp.Or(title, t.script)
	}
	var names []string
	for _, id := range t.tools {
		names = append(names, cmp.Or(t.gonames[id], id))
	}
	return text.Cut(text.List(names, 3), maxTitle)
}

// fill sets the fields of an End that follow from the lines before it. It adds the time of earlier
// attempts to Ms, which is that of the last attempt, or zero.
func (t *tally) fill(e *End) {
	if e.Ms == 0 {
		e.Ms = ms(t.last.Sub(t.began))
	}
	e.Ms += ms(t.earlier)
	t.refused(e.Decisions)
	e.Calls, e.Failed = t.calls, t.failed
	e.Tools, e.Used, e.Title, e.Attempts, e.Asks = t.tools, t.used, t.title(), t.attempts, t.asks
}

// refused counts the tools that the policy denied before a call of them was sent.
func (t *tally) refused(decisions json.RawMessage) {
	var all []struct{ Tool, Verdict string }
	json.Unmarshal(decisions, &all) // invalid JSON denies nothing
	for _, d := range all {
		if d.Verdict == "denied" && len(t.used) < maxTools &&
			!slices.ContainsFunc(t.used, func(u Used) bool { return u.Tool == d.Tool && u.Denied > 0 }) {
			t.used = append(t.used, Used{Tool: d.Tool, Denied: 1})
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// firstPhrase returns the first phrase of the tools of a result.
func firstPhrase(raw json.RawMessage) string {
	var uses []struct {
		Phrase string `json:"phrase"`
	}
	json.Unmarshal(raw, &uses) // invalid JSON has no phrase
	for _, u := range uses {
		if u.Phrase != "" {
			return text.Cut(u.Phrase, maxTitle)
		}
	}
	return ""
}

// FirstLines returns the comment at the beginning of a script, without slashes, and its first line
// of code. If that line declares tools, it returns their phrase instead.
func FirstLines(script string) (comment, code string) {
	declared := "" // the line that declares tools, if its phrase is on the next one
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "package ") || strings.HasPrefix(line, "//go:") {
			continue
		}
		if declared == "" && (strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*")) {
			comment = cmp.Or(comment, text.Cut(strings.Trim(line, "/* \t"), maxTitle))
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
		return comment, text.Cut(line, maxTitle)
	}
	return comment, declared
}
