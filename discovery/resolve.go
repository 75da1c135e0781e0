package discovery

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Resolution is the answer to a phrase. As JSON it is an element of the tools of a
// harness.Result.
type Resolution struct {
	Phrase  string  `json:"phrase"`
	Verdict Verdict `json:"verdict"`
	// By says how the tool was found: "phrase" (by meaning), "exact" (the phrase is its name),
	// "preference" (several servers offer the same tool, and the options prefer one) or "memory"
	// (an earlier run chose it). It is empty unless the phrase is resolved.
	By By `json:"by,omitempty"`
	// Tool is the ID of the tool. It is empty unless the phrase is resolved.
	Tool string `json:"tool,omitempty"`
	// Stale reports that the tool's server could not be asked in the last build.
	Stale bool `json:"stale,omitempty"`
	// Server is the unavailable server that the phrase means. It is empty unless the verdict is
	// Unavailable.
	Server string `json:"server,omitempty"`
	// Note is a sentence for the reader: why a server is unavailable, or that an embedder failed.
	Note string `json:"note,omitempty"`
	// NoTool reports that no tool does what the phrase asks for. The candidates are then the
	// nearest tools, and the verdict is Ambiguous or NotFound.
	NoTool bool `json:"no_tool,omitempty"`
	// Reason says why the phrase is not resolved, and what to write instead. It is empty if the
	// phrase is resolved.
	Reason string `json:"reason,omitempty"`
	// Confidence is the calibrated probability, 0 to 1, that the first candidate is the right
	// tool. It is 1 for an exact or remembered tool.
	Confidence float64 `json:"confidence"`
	// Candidates are the tools that may be meant, the best first, including the chosen one. It is
	// never nil.
	Candidates []Candidate `json:"candidates"`
}

// Candidate is a tool that a phrase may mean.
type Candidate struct {
	ID string `json:"id"`
	// Score is the candidate's share, 0 to 1, of all candidates together.
	Score float64 `json:"score"`
}

// By says how the tool of a phrase was found; see Resolution.By.
type By string

const (
	ByPhrase     By = "phrase"
	ByExact      By = "exact"
	ByPreference By = "preference"
	ByMemory     By = "memory"
)

// ResolveOptions configure one call of Resolve. A nil *ResolveOptions means all
// zero values.
type ResolveOptions struct {
	// Server limits the answer to the tools of one server. If empty, all servers are searched.
	Server string
	// Candidates is the maximum number of candidates returned. If zero, it is 10. At most 50 are
	// ranked.
	Candidates int
	// Alone says that the phrase alone decides which tool is called. A tool that may destroy
	// something, as far as its annotations say, then needs a confidence of at least .75.
	Alone bool
}

const (
	defaultCandidates = 10

	// aloneConfidence replaces the threshold of .6 for ResolveOptions.Alone.
	aloneConfidence = .75

	// destroysFound applies to an ambiguous phrase whose first candidate destroys something.
	// If the chance that the right tool is in the registry is lower, no tool does what the
	// phrase asks for.
	destroysFound = .75

	// twinLead is the lead in score below which the first candidate and an equal tool of another
	// server count as indistinguishable.
	twinLead = 1.0
)

// Resolve returns the tool that a phrase means, or candidates if no tool is certain. The phrase
// may also be a tool's name, see [Resolution.By]. Only the first MaxPhrase bytes are read. opts
// may be nil. It never returns an error, since a phrase without a tool is a verdict, and a failed
// embedder is reported in Note.
func (ix *Index) Resolve(phrase string, opts *ResolveOptions) (Resolution, error) {
	return ix.resolve(context.Background(), phrase, opts, nil)
}

// ResolveContext is Resolve with a context for the request to Options.Embedder.
func (ix *Index) ResolveContext(ctx context.Context, phrase string, opts *ResolveOptions) (Resolution, error) {
	return ix.resolve(ctx, phrase, opts, nil)
}

