package console

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// notes writes what stands below the code of a line.
func (m *scoreMaker) notes(h *happened) {
	for _, e := range h.errors {
		m.write(`<div class="note mark bad">`, icons["bad"], `<span class="theirs">`)
		if e.Column > 0 {
			m.write(strconv.Itoa(e.Line), ":", strconv.Itoa(e.Column), " ")
		}
		m.long(e.Message, 1000)
		m.write(`</span>`)
		if e.Hint != "" {
			m.span("hint theirs", text.Cut(e.Hint, 1000))
		}
		m.write(`</div>`)
	}
	m.phraseNotes(h.phrases)
	for _, p := range h.places {
		m.sum(p, len(h.places) > 1)
	}
	m.askNotes(h.asks)
	for _, w := range append(h.warns, m.suspects(h.places)...) {
		m.write(`<div class="note warn">`, warnIcon)
		m.span("theirs", text.Cut(w, 600))
		m.write(`</div>`)
	}
	m.printNotes(h.prints)
	if h.value != "" {
		m.write(`<div class="note ret"><pre class="theirs">`)
		m.json(h.value, 300)
		m.write(`</pre><span class="at">the result</span></div>`)
	}
}

const warnIcon = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.5l6 11H2zM8 6.6v3.4M8 11.3v1" fill="none" stroke="currentColor" stroke-width="1.4"/></svg>`

// long is a text of at most so many characters.
func (m *scoreMaker) long(s string, most int) { m.text(text.Cut(s, most)) }

func (m *scoreMaker) phraseNotes(all []present.Phrase) {
	if len(all) == 0 {
		return
	}
	m.write(`<ul class="note phr" aria-label="what the phrases came to">`)
	for _, p := range all {
		m.write(`<li><q class="theirs" title="`)
		m.long(p.Phrase, 500)
		m.write(`">`)
		if p.Phrase == "" {
			m.write("a name in the script")
		}
		m.long(p.Phrase, 200)
		m.write(`</q>`)
		if p.Tool != "" {
			m.write(`<a class="tool `, hue(m.servers, p.Tool), `" href="`, toolLink(p.Tool), `">`)
			m.text(present.Visible(cmp.Or(p.Go, m.goName(p.Tool)), 120, false))
			m.write(`</a>`)
			if p.By == "phrase" {
				m.meter(p.Confidence)
			} else {
				m.write(`<span></span>`)
			}
			m.span("by", text.Cut(byWord(p.By), 40))
			m.write(`</li>`)
			continue
		}
		m.span("is-bad", present.Visible(strings.ReplaceAll(p.Verdict, "_", " "), 40, false))
		m.meter(p.Confidence)
		m.write(`<span class="by near">`)
		for i, c := range p.Candidates[:min(3, len(p.Candidates))] {
			if i == 0 {
				m.write("nearest: ")
			} else {
				m.write(", ")
			}
			m.write(`<a class="tool `, hue(m.servers, c.ID), `" href="`, toolLink(c.ID), `">`)
			m.text(present.Visible(c.ID, 120, false))
			m.write(`</a>`)
		}
		m.write(`</span></li>`)
	}
	m.write(`</ul>`)
}

func byWord(by string) string {
	switch by {
	case "name":
		return "your name"
	case "added":
		return "added"
	}
	return by
}

// meter is a confidence as a bar and a number.
func (m *scoreMaker) meter(c float64) {
	c = min(max(c, 0), 1)
	m.write(`<span class="conf" title="confidence"><svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">`,
		`<rect class="tr" width="100" height="6"/><rect class="v" width="`, strconv.Itoa(int(c*100)), `" height="6"/></svg>`,
		strconv.FormatFloat(c, 'f', 2, 64), `</span>`)
}

// sum tells what the calls of a place have in common, where there are several.
func (m *scoreMaker) sum(p *present.Place, named bool) {
	if len(p.Calls) < 2 {
		return
	}
	m.write(`<div class="note sum">`)
	if named {
		m.write(`<b class="tool `, hue(m.servers, p.Tool), `">`)
		m.text(present.Visible(p.Tool, 100, false))
		m.write(`</b> `)
	}
	m.write("×", thousands(len(p.Calls)))
	if p.Class != record.Read {
		m.write(", effect")
	}
	took := make([]float64, 0, len(p.Calls))
	for _, b := range p.Calls {
		if b.Done != nil {
			took = append(took, b.Done.Ms)
		}
	}
	if len(took) > 1 {
		m.write(`<span>p50 `, present.Duration(p.P50), `</span>`)
		if len(took) >= 100 {
			slices.Sort(took)
			m.write(`<span>p95 `, present.Duration(present.Quantile(took, .95)), `</span>`)
		}
		m.write(`<span>slowest `, present.Duration(p.Slowest), `</span>`)
	}
	if p.AtATime > 1 {
		m.write(`<span>`, strconv.Itoa(p.AtATime), ` at a time</span>`)
	} else if len(p.Calls) > 2 {
		m.write(`<span>one after another</span>`)
	}
	if p.Failed > 0 {
		m.write(`<span class="is-bad">`, thousands(p.Failed), ` failed</span>`)
	}
	m.write(`</div>`)
	if len(took) >= 100 {
		m.histogram(p, took)
	}
}

