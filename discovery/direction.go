package discovery

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry/text"
)

// "Convert a pdf to text" shares most words with a tool that converts text to a pdf. Only the
// positions of the words distinguish the two: after the verb, after "from", after "to". So
// phrases, names of tools and the first sentences of their descriptions are parsed into one form,
// a direction: the verbs, the inputs and the outputs. Two directions contradict each other if
//
//   - their verbs are opposites: lock and unlock, import and export;
//   - the input of one is the output of the other: pdf to text, text to pdf;
//   - one acts within one thing and the other within all such things: the pods of a
//     namespace, the pods of all namespaces;
//   - one deletes a thing and the other something that belongs to it: a branch, branch
//     protection.
//
// A tool that contradicts the phrase ranks after those that do not, and the phrase is never
// resolved to it.

// direction describes the action that a phrase asks for, or that a tool does.
type direction struct {
	verbs []string // stems; several if they are coordinated: "lock or unlock"
	ends  []end
	// within are the stems of single things that the verb acts within; withinAll are those of all
	// things of a kind.
	within, withinAll []int32
	gist
}

// end is a noun that is an input or an output.
type end struct {
	stem     int32 // -1 if the registry does not have it
	out      bool
	explicit bool // stated by a preposition, or by a verb that makes things
}

// grammar has the words that the parser of directions knows; see tables.json.
type grammar struct {
	opposites       map[string][]uint8 // stem → 2k or 2k+1 for either side of pair k
	prefixes        [][2]string
	determiner, all set // all: words that mean all of something
	source, target  set // prepositions before an input, before an output
	other           set
	example         []string // words that begin an example in a description
	reads, makes    verbSet  // verbs that read something; verbs that make one thing from another
}

// opposed reports whether two verbs, given as stems, undo each other: they are listed as
// opposites, or differ only in prefixes.
func (g *grammar) opposed(a, b string) bool {
	if a == b {
		return false
	}
	for _, side := range g.opposites[a] {
		if slices.Contains(g.opposites[b], side^1) {
			return true
		}
	}
	a, b = strings.TrimSuffix(a, "e"), strings.TrimSuffix(b, "e")
	for _, p := range g.prefixes {
		if undone(a, b, p) || undone(b, a, p) {
			return true
		}
	}
	return false
}

// undone reports whether one verb is the other with the prefix p[1] in place of p[0]. If p[0] is
// empty, the rest must be long: "display" does not undo "play".
func undone(a, b string, p [2]string) bool {
	a, ok := strings.CutPrefix(a, p[0])
	if !ok {
		return false
	}
	b, ok = strings.CutPrefix(b, p[1])
	least := 3
	if p[0] == "" && p[1] != "un" {
		least = 5
	}
	return ok && a == b && len(a) >= least
}

// parsed is a direction before its words are looked up in a registry.
type parsed struct {
	verbs    []string // as written
	nouns    []parsedNoun
	from, to bool // one of these prepositions was read
	acts     bool // the first verb is a known one
}

type parsedNoun struct {
	text string
	role role
	all  bool // after "all" or "every"
	part bool // of the next noun: "branch" in "branch protection"
}

// role is the part that a noun plays in a sentence.
type role uint8

const (
	roleObject role = iota // of the verb
	roleSource             // after "from"
	roleTarget             // after "to", "into", "as"
	roleOf                 // after "of"
	roleOther              // after any other preposition
)

// Limits for one text: a clause has a few words, but a phrase may be long.
const (
	maxVerbs = 8
	maxNouns = 32
)

func (p *parsed) addVerb(w string) {
	if len(p.verbs) < maxVerbs {
		p.verbs = append(p.verbs, w)
	}
}

// readScopes finds the things that the verb acts within.
func (ix *Index) readScopes(d *direction, p *parsed) {
	for _, n := range p.nouns {
		stem := ix.bm25.lookup(ix.t.stem(n.text))
		switch {
		case n.role < roleOf || stem < 0:
		case n.all:
			d.withinAll = append(d.withinAll, stem)
		case imperative(n.text): // not a plural
			d.within = append(d.within, stem)
		}
	}
}

