package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// phraseNote says which tool a phrase, or a name in the script, found.
type phraseNote struct {
	Phrase, Go, Tool, Hue, By, Verdict string
	Confidence                         string // empty if it does not matter
	Meter                              int    // percent
	Near                               []timelineServer
}

func (t *timeline) phrases(all []present.Phrase) (out []phraseNote) {
	for _, p := range all {
		c := min(max(p.Confidence, 0), 1)
		n := phraseNote{Phrase: p.Phrase, Tool: p.Tool, Go: cmp.Or(p.Go, t.gonames[p.Tool], p.Tool), Hue: hue(t.servers, p.Tool), By: p.By,
			Verdict: strings.ReplaceAll(p.Verdict, "_", " "), Confidence: fmt.Sprintf("%.2f", c), Meter: int(c * 100)}
		if p.Tool != "" && p.By != "phrase" {
			n.Confidence = ""
		}
		if p.By == "name" {
			n.By = "your name"
		}
		if p.Tool == "" {
			for _, c := range p.Candidates[:min(3, len(p.Candidates))] {
				n.Near = append(n.Near, timelineServer{c.ID, hue(t.servers, c.ID)})
			}
		}
		out = append(out, n)
	}
	return out
}

// callsNote sums up the calls of a place.
type callsNote struct {
	*present.Place
	Named     bool
	Hue       string
	Timed     bool   // several have ended
	P95       string // of many
	Histogram string // path, in a box of 96 by 22, of how many took how long
	Top       string // at its end
}

func (t *timeline) sum(p *present.Place, named bool) callsNote {
	n := callsNote{Place: p, Named: named, Hue: hue(t.servers, p.Tool)}
	var took []float64
	for _, b := range p.Calls {
		if b.Done != nil {
			took = append(took, b.Done.Ms)
		}
	}
	if n.Timed = len(took) > 1; len(took) < 100 {
		return n
	}
	slices.Sort(took)
	n.P95 = present.Duration(present.Quantile(took, .95))
	top := max(present.Quantile(took, .99), 1e-3)
	n.Top = present.Duration(top)
	var counts [24]int
	most := 1
	for _, ms := range took {
		k := min(max(int(ms/top*float64(len(counts))), 0), len(counts)-1)
		counts[k]++
		most = max(most, counts[k])
	}
	for i, k := range counts {
		if k > 0 {
			h := fixed(max(float64(k)/float64(most)*22, .8), 1)
			n.Histogram += fmt.Sprintf("M%d 22v-%sh3.2v%sz", i*4, h, h)
		}
	}
	return n
}

// askNote is what people were asked at a line and said, once for answers that are alike.
type askNote struct {
	Times   int
	Answer  *record.Answer
	Waited  string
	Why     string
	Href    string // of an open one
	Closed  bool   // before it was answered
	answers answersAlike
}

type answersAlike struct {
	who, word string
	yes       bool
	state     record.State
}

// maxAskNotes bounds the notes of a line.
const maxAskNotes = 5

func (t *timeline) asked(asks []*record.Asked) (out []askNote) {
	for _, a := range asks {
		alike := answersAlike{state: a.State(t.now)}
		n := askNote{Answer: a.Answer, Closed: t.closed(), Why: a.Why, Times: 1}
		if a.Answer != nil {
			alike = answersAlike{a.Answer.Who, a.Answer.Word, a.Answer.Yes, alike.state}
			n.Waited = present.Duration(float64(a.Answer.Time.Sub(a.Ask.Time)) / float64(time.Millisecond))
		} else if alike.state == record.Asking && !n.Closed {
			n.Href = t.approvalHref(a)
		}
		n.answers = alike
		if i := slices.IndexFunc(out, func(o askNote) bool { return o.answers == alike }); i >= 0 {
			out[i].Times++
		} else if len(out) < maxAskNotes {
			out = append(out, n)
		}
	}
	return out
}

func (t *timeline) closed() bool { return t.Run.End != nil && t.Run.End.Closed }

// suspects says which results may be failures.
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

// Printed returns the first texts that were printed at a line.
func (r *timelineRow) Printed() []*present.Print {
	if len(r.Prints) > maxPrints+1 {
		return r.Prints[:maxPrints]
	}
	return r.Prints
}

// PrintedMore says how often something was printed, or when, or how many texts are left out.
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