// histogram says how many of the calls of a place took how long.
func (m *scoreMaker) histogram(p *present.Place, sorted []float64) {
	const bars = 24
	top := max(present.Quantile(sorted, .99), 1e-3)
	var n [bars]int
	most := 1
	for _, t := range sorted {
		k := min(max(int(t/top*bars), 0), bars-1)
		n[k]++
		most = max(most, n[k])
	}
	m.write(`<div class="note histo `, hue(m.servers, p.Tool), `"><svg class="hist" viewBox="0 0 96 22" preserveAspectRatio="none" aria-hidden="true">`)
	for i, k := range n {
		if k > 0 {
			h := max(float64(k)/float64(most)*22, 0.8)
			fmt.Fprintf(m, `<rect x="%d" y="%.1f" width="3.2" height="%.1f"/>`, i*4, 22-h, h)
		}
	}
	m.write(`</svg><span class="at">0 to `, present.Duration(top), ` and more</span></div>`)
}

// askNotes says what people were asked at a line, and what they said, once for
// answers that are alike.
func (m *scoreMaker) askNotes(asks []*record.Asked) {
	type said struct {
		who, word string
		yes       bool
		state     record.State
	}
	type group struct {
		of   said
		asks []*record.Asked
	}
	var all []*group
	for _, a := range asks {
		s := said{state: a.State(m.now)}
		if a.Answer != nil {
			s = said{who: a.Answer.Who, word: a.Answer.Word, yes: a.Answer.Yes}
		}
		i := slices.IndexFunc(all, func(g *group) bool { return g.of == s })
		if i < 0 {
			i, all = len(all), append(all, &group{of: s})
		}
		all[i].asks = append(all[i].asks, a)
	}
	for _, g := range all[:min(len(all), 5)] {
		first := g.asks[0]
		m.write(`<div class="note sum">`)
		switch {
		case first.Answer != nil:
			class, word := "is-bad", "no"
			if g.of.yes {
				class, word = "is-ok", "yes"
			}
			m.write(`waited `, present.Duration(float64(first.Answer.Time.Sub(first.Ask.Time).Milliseconds())), ` for an answer<span class="`, class, `">`)
			m.text(present.Visible(cmp.Or(g.of.who, "somebody"), 60, false))
			m.write(`, `, first.Answer.Time.Local().Format("15:04:05"), `: “`, word, `”`)
			if len(g.asks) > 1 {
				m.write(` to these `, text.Count(len(g.asks), "call"))
			} else if first.Answer.Whole {
				m.write(` to all calls of the tool in this run`)
			}
			m.write(`</span>`)
			if g.of.word != "" {
				m.span("theirs", text.Cut(g.of.word, 300))
			}
		case g.of.state == record.Asking && !m.closed():
			m.write(`<b class="is-wait">`, waitsFor(len(g.asks)), `</b><span><a href="/approvals/`, link(record.ApprovalID(m.view.Run.Begin.ID, first.A)), `">answer</a></span><span>`)
			m.long(first.Why, 200)
			m.write(`</span>`)
		case m.closed():
			m.write(`<span class="is-bad">nobody answered before the run was closed</span>`)
		default:
			m.write(`<span class="is-bad">nobody answered in time</span>`)
		}
		m.write(`</div>`)
	}
}

func (m *scoreMaker) closed() bool { return m.view.Run.End != nil && m.view.Run.End.Closed }

func waitsFor(n int) string {
	if n == 1 {
		return "waits for a yes"
	}
	return thousands(n) + " wait for a yes"
}

// suspects says of which results it is doubted that they are what they claim.
func (m *scoreMaker) suspects(places []*present.Place) (out []string) {
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

func (m *scoreMaker) printNotes(all []*present.Print) {
	if len(all) == 0 {
		return
	}
	n := 0
	for _, p := range all {
		n += p.Times
	}
	class := "note out"
	if all[0].Stderr {
		class += " err"
	}
	m.write(`<div class="`, class, `"><pre class="theirs">`)
	shown := all
	if len(all) > maxPrints+1 {
		shown = all[:maxPrints]
	}
	for i, p := range shown {
		if i > 0 {
			m.write("\n")
		}
		m.long(p.Text, 400)
		if p.Times > 1 && len(all) > 1 {
			m.write(` ×`, thousands(p.Times))
		}
	}
	m.write(`</pre><span class="at">`)
	switch more := len(all) - len(shown); {
	case more > 0:
		m.write(`… `, thousands(more), ` more`)
	case n == 1:
		m.write(`+`, present.Duration(all[0].At))
	default:
		m.write(`×`, thousands(n))
	}
	m.write(`</span></div>`)
}