// ends finds inputs and outputs. The object of a verb is an input if something follows "to". It
// is an output if something follows "from" alone, or if something follows "of" and the verb
// reads: "get the text of a pdf".
func (ix *Index) ends(p *parsed) []end {
	t := ix.t
	classes := t.classes(p.verbs)
	makes := classes&t.grammar.makes != 0
	reads := !p.from && !p.to && classes&t.grammar.reads != 0 &&
		slices.ContainsFunc(p.nouns, func(n parsedNoun) bool { return n.role == roleOf })
	var all []end
	for _, n := range p.nouns {
		e := end{stem: ix.bm25.lookup(t.stem(n.text))}
		switch {
		case n.role == roleSource, n.role == roleObject && p.to && !p.from:
			e.explicit = n.role == roleSource || makes
		case n.role == roleTarget, n.role == roleObject && p.from && !p.to:
			e.out, e.explicit = true, n.role == roleTarget || makes
		case reads && (n.role == roleOf || n.role == roleObject):
			e.out = n.role == roleObject
		default:
			continue
		}
		all = append(all, e)
	}
	// "a pdf file to a text file" does not concern files.
	bothWays := func(a end) bool {
		return slices.ContainsFunc(all, func(b end) bool { return a.stem == b.stem && a.out != b.out })
	}
	var ends []end
	for _, e := range all {
		if e.stem >= 0 && !bothWays(e) {
			ends = append(ends, e)
		}
	}
	return ends
}

// readDirection parses a normalised text, see tables.normalise. If asks is true, the text asks
// for something, and "sets" is not a verb.
func (t *tables) readDirection(norm string, asks bool) parsed {
	var tokens []string
	for i := 0; i < len(norm); {
		w, next := headToken(norm, i)
		for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == '_' || r == '-' }) {
			tokens = append(tokens, part)
		}
		i = next
	}
	p := parsed{}
	from := 0
	for from+1 < len(tokens) && joins(tokens[from+1]) { // list, show or get
		p.addVerb(tokens[from])
		for from++; from < len(tokens) && joins(tokens[from]); from++ {
		}
	}
	n := 0
	for i := from; i < len(tokens); i++ {
		w := tokens[i]
		if t.polite[w] || len(w) == 1 {
			continue
		}
		if n == 6 {
			break
		}
		useThis := w == "use" && i+1 < len(tokens) && (t.grammar.determiner[tokens[i+1]] || tokens[i+1] == "when")
		if t.isVerb(w, n == 0) && (!asks || imperative(w)) && !useThis {
			p.addVerb(w)
			from, p.acts = i+1, true
			break
		}
		if n == 0 { // "decrypt" is not a known verb, but undoes "encrypt"
			p.addVerb(w)
		}
		n++
	}
	t.readNouns(&p, tokens[from:], false)
	return p
}

func joins(w string) bool { return w == "," || w == "or" || w == "and" }

// isVerb reports whether a word is the verb of a phrase. first means that no relevant word stands
// before it.
func (t *tables) isVerb(w string, first bool) bool {
	s := t.stem(w)
	switch {
	case nominal(w), !first && len(w) > 4 && strings.HasSuffix(w, "ed"):
		return false
	case first:
		return t.verbs[s] != nil || t.grammar.opposites[s] != nil || t.undoesVerb(s)
	}
	return t.verbs[s] != nil && !t.openerStem[s]
}

// undoesVerb reports whether a stem is a known verb with a prefix that undoes it: undelete.
func (t *tables) undoesVerb(s string) bool {
	for _, p := range t.grammar.prefixes {
		rest, ok := strings.CutPrefix(s, p[1])
		if ok && p[0] == "" && (t.verbs[rest] != nil || t.verbs[rest+"e"] != nil) && undone(rest, s, p) {
			return true
		}
	}
	return false
}

// readNameDirection parses the words of a tool's name. If it has several verbs, the one that its
// description has is preferred.
func (t *tables) readNameDirection(words []string, described verbSet) parsed {
	verb, least := -1, 0.
	for i, w := range words {
		if !t.isVerb(w, true) || i > 0 && (t.grammar.target[words[i-1]] || t.grammar.source[words[i-1]]) {
			continue
		}
		penalty := .9 // in the middle
		switch i {
		case 0:
			penalty = 0
		case len(words) - 1:
			penalty = .5
		}
		s := t.stem(w)
		if !t.strongStem[s] && t.grammar.opposites[s] == nil {
			penalty++
		}
		if t.openerStem[s] {
			penalty += 2
		}
		if setOfClasses(t.verbs[s])&described != 0 {
			penalty--
		}
		if verb < 0 || penalty < least {
			verb, least = i, penalty
		}
	}
	p := parsed{}
	rest := words
	if verb >= 0 {
		p.addVerb(words[verb])
		if next := verb + 1; next < len(words) && t.grammar.opposed(t.stem(words[verb]), t.stem(words[next])) {
			p.addVerb(words[next]) // pause_resume
		}
		rest = slices.Concat(words[:verb], words[verb+1:])
	} else if len(words) > 0 {
		p.addVerb(words[0])
		p.addVerb(words[len(words)-1])
	}
	t.readNouns(&p, rest, true)
	return p
}

