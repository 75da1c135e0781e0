// Package usage counts, in a file on this machine, how scripts used tools: which tools were called,
// how often they failed, how long they took, and which phrases were refused and then reworded. It
// sends nothing, and writes no argument, result or output.
//
// A [Log] is a file with one line of JSON for each run. [Log.Add] appends a run; [Log.Runs] and
// [Summarize] evaluate the runs. If the file exceeds MaxFile, its older half is removed.
package usage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/usetools/usetools/registry/localfile"
	"github.com/usetools/usetools/registry/text"
)

// MaxFile bounds the file, in bytes. Beyond it, the older half is removed.
const MaxFile = 8 << 20

const (
	maxTools   = 200 // written of one run, as are phrases
	maxPhrases = 100
	maxPhrase  = 300 // bytes
)

// Run is one run of a script.
type Run struct {
	Time   time.Time `json:"time"`
	Status string    `json:"status"`
	Ms     float64   `json:"ms"`
	Tools  []Calls   `json:"tools,omitempty"`
	// Phrases are the phrases that were refused, and resolved ones that may be their rewordings.
	Phrases []Phrase `json:"phrases,omitempty"`
}

// Calls are a run's calls of one tool.
type Calls struct {
	Tool   string  `json:"tool"`
	Calls  int     `json:"calls"`
	Failed int     `json:"failed,omitempty"`
	Ms     float64 `json:"ms"`  // of all calls together
	Max    float64 `json:"max"` // of the slowest
}

// Phrase is the result of a phrase of a run.
type Phrase struct {
	Phrase  string `json:"phrase"`
	Verdict string `json:"verdict"`
	Tool    string `json:"tool,omitempty"`
}

// Log is a file of runs. Several processes may append to it.
type Log struct{ path string }

// Path returns the usage file for a registry file.
func Path(registryFile string) (string, error) {
	return localfile.CachePath("usage", registryFile, ".jsonl")
}

// Open returns the log in the file at path, which need not exist.
func Open(path string) *Log { return &Log{path} }

// Add appends a run.
func (l *Log) Add(r Run) error {
	r.Tools, r.Phrases = r.Tools[:min(len(r.Tools), maxTools)], r.Phrases[:min(len(r.Phrases), maxPhrases)]
	for i := range r.Phrases {
		r.Phrases[i].Phrase = text.FirstBytes(r.Phrases[i].Phrase, maxPhrase)
	}
	line, err := json.Marshal(r)
	if err == nil {
		err = localfile.Append(l.path, append(line, '\n'), MaxFile, 0o600)
	}
	if err != nil {
		return fmt.Errorf("recording usage: %w", err)
	}
	return nil
}

// Clear removes all recorded runs.
func (l *Log) Clear() error {
	if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clearing usage: %w", err)
	}
	return nil
}

// Runs returns the runs since a time, the oldest first. It omits damaged lines. A missing file has
// no runs.
func (l *Log) Runs(since time.Time) ([]Run, error) { return l.runs(since, nil) }

// runs returns the runs since a time. If with is not empty, it returns only those whose lines
// contain it.
func (l *Log) runs(since time.Time, with []byte) ([]Run, error) {
	data, err := localfile.Read(l.path, 2*MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading usage: %w", err)
	}
	var out []Run
	for line := range bytes.Lines(data) {
		var r Run
		if bytes.Contains(line, with) && json.Unmarshal(line, &r) == nil && !r.Time.Before(since) && !r.Time.IsZero() {
			out = append(out, r)
		}
	}
	return out, nil
}

// Of returns the usage of the tool with an ID in all runs of the log.
func (l *Log) Of(id string) (Tool, error) {
	name, err := json.Marshal(id)
	if err != nil {
		return Tool{}, fmt.Errorf("reading usage: %w", err)
	}
	runs, err := l.runs(time.Time{}, name)
	if err != nil {
		return Tool{}, err
	}
	used := map[string]*Tool{id: {Name: id}}
	for _, r := range runs {
		for _, c := range r.Tools {
			if c.Tool == id {
				add(used, id, c, r.Time.UTC().Format(time.DateOnly), true)
			}
		}
	}
	return sorted(used)[0], nil
}

// Summary is the usage of all tools.
type Summary struct {
	Runs    int    `json:"runs"`
	Failed  int    `json:"failed"` // runs with another status than ok
	Since   string `json:"since,omitempty"`
	Tools   []Tool `json:"tools"`   // used, the most used first
	Servers []Tool `json:"servers"` // the same by server
	Days    []Day  `json:"days"`    // the oldest first
	// Unused are the tools of the registry that no run called, sorted.
	Unused  []string        `json:"unused"`
	Phrases []RefusedPhrase `json:"phrases"`
}