// resolve is Resolve that records the numbers behind the answer in e, if e is not nil.
func (ix *Index) resolve(ctx context.Context, phrase string, opts *ResolveOptions, e *Explanation) (Resolution, error) {
	if opts == nil {
		opts = &ResolveOptions{}
	}
	if e == nil {
		e = &Explanation{silent: true}
	}
	r := Resolution{Phrase: phrase, Verdict: NotFound, Candidates: []Candidate{}}
	if named := ix.named(phrase, opts.Server); len(named) > 0 {
		ix.resolveNamed(&r, named, opts)
		e.named(len(named))
	} else {
		ix.resolveMeaning(ctx, &r, opts, e)
	}
	ix.unavailable(&r, opts.Server)
	ix.markStale(&r)
	if r.Verdict == Unavailable {
		r.NoTool, e.Reason = false, r.Note
	}
	if r.Verdict != Resolved {
		r.Reason = e.Reason
	}
	return r, nil
}

// resolveMeaning answers a phrase that is not a name.
func (ix *Index) resolveMeaning(ctx context.Context, r *Resolution, opts *ResolveOptions, e *Explanation) {
	q := ix.ask(ctx, r.Phrase)
	defer q.done()
	r.Note = q.note
	r.NoTool, e.Reason = true, "no words to search for, or no tools to search in"
	e.read(q)
	only := ix.onServer(opts.Server)
	ranked := q.rank(only)
	var d decision
	var doubt string
	if len(ranked) > 0 {
		d = ix.decide(r, ranked, opts)
		q.refuse(r, &d, ranked[0].tool)
		d.destroys = len(q.words) > 1 && ix.destroys(ranked[0].tool)
		if d.objects, d.unmet = len(q.objects), q.unmet(ranked[0].tool); r.Verdict == Resolved && d.mayHarm(r) {
			r.Verdict, r.By, r.Tool, d.enough = Ambiguous, "", "", aloneConfidence
		}
		doubt = d.doubt(q, ranked)
	}
	if ranked = ix.remember(r, ranked, only); len(ranked) == 0 {
		return
	}
	r.NoTool = d.noTool(r)
	e.Reason = d.reason(r, doubt)
	ranked = ranked[:min(len(ranked), opts.limit())]
	for i := range ranked {
		r.Candidates = append(r.Candidates, Candidate{ix.id(ranked[i].tool), round(ranked[i].share)})
	}
	e.decided(q, d, r, ranked)
}

// A Memory recalls the tools that phrases led to in earlier runs; see package memory.
type Memory interface {
	// Recall returns the tool of a phrase. byHand reports that a person chose it, which overrides
	// the search.
	Recall(phrase string) (tool string, byHand, ok bool)
	// Reject drops a tool that was learned from runs and that the search contradicts.
	Reject(phrase, tool string)
}

// LearnRank is the lowest rank among a phrase's candidates at which a run can teach the tool. A
// tool further down may have been used for another reason.
const LearnRank = 5

// remember moves the tool of an earlier run to the front, as the answer. A tool learned from runs
// must be among the first candidates and must not contradict the search. Otherwise a script's
// mistake would be repeated as certain.
func (ix *Index) remember(r *Resolution, ranked []candidate, only []int32) []candidate {
	if ix.memory == nil {
		return ranked
	}
	id, byHand, ok := ix.memory.Recall(r.Phrase)
	if !ok {
		return ranked
	}
	tool := ix.place(id)
	if tool < 0 || only != nil && !slices.Contains(only, tool) {
		return ranked
	}
	at := slices.IndexFunc(ranked, func(c candidate) bool { return c.tool == tool })
	if !byHand && (at < 0 || at >= LearnRank || r.Verdict == Resolved && r.Tool != id) {
		if only == nil {
			ix.memory.Reject(r.Phrase, id)
		}
		return ranked
	}
	if at < 0 {
		at = len(ranked)
		ranked = append(ranked, candidate{tool: tool})
	}
	chosen := ranked[at]
	copy(ranked[1:at+1], ranked[:at])
	ranked[0] = chosen
	r.Verdict, r.By, r.Tool, r.Confidence = Resolved, ByMemory, id, 1
	return ranked
}