// readNouns parses the words after a verb, up to the end of the clause.
func (t *tables) readNouns(p *parsed, tokens []string, isName bool) {
	g := t.grammar
	at, all := roleObject, false
	for i, w := range tokens {
		if len(p.nouns) == maxNouns {
			break
		}
		next := ""
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		switch {
		case strings.Contains(".;:!?", w), w == "then":
			return
		case w == "|":
		case w == ",":
			if at != roleObject && !joins(next) { // "from a list, including …"
				at = roleOther
			}
		case w == "and" || w == "or":
			if s := t.stem(next); next != "" && (t.strongStem[s] || g.opposites[s] != nil) && !nominal(next) && len(p.nouns) > 0 {
				return
			}
		case len(p.nouns) == 0 && i > 0 && joins(tokens[i-1]) && t.isVerb(w, true):
			p.addVerb(w)
		case g.target[w] || isName && w == "2":
			if w == "to" && t.infinitive(tokens[i+1:]) {
				return
			}
			at, all, p.to = roleTarget, false, true
		case g.source[w]:
			at, all, p.from = roleSource, false, true
		case w == "of":
			at, all = roleOf, false
		case t.preposition[w] || g.other[w]:
			at, all = roleOther, false
		case g.all[w]:
			all = true
		case g.determiner[w], t.polite[w], t.stop[w], len(w) == 1, isNumber(w):
		default:
			role := at
			if isName && len(w) > 4 && strings.HasSuffix(w, "ed") && at == roleObject { // namespaced
				role = roleOther
			}
			if n := len(p.nouns); n > 0 && i > 0 && (tokens[i-1] == p.nouns[n-1].text || tokens[i-1] == "s") {
				p.nouns[n-1].part = true
			}
			p.nouns = append(p.nouns, parsedNoun{w, role, all, false})
		}
	}
}

// infinitive reports whether the words after "to" begin with a verb.
func (t *tables) infinitive(tokens []string) bool {
	for len(tokens) > 0 && (tokens[0] == "help" || tokens[0] == "me") {
		tokens = tokens[1:]
	}
	if len(tokens) < 2 { // "to archive", "to email"
		return false
	}
	s, next := t.stem(tokens[0]), tokens[1]
	if t.verbs[s] == nil || nominal(tokens[0]) || !imperative(tokens[0]) {
		return false
	}
	return t.strongStem[s] || t.grammar.determiner[next]
}

func isNumber(w string) bool { return strings.Trim(w, "0123456789") == "" }

// classes returns the classes of some verbs.
func (t *tables) classes(verbs []string) (all verbSet) {
	for _, v := range verbs {
		all |= setOfClasses(t.verbs[t.stem(v)])
	}
	return all
}

// splitTwo cuts words like csv2json into csv, 2, json.
func splitTwo(words []string) []string {
	var out []string
	for _, w := range words {
		left, right, ok := strings.Cut(w, "2")
		if ok && len(left) > 1 && len(right) > 1 && strings.Trim(left+right, "abcdefghijklmnopqrstuvwxyz") == "" {
			out = append(out, left, "2", right)
			continue
		}
		out = append(out, w)
	}
	return out
}

func firstSentence(description string) string {
	head := text.First(strings.TrimLeft(description, " \t\r\n"), sentenceChars)
	head, _, _ = strings.Cut(head, "\n")
	head, _, _ = strings.Cut(head, ". ")
	return head
}

