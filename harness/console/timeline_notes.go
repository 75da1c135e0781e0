package console

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Hue returns the colour class of a tool's server.
func (t *timeline) Hue(tool string) string { return hue(t.servers, tool) }

// GoName returns the Go name of the tool found for a phrase.
func (t *timeline) GoName(p present.Phrase) string { return cmp.Or(p.Go, t.gonames[p.Tool], p.Tool) }

// histogram shows the distribution of the durations of calls.
type histogram struct{ P95, Top, Path string }

// Histogram returns the histogram of the calls of a place, as a path in a 96 by 22 box, or nil for
// fewer than 100 calls.
func (t *timeline) Histogram(p *present.Place) *histogram {
	var took []float64
	for _, b := range p.Calls {
		if b.Done != nil {
			took = append(took, b.Done.Ms)
		}
	}
	if len(took) < 100 {
		return nil
	}
	slices.Sort(took)
	top := max(present.Quantile(took, .99), 1e-3)
	h := &histogram{P95: present.Duration(present.Quantile(took, .95)), Top: present.Duration(top)}
	var counts [24]int
	most := 1
	for _, ms := range took {
		k := min(max(int(ms/top*float64(len(counts))), 0), len(counts)-1)
		counts[k]++
		most = max(most, counts[k])
	}
	for i, k := range counts {
		if k > 0 {
			y := fixed(max(float64(k)/float64(most)*22, .8), 1)
			h.Path += fmt.Sprintf("M%d 22v-%sh3.2v%sz", i*4, y, y)
		}
	}
	return h
}

// askNote has approvals requested at a line. Equal answers share one note.
type askNote struct {
	Times   int
	Answer  *record.Answer
	Waited  string
	Why     string
	Href    string // address of an open approval
	Closed  bool   // the run was closed before an answer
	answers answerKey
}

type answerKey struct {
	who, word string
	yes       bool
	state     record.State
}

// maxAskNotes limits the notes of a line.
const maxAskNotes = 5

// Asked returns notes about the approvals requested at a line.
func (r *timelineRow) Asked() (out []askNote) {
	t := r.T
	for _, a := range r.Asks {
		key := answerKey{state: a.State(t.now)}
		n := askNote{Answer: a.Answer, Closed: t.closed(), Why: a.Why, Times: 1}
		if a.Answer != nil {
			key = answerKey{a.Answer.Who, a.Answer.Word, a.Answer.Yes, key.state}
			n.Waited = present.Duration(float64(a.Answer.Time.Sub(a.Ask.Time)) / float64(time.Millisecond))
		} else if key.state == record.Asking && !n.Closed {
			n.Href = t.approvalHref(a)
		}
		n.answers = key
		if i := slices.IndexFunc(out, func(o askNote) bool { return o.answers == key }); i >= 0 {
			out[i].Times++
		} else if len(out) < maxAskNotes {
			out = append(out, n)
		}
	}
	return out
}

func (t *timeline) closed() bool { return t.Run.End != nil && t.Run.End.Closed }

// suspects returns warnings about results that may be failures.
func suspects(places []*present.Place) (out []string) {
	n := map[string]int{}
	var order []string
	for _, p := range places {
		for _, b := range p.Calls {
			if b.Done != nil && b.Done.Suspect != "" {
				if n[b.Done.Suspect]++; n[b.Done.Suspect] == 1 {
					order = append(order, b.Done.Suspect)
				}
			}
		}
	}
	for _, why := range order[:min(len(order), 3)] {
		out = append(out, text.Count(n[why], "result")+" may be a failure: "+why)
	}
	return out
}

// Printed returns the first texts printed at a line.
func (r *timelineRow) Printed() []*present.Print {
	if len(r.Prints) > maxPrints+1 {
		return r.Prints[:maxPrints]
	}
	return r.Prints
}

// PrintedMore returns the number of omitted texts, the print time, or the number of prints.
func (r *timelineRow) PrintedMore() string {
	n := 0
	for _, p := range r.Prints {
		n += p.Times
	}
	switch more := len(r.Prints) - len(r.Printed()); {
	case more > 0:
		return "… " + thousands(more) + " more"
	case n == 1:
		return "+" + present.Duration(r.Prints[0].At)
	}
	return "×" + thousands(n)
}