// decision has the numbers behind a verdict.
type decision struct {
	found, notFound float64  // the probability that the tool is in the registry, and its threshold
	enough          float64  // the confidence threshold
	twins           int      // other servers that offer the first candidate
	destroys        bool     // the phrase has several words, and the first candidate destroys something
	contrary        string   // how the first candidate contradicts the phrase, or ""
	objects         int      // words of the phrase that name its object
	unmet           []string // the object words that the first candidate does not mention
}

// mayHarm reports whether the first candidate destroys something, does not mention most of the
// phrase's object words, and is below the confidence for a phrase alone.
func (d *decision) mayHarm(r *Resolution) bool {
	return d.destroys && d.twins == 0 && 2*len(d.unmet) > d.objects && r.Confidence < aloneConfidence
}

// noTool reports whether the candidates are only similar to the requested tool.
func (d *decision) noTool(r *Resolution) bool {
	return r.Verdict == NotFound || r.Verdict == Ambiguous && (d.contrary != "" || d.mayHarm(r) ||
		d.destroys && d.twins == 0 && d.found < destroysFound)
}

// decide sets the verdict for ranked candidates. If several tools are equal, it moves the
// preferred one to the front.
func (ix *Index) decide(r *Resolution, ranked []candidate, opts *ResolveOptions) decision {
	equal := ix.twins(ranked)
	twins := ix.callableTwins(ranked, equal)
	by := ByPhrase
	if len(twins) > 0 && ix.preferTwin(ranked, twins) {
		by = ByPreference
	} else if len(equal) == 0 {
		if namesakes := ix.namesakes(ranked); ix.preference(ranked[0].tool) > ix.leastPreference(ranked, namesakes) &&
			ix.preferTwin(ranked, namesakes) {
			by, twins, equal = ByPreference, namesakes, namesakes
		}
	}
	model := &ix.t.confidence
	right, found := model.judge(withoutTwins(ranked, equal))
	d := decision{found: found, notFound: model.notFound, enough: ix.threshold, twins: len(twins)}
	if opts.Alone && ix.mayDestroy(ranked[0].tool) {
		d.enough = max(d.enough, aloneConfidence)
	}
	r.Verdict = model.verdict(right, found, d.enough)
	if len(twins) > 0 && by == ByPhrase {
		right /= float64(len(twins) + 1)
		if r.Verdict == Resolved {
			r.Verdict = Ambiguous
		}
	}
	r.Confidence = round(right)
	if r.Verdict == Resolved {
		r.By, r.Tool = by, ix.id(ranked[0].tool)
	}
	return d
}

func (o *ResolveOptions) limit() int {
	if o.Candidates <= 0 {
		return defaultCandidates
	}
	return o.Candidates
}

// place returns the index of a tool in the registry, or -1 for an unknown ID.
func (ix *Index) place(id string) int32 {
	for i := range ix.reg.Tools {
		if ix.reg.Tools[i].ID == id {
			return int32(i)
		}
	}
	return -1
}

func (ix *Index) id(tool int32) string { return ix.reg.Tools[tool].ID }

// round keeps four decimals, so that the output is stable; further ones are noise.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// named returns the tools of a server (or of all, if empty) that have the phrase as a name.
func (ix *Index) named(phrase, server string) []int32 {
	named := ix.exact.find(phrase)
	if server == "" {
		return named
	}
	return slices.DeleteFunc(named, func(i int32) bool { return ix.reg.Tools[i].Server != server })
}