// brackets matches text in brackets, with the brackets.
var brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\([^)]*\)?`) })

// direction returns what a tool does. It parses the tool when it is first among the candidates of
// a phrase; most tools of a big registry never are.
func (ix *Index) direction(tool int32) *direction {
	if d := ix.directions[tool].Load(); d != nil {
		return d
	}
	d := ix.readTool(tool)
	ix.directions[tool].Store(d)
	return d
}

func (ix *Index) readTool(tool int32) *direction {
	t := ix.t
	name := text.First(ix.reg.Tools[tool].Name, maxName)
	head := text.First(ix.own[tool], t.bm25.HeadChars)
	s := firstSentence(t.fold(head))
	for _, word := range t.grammar.example { // "such as", "e.g."
		if at := strings.Index(s, word); at >= 0 {
			s = s[:at]
		}
	}
	s = strings.ReplaceAll(brackets().ReplaceAllString(s, " "), "/", " or ")
	words, text := verbWords(name, nil), t.readDirection(t.normalise(s), false)
	named := t.readNameDirection(splitTwo(words), t.classes(text.verbs))
	d := &direction{verbs: t.stems(slices.Concat(named.verbs, text.verbs)), ends: ix.ends(&named),
		gist: ix.gistOf(tool, words, t.head(strings.ToLower(s)))}
	d.things = ix.things(&text)
	ix.readScopes(d, &named)
	if text.acts || text.from || text.to { // otherwise the sentence does not say what the tool does
		d.ends = append(d.ends, ix.ends(&text)...)
		ix.readScopes(d, &text)
	}
	return d
}

func (t *tables) stems(words []string) []string {
	for i, w := range words {
		words[i] = t.stem(w)
	}
	return words
}

// readAim parses the direction of the phrase.
func (q *query) readAim() {
	p := q.ix.t.readDirection(q.norm, true)
	q.aim = direction{ends: q.ix.ends(&p), verbs: q.ix.t.stems(p.verbs)}
	q.ix.readScopes(&q.aim, &p)
	q.aim.things = q.ix.things(&p)
}

// refuse withdraws an answer that contradicts the phrase, and says why.
func (q *query) refuse(r *Resolution, d *decision, first int32) {
	if d.contrary = q.contradicts(first); d.contrary == "" || r.Verdict == NotFound {
		return
	}
	r.Verdict, r.By, r.Tool = Ambiguous, "", ""
	if r.Note == "" {
		r.Note = q.ix.id(first) + " " + d.contrary
	}
}

const deletesOther = "deletes something other than the phrase names"

// contradicts returns why a tool is not what the phrase asks for, or "" if it may be.
func (q *query) contradicts(tool int32) string {
	switch d := q.ix.direction(tool); {
	case q.undoes(d):
		return "does the opposite of what the phrase asks for"
	case q.aim.reverses(d):
		return "works in the opposite direction: its input is the phrase's output, or the reverse"
	case q.aim.widens(d) || d.widens(&q.aim):
		return "acts on all things of a kind where the phrase names one, or the reverse"
	case q.deletesOther(tool):
		return deletesOther
	}
	return ""
}

// widens reports whether d acts within one thing and the other direction within all such things.
func (d *direction) widens(other *direction) bool {
	return slices.ContainsFunc(d.within, func(stem int32) bool {
		return slices.Contains(other.withinAll, stem) && !slices.Contains(other.within, stem) && !slices.Contains(d.withinAll, stem)
	})
}

// undoes reports whether a tool does the opposite of the phrase's verb, and nothing that the
// phrase asks for.
func (q *query) undoes(d *direction) bool {
	g := q.ix.t.grammar
	opposed := false
	for i, w := range d.verbs {
		for _, v := range d.verbs[i+1:] {
			if g.opposed(v, w) { // it does both
				return false
			}
		}
		for _, v := range q.aim.verbs {
			if v == w {
				return false
			}
			opposed = opposed || g.opposed(v, w)
		}
		isVerb := q.ix.t.verbs[w] != nil || g.opposites[w] != nil
		if isVerb && slices.ContainsFunc(q.words, func(x queryWord) bool {
			return x.stem == w && !strings.HasSuffix(x.text, "ed")
		}) { // "create it, then delete it"
			return false
		}
	}
	return opposed
}

// reverses reports whether more inputs of each direction are outputs of the other than are inputs
// there too.
func (d *direction) reverses(other *direction) bool {
	there, back, sure := 0, 0, false
	for _, out := range [2]bool{false, true} {
		if met, _ := d.meets(out, other, out); met {
			there++
		}
		if met, explicit := d.meets(out, other, !out); met {
			back, sure = back+1, sure || explicit
		}
	}
	return back > there && (back > 1 || sure)
}

// meets reports whether the two directions share a noun at the given ends, and whether at least
// one of them states that end beyond doubt.
func (d *direction) meets(out bool, other *direction, otherOut bool) (met, explicit bool) {
	for _, n := range d.ends {
		for _, m := range other.ends {
			if n.out == out && m.out == otherOut && n.stem == m.stem {
				met, explicit = true, explicit || n.explicit || m.explicit
			}
		}
	}
	return met, explicit
}