// Tool is the usage of a tool, or of all tools of a server.
type Tool struct {
	Name   string  `json:"name"`
	Runs   int     `json:"runs"`
	Calls  int     `json:"calls"`
	Failed int     `json:"failed"`
	Mean   float64 `json:"meanMs"`
	Max    float64 `json:"maxMs"`
	Last   string  `json:"last"` // day, UTC

	total float64
}

// Day is the usage of one day, in UTC.
type Day struct {
	Day    string `json:"day"`
	Runs   int    `json:"runs"`
	Calls  int    `json:"calls"`
	Failed int    `json:"failed"` // calls
}

// RefusedPhrase is a phrase that was not resolved.
type RefusedPhrase struct {
	Phrase  string `json:"phrase"`
	Verdict string `json:"verdict"` // the last one
	Times   int    `json:"times"`
	// Reworded is a phrase that the next run, soon after, resolved instead, and Tool is its tool.
	// Both may be empty.
	Reworded string `json:"reworded,omitempty"`
	Tool     string `json:"tool,omitempty"`
}

// rewordTime is how long after a refused phrase another one counts as its rewording.
const rewordTime = 10 * time.Minute

// Summarize returns the usage of tools in runs. known are the IDs of all tools. serverOf returns
// the server of a tool, because an ID alone does not tell it.
func Summarize(runs []Run, known []string, serverOf func(id string) string) Summary {
	s := Summary{Runs: len(runs), Tools: []Tool{}, Servers: []Tool{}, Days: []Day{}, Unused: []string{},
		Phrases: []RefusedPhrase{}}
	tools, servers, days := map[string]*Tool{}, map[string]*Tool{}, map[string]*Day{}
	for _, r := range runs {
		day := r.Time.UTC().Format(time.DateOnly)
		d := days[day]
		if d == nil {
			d = &Day{Day: day}
			days[day] = d
		}
		d.Runs++
		if r.Status != "ok" {
			s.Failed++
		}
		seen := map[string]bool{}
		for _, c := range r.Tools {
			d.Calls += c.Calls
			d.Failed += c.Failed
			server := serverOf(c.Tool)
			add(tools, c.Tool, c, day, true)
			add(servers, server, c, day, !seen[server])
			seen[server] = true
		}
	}
	if len(runs) > 0 {
		s.Since = runs[0].Time.UTC().Format(time.DateOnly)
	}
	s.Tools, s.Servers = sorted(tools), sorted(servers)
	for _, d := range days {
		s.Days = append(s.Days, *d)
	}
	slices.SortFunc(s.Days, func(a, b Day) int { return cmp.Compare(a.Day, b.Day) })
	for _, id := range known {
		if tools[id] == nil {
			s.Unused = append(s.Unused, id)
		}
	}
	slices.Sort(s.Unused)
	s.Phrases = refusedPhrases(runs)
	return s
}

func add(to map[string]*Tool, name string, c Calls, day string, newRun bool) {
	t := to[name]
	if t == nil {
		t = &Tool{Name: name}
		to[name] = t
	}
	if newRun {
		t.Runs++
	}
	t.Calls += c.Calls
	t.Failed += c.Failed
	t.total += c.Ms
	t.Max = max(t.Max, c.Max)
	t.Last = max(t.Last, day)
}

func sorted(tools map[string]*Tool) []Tool {
	out := []Tool{}
	for _, t := range tools {
		if t.Calls > 0 {
			t.Mean = float64(int(1000*t.total/float64(t.Calls))) / 1000
		}
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// refusedPhrases returns the refused phrases, the most frequent first.
func refusedPhrases(runs []Run) []RefusedPhrase {
	by := map[string]*RefusedPhrase{}
	for i, r := range runs {
		for _, p := range r.Phrases {
			if p.Verdict == "resolved" {
				continue
			}
			t := by[p.Phrase]
			if t == nil {
				t = &RefusedPhrase{Phrase: p.Phrase}
				by[p.Phrase] = t
			}
			t.Times++
			t.Verdict = p.Verdict
			if i+1 < len(runs) {
				if w, ok := reworded(r, runs[i+1]); ok {
					t.Reworded, t.Tool = w.Phrase, w.Tool
				}
			}
		}
	}
	out := []RefusedPhrase{}
	for _, t := range by {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b RefusedPhrase) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Phrase, b.Phrase))
	})
	return out
}

// reworded returns a resolved phrase of the next run that r, a run with a refused phrase, did not
// have.
func reworded(r, next Run) (Phrase, bool) {
	i := slices.IndexFunc(next.Phrases, func(p Phrase) bool {
		return p.Verdict == "resolved" && !slices.ContainsFunc(r.Phrases, func(x Phrase) bool { return x.Phrase == p.Phrase })
	})
	if i < 0 || next.Time.Sub(r.Time) > rewordTime {
		return Phrase{}, false
	}
	return next.Phrases[i], true
}