// resolveNamed answers a phrase that is the name of one or several tools.
func (ix *Index) resolveNamed(r *Resolution, named []int32, opts *ResolveOptions) {
	slices.SortStableFunc(named, func(a, b int32) int {
		switch {
		case ix.uncallable[a] && !ix.uncallable[b]:
			return 1
		case ix.uncallable[b] && !ix.uncallable[a]:
			return -1
		}
		return ix.preference(a) - ix.preference(b)
	})
	r.Verdict, r.Confidence = Ambiguous, round(1/float64(len(named)))
	switch {
	case len(named) == 1, !ix.uncallable[named[0]] && ix.uncallable[named[1]]:
		r.Verdict, r.By = Resolved, ByExact
	case ix.preference(named[0]) < ix.preference(named[1]):
		r.Verdict, r.By = Resolved, ByPreference
	}
	if r.Verdict == Ambiguous && ix.memory != nil {
		id, _, known := ix.memory.Recall(r.Phrase)
		if at := slices.IndexFunc(named, func(i int32) bool { return ix.id(i) == id }); known && at >= 0 {
			named[0], named[at] = named[at], named[0]
			r.Verdict, r.By = Resolved, ByMemory
		}
	}
	if r.Verdict == Resolved {
		r.Tool, r.Confidence = ix.id(named[0]), 1
	}
	for _, i := range named[:min(len(named), opts.limit())] {
		r.Candidates = append(r.Candidates, Candidate{ix.id(i), round(1 / float64(len(named)))})
	}
}

// preference returns the index of a tool's server among the preferred ones. Other servers come
// last.
func (ix *Index) preference(tool int32) int {
	if p, ok := ix.prefer[ix.reg.Tools[tool].Server]; ok {
		return p
	}
	return len(ix.prefer)
}

// onServer returns the tools of a server, or nil for all if server is empty.
func (ix *Index) onServer(server string) []int32 {
	if server == "" {
		return nil
	}
	only := []int32{}
	for i := range ix.reg.Tools {
		if ix.reg.Tools[i].Server == server {
			only = append(only, int32(i))
		}
	}
	return only
}

// rank returns the best candidates, re-ranked. It returns nil if the phrase has nothing to search
// for.
func (q *query) rank(only []int32) []candidate {
	known := func(t queryTerm) bool { return t.stem >= 0 }
	if q.blind && len(q.full) == 0 && !slices.ContainsFunc(q.terms, known) {
		return nil
	}
	top := q.candidates(only, q.ix.t.candidates.Top)
	if len(top) > 0 {
		q.rerank(top)
	}
	return top
}

// mayDestroy reports whether a tool's trusted annotations do not rule out that it destroys
// something.
func (ix *Index) mayDestroy(tool int32) bool {
	t := &ix.reg.Tools[tool]
	hints := t.Annotations
	if ix.hints != nil {
		hints = ix.hints(t)
	}
	may, _ := hints.MayDestroy()
	return may
}

// destroys reports whether a tool's annotation or name says that it destroys something.
func (ix *Index) destroys(tool int32) bool {
	may, declared := ix.reg.Tools[tool].Annotations.MayDestroy()
	return may && (declared || ix.nameVerb[tool]&setOfClasses(ix.t.verbs[ix.t.stem("delete")]) != 0)
}

// unmet returns the object words of the phrase that a tool does not mention.
func (q *query) unmet(tool int32) (words []string) {
	q.match.best(q.ix.words.textOf(tool), q.met)
	for _, i := range q.objects {
		if _, ok := slices.BinarySearch(q.ix.secondary.of(tool), q.words[i].id); !ok && q.met[i] < 1 {
			words = append(words, q.words[i].text)
		}
	}
	return words
}

// doubt returns the objection to the first candidate, and what to write instead.
func (d *decision) doubt(q *query, ranked []candidate) string {
	first, why := &ranked[0], "says too little about it"
	switch {
	case len(ranked) > 1 && ranked[1].share > first.share/3:
		why = "hardly fits better than " + q.ix.id(ranked[1].tool)
	case first.features[verbConf] > 0 || first.features[verbGap] > .5:
		why = "does something else"
	case len(d.unmet) > 0:
		why = fmt.Sprintf("does not mention %q", strings.Join(d.unmet, " "))
	}
	return fmt.Sprintf("%s %s; write its ID, or a verb and an object in a tool's own words", q.ix.id(first.tool), why)
}

// twins returns the indexes of candidates that are the same tool as the first one, on other
// servers, with scores too close to distinguish them.
func (ix *Index) twins(ranked []candidate) []int {
	var twins []int
	for i := 1; i < len(ranked) && ranked[0].score-ranked[i].score < twinLead; i++ {
		if ix.sameTool(ranked[0].tool, ranked[i].tool) {
			twins = append(twins, i)
		}
	}
	return twins
}

// namesakeLead is the lead in score below which a preferred server's tool of the same name comes
// before the first candidate.
const namesakeLead = 5.0

// namesakes returns the indexes of candidates of other servers with the name of the first one.
// They do much the same, and only the wording of the descriptions differs.
func (ix *Index) namesakes(ranked []candidate) []int {
	var out []int
	if len(ix.prefer) == 0 {
		return nil
	}
	for i := 1; i < len(ranked) && ranked[0].score-ranked[i].score < namesakeLead; i++ {
		if ix.reg.Tools[ranked[0].tool].Server != ix.reg.Tools[ranked[i].tool].Server &&
			ix.sameName(ranked[0].tool, ranked[i].tool) {
			out = append(out, i)
		}
	}
	return out
}

// leastPreference returns the best index among the preferred servers that the candidates at some
// places have.
func (ix *Index) leastPreference(ranked []candidate, places []int) int {
	least := len(ix.prefer)
	for _, i := range places {
		least = min(least, ix.preference(ranked[i].tool))
	}
	return least
}

// sameTool reports whether two tools of different servers have the same name
// and almost the same words in their descriptions.
func (ix *Index) sameTool(a, b int32) bool {
	if ix.reg.Tools[a].Server == ix.reg.Tools[b].Server || !ix.sameName(a, b) {
		return false
	}
	const enough = .8
	inA, inB := ix.ownWords(a), ix.ownWords(b)
	shared := 0
	for _, w := range inA {
		if slices.Contains(inB, w) {
			shared++
		}
	}
	return float64(shared) >= enough*float64(len(inA)+len(inB)-shared)
}

// sameName reports whether two tools have the same name, or the same words in it apart from those
// of their servers' names.
func (ix *Index) sameName(a, b int32) bool {
	return ix.reg.Tools[a].Name == ix.reg.Tools[b].Name ||
		slices.Equal(slices.Sorted(slices.Values(ix.without(a, ix.words.nameOf(a)))),
			slices.Sorted(slices.Values(ix.without(b, ix.words.nameOf(b)))))
}

func (ix *Index) ownWords(tool int32) []int32 { return ix.without(tool, ix.words.textOf(tool)) }

// without returns the words that are not in the name of the tool's server.
func (ix *Index) without(tool int32, words []int32) []int32 {
	server := ix.serverMentions.serverOf[tool]
	return slices.DeleteFunc(slices.Clone(words), func(w int32) bool {
		return slices.Contains(ix.serverMentions.words[ix.words.stem[w]].servers, server)
	})
}

// withoutTwins returns the candidates as if only one server offered the first one, because equal
// tools do not make each other doubtful.
func withoutTwins(ranked []candidate, twins []int) []candidate {
	if len(twins) == 0 {
		return ranked
	}
	var rest []candidate
	for i, c := range ranked {
		if !slices.Contains(twins, i) {
			rest = append(rest, c)
		}
	}
	return rest
}

// preferTwin moves the twin of the most preferred server to the front. It reports whether that
// server is preferred to all others.
func (ix *Index) preferTwin(ranked []candidate, twins []int) bool {
	best, unique := 0, true
	for _, i := range twins {
		switch p := ix.preference(ranked[i].tool) - ix.preference(ranked[best].tool); {
		case p < 0:
			best, unique = i, true
		case p == 0:
			unique = false
		}
	}
	if !unique {
		return false
	}
	ranked[0], ranked[best] = ranked[best], ranked[0]
	return true
}
