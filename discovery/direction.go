package discovery

import (
	"slices"
	"strings"
)

// Most words of "convert a pdf to text" are those of a tool that converts text
// to a pdf. What tells the two apart is where the words stand: behind the verb,
// "from", "to", "in". So phrases, names of tools and the first sentences of
// their descriptions are read into one form, their direction: the verbs, what
// they act on, where that comes from and goes to, and in what it is; and of how
// many of each is spoken. Two directions contradict each other when
//
//   - their verbs are opposites: lock and unlock, import and export;
//   - what goes in at one comes out of the other: pdf to text, text to pdf;
//   - one is about all of what the other is in: the workloads of a namespace,
//     the workloads of all namespaces, all namespaces.
//
// A tool that contradicts the phrase ranks behind those that do not, and is
// never what the phrase is resolved to.

// direction is what a phrase asks for, or what a tool does.
type direction struct {
	verbs []string // stems; several where they are coordinated: "lock or unlock"
	nouns []placed
	// lists: the verb returns many; gets: it returns one thing. Both may be.
	lists, gets bool
}

// placed is a word that is no verb, and where it stands.
type placed struct {
	stem   int32 // -1: the registry does not have it
	role   role
	number number
	head   bool // the last of its group: "workload" of "the namespace workload"
	flow   flow
	said   bool // the flow is: by a preposition, or a verb that makes things
}

func (n *placed) isOne() bool { return n.number == numberOne || n.number == numberBare }

// role is the part that a noun plays.
type role uint8

const (
	roleObject role = iota // of the verb
	roleSource             // behind "from"
	roleTarget             // behind "to", "into", "as"
	roleScope              // behind "in", "of"
	roleOther              // behind any other preposition
)

// number says of how many is spoken.
type number uint8

const (
	numberOpen number = iota // a word before the last of a group
	numberBare               // "namespace"
	numberOne                // "a namespace"
	numberMany
	numberAll // with "all" or "every"
)

// flow says whether a noun is what goes in or what comes out.
type flow uint8

const (
	flowNone flow = iota
	flowIn
	flowOut
)

// grammar is the words by which directions are read, see tables.json.
type grammar struct {
	opposites      map[string][]uint8 // stem → 2k or 2k+1 for either side of pair k
	prefixes       [][2]string
	one, all       set
	source, target set
	scope          set
	plural         set      // that do not end in s
	singular       set      // that do
	example        []string // what begins an example in a description
	// Verbs that return a list, one thing, or either; such that make one thing of
	// another.
	many, single, reads, makes verbSet
}

// opposed reports whether two verbs, given as stems, undo each other: they are
// listed so, or differ in nothing but prefixes.
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

// undone reports whether one verb is the other with the prefix p[1] for p[0].
// Where p[0] is empty what is left must be long: "display" does not undo "play".
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
	verbs    []string // as they are written
	nouns    []parsedNoun
	from, to bool // one of these prepositions was read
	acts     bool // the first verb is one that is known
}

type parsedNoun struct {
	text string
	of   bool // behind "of"
	placed
}

// What is read of one text: a clause has a few words, and a phrase may be long.
const (
	maxVerbs = 8
	maxNouns = 32
)

func (p *parsed) addVerb(w string) {
	if len(p.verbs) < maxVerbs {
		p.verbs = append(p.verbs, w)
	}
}

// setFlow finds what goes in and what comes out. What a verb acts on goes in
// where something is said behind "to", and comes out where something is said
// behind "from" alone, or behind "of" and the verb reads: "get the text of a pdf".
func (t *tables) setFlow(p *parsed) {
	classes := t.classes(p.verbs)
	makes := classes&t.grammar.makes != 0
	reads := !p.from && !p.to && classes&t.grammar.reads != 0 &&
		slices.ContainsFunc(p.nouns, func(n parsedNoun) bool { return n.of })
	for i := range p.nouns {
		n := &p.nouns[i]
		switch {
		case n.role == roleSource, n.role == roleObject && p.to && !p.from:
			n.flow, n.said = flowIn, n.role == roleSource || makes
		case n.role == roleTarget, n.role == roleObject && p.from && !p.to:
			n.flow, n.said = flowOut, n.role == roleTarget || makes
		case reads && n.of:
			n.flow = flowIn
		case reads && n.role == roleObject:
			n.flow = flowOut
		}
	}
	// "a pdf file to a text file" says nothing of files.
	for i := range p.nouns {
		for k := range p.nouns {
			a, b := &p.nouns[i], &p.nouns[k]
			if a.flow == flowIn && b.flow == flowOut && t.stem(a.text) == t.stem(b.text) {
				a.flow, b.flow = flowNone, flowNone
			}
		}
	}
}

// readDirection reads a normalised text, see tables.normalise. Where it asks for
// something, "sets" is no verb.
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
		useThis := w == "use" && i+1 < len(tokens) && (t.grammar.one[tokens[i+1]] || tokens[i+1] == "when")
		if t.isVerb(w, n == 0) && (!asks || imperative(w)) && !useThis {
			p.addVerb(w)
			from, p.acts = i+1, true
			break
		}
		if n == 0 { // "decrypt" is none that is known, but undoes "encrypt"
			p.addVerb(w)
		}
		n++
	}
	t.readNouns(&p, tokens[from:], false)
	t.setFlow(&p)
	return p
}

func joins(w string) bool { return w == "," || w == "or" || w == "and" }

// isVerb reports whether a word is the verb of a phrase; first: nothing that
// counts stands before it.
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

// undoesVerb reports whether a stem is a verb's behind a prefix: undelete.
func (t *tables) undoesVerb(s string) bool {
	for _, p := range t.grammar.prefixes {
		rest, ok := strings.CutPrefix(s, p[1])
		if ok && p[0] == "" && (t.verbs[rest] != nil || t.verbs[rest+"e"] != nil) && undone(rest, s, p) {
			return true
		}
	}
	return false
}

// readNameDirection reads the words of a tool's name. Of several verbs the one
// that its description has counts.
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
	t.setFlow(&p)
	return p
}

// readNouns reads what follows a verb up to the end of the clause.
func (t *tables) readNouns(p *parsed, tokens []string, isName bool) {
	g := t.grammar
	at, behindOf := roleObject, false
	first := 0 // of the group
	quantity := numberOpen
	closeGroup := func() {
		if last := len(p.nouns) - 1; last >= first {
			n := &p.nouns[last]
			n.head = true
			if quantity == numberAll {
				n.number = numberAll
			}
		}
		first, quantity = len(p.nouns), numberOpen
	}
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
			closeGroup()
			return
		case w == "|":
		case w == ",":
			if at != roleObject && !joins(next) { // "from a list, including …"
				closeGroup()
				at = roleOther
			}
		case w == "and" || w == "or":
			if s := t.stem(next); next != "" && (t.strongStem[s] || g.opposites[s] != nil) && !nominal(next) {
				if len(p.nouns) > 0 {
					closeGroup()
					return
				}
				continue
			}
			closeGroup()
		case len(p.nouns) == 0 && i > 0 && joins(tokens[i-1]) && t.isVerb(w, true):
			p.addVerb(w)
		case g.target[w] || isName && w == "2":
			if w == "to" && t.infinitive(tokens[i+1:]) {
				closeGroup()
				return
			}
			closeGroup()
			at, p.to = roleTarget, true
		case g.source[w]:
			closeGroup()
			at, p.from = roleSource, true
		case g.scope[w]:
			if w == "of" && i > 0 && g.all[tokens[i-1]] {
				continue
			}
			closeGroup()
			at, behindOf = roleScope, w == "of"
		case g.all[w]:
			if isName && len(p.nouns) > first {
				closeGroup()
				at, behindOf = roleScope, false
			}
			quantity = numberAll
		case t.preposition[w]:
			closeGroup()
			at = roleOther
		case g.one[w]:
			quantity = max(quantity, numberOne)
		case t.polite[w], t.stop[w], len(w) == 1, isNumber(w):
		default:
			n := parsedNoun{w, at == roleScope && behindOf, placed{role: at, number: max(quantity, numberBare)}}
			switch {
			case g.isPlural(w):
				n.number = numberMany
			case quantity == numberAll:
				n.number = numberOpen
			}
			if isName && len(w) > 4 && strings.HasSuffix(w, "ed") && at == roleObject { // namespaced
				n.role = roleScope
				p.nouns = slices.Insert(p.nouns, first, n)
				first++
				continue
			}
			p.nouns = append(p.nouns, n)
		}
	}
	closeGroup()
}

// infinitive reports whether what stands behind "to" begins with a verb.
func (t *tables) infinitive(tokens []string) bool {
	for len(tokens) > 0 && (tokens[0] == "help" || tokens[0] == "me") {
		tokens = tokens[1:]
	}
	if len(tokens) < 2 { // "to archive", "to email"
		return false
	}
	s, next := t.stem(tokens[0]), tokens[1]
	if t.verbs[s] == nil || nominal(tokens[0]) || t.grammar.isPlural(tokens[0]) {
		return false
	}
	return t.strongStem[s] || t.grammar.one[next] || t.grammar.all[next]
}

func isNumber(w string) bool { return strings.Trim(w, "0123456789") == "" }

// isPlural reports whether an English noun is one of many.
func (g *grammar) isPlural(w string) bool {
	if g.plural[w] {
		return true
	}
	if len(w) < 4 || w[len(w)-1] != 's' || g.singular[w] {
		return false
	}
	return strings.IndexByte("sui", w[len(w)-2]) < 0
}

// toolDirection reads a tool.
func (t *tables) toolDirection(name, description string) parsed {
	s := firstSentence(description)
	for _, word := range t.grammar.example { // "such as", "e.g."
		if at := strings.Index(s, word); at >= 0 {
			s = s[:at]
		}
	}
	d := t.readDirection(t.normalise(strings.ReplaceAll(withoutBrackets(s), "/", " or ")), false)
	p := t.readNameDirection(splitTwo(verbWords(name, nil)), t.classes(d.verbs))
	p.verbs = append(p.verbs, d.verbs...)
	if d.acts || d.from || d.to { // else it is no sentence that says what the tool does
		p.nouns = append(p.nouns, d.nouns...)
	}
	return p
}

// classes returns what some verbs may mean.
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
	head, _ := cutChars(strings.TrimLeft(description, " \t\r\n"), sentenceChars)
	head, _, _ = strings.Cut(head, "\n")
	head, _, _ = strings.Cut(head, ". ")
	return head
}

// withoutBrackets leaves out what stands in brackets.
func withoutBrackets(s string) string {
	for {
		from := strings.IndexByte(s, '(')
		if from < 0 {
			return s
		}
		length := strings.IndexByte(s[from:], ')')
		if length < 0 {
			return s[:from]
		}
		s = s[:from] + " " + s[from+length+1:]
	}
}

// lookUp finds the words of a direction in the registry.
func (ix *Index) lookUp(dst *direction, p *parsed) {
	t := ix.t
	*dst = direction{verbs: dst.verbs[:0], nouns: dst.nouns[:0]}
	for _, v := range p.verbs {
		s := t.stem(v)
		dst.verbs = append(dst.verbs, s)
		switch c := setOfClasses(t.verbs[s]); {
		case c&t.grammar.many != 0 && c&t.grammar.single == 0:
			dst.lists = true
		case c&t.grammar.single != 0:
			dst.gets = true
		}
	}
	for _, n := range p.nouns {
		n.stem = ix.bm25.lookup(t.stem(n.text))
		dst.nouns = append(dst.nouns, n.placed)
	}
}

// direction returns what a tool does. It is read when a phrase first has the tool
// among its candidates: most tools of a big registry never are.
func (ix *Index) direction(tool int32) *direction {
	if d := ix.directions[tool].Load(); d != nil {
		return d
	}
	name, _ := cutChars(ix.reg.Tools[tool].Name, maxName)
	head, _ := cutChars(ix.own[tool], ix.t.bm25.HeadChars)
	p := ix.t.toolDirection(name, ix.t.fold(head))
	d := &direction{}
	ix.lookUp(d, &p)
	ix.directions[tool].Store(d)
	return d
}

// readAim reads the direction of the whole phrase, mentions of servers
// included: "convert to pdf" goes to pdf where a server is called so, too.
func (q *query) readAim(folded string) {
	norm := q.norm
	if whole := q.ix.reword(folded); whole != q.rest {
		norm = q.ix.t.normalise(whole)
	}
	p := q.ix.t.readDirection(norm, true)
	q.ix.lookUp(&q.aim, &p)
	q.aimWords = q.aimWords[:0]
	for _, n := range p.nouns {
		q.aimWords = append(q.aimWords, slices.IndexFunc(q.words, func(w queryWord) bool { return w.text == n.text }))
	}
}

// has returns the numbers in which a direction has a noun in a role, as bits.
func (d *direction) has(stem int32, r role) (numbers uint8) {
	for _, n := range d.nouns {
		if n.stem == stem && n.role == r {
			numbers |= 1 << n.number
		}
	}
	return numbers
}

// refuse takes an answer back that contradicts the phrase, and says why.
func (q *query) refuse(r *Resolution, d *decision, first int32) {
	if d.contrary = q.contradicts(first); d.contrary == "" || r.Verdict == NotFound {
		return
	}
	r.Verdict, r.By, r.Tool = Ambiguous, "", ""
	if r.Note == "" {
		r.Note = q.ix.id(first) + " " + d.contrary
	}
}

// contradicts says why a tool is not what the phrase asks for, empty when it may
// be.
func (q *query) contradicts(tool int32) string {
	d := q.ix.direction(tool)
	switch {
	case q.undoes(d):
		return "does the opposite of what the phrase asks for"
	case q.along(d) < 0:
		return "leads the other way: what the phrase begins with is what it ends with"
	case q.misplaces(tool, d):
		return "is about all of what the phrase names one of, or about the place of what it asks for"
	}
	return ""
}

// undoes reports whether a tool does the opposite of what the phrase asks for,
// and nothing that the phrase names.
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

// along says how far a tool leads from where the phrase starts to where it
// wants to go: 1, or -1 for the way back.
func (q *query) along(d *direction) float64 {
	there, back, sureThere, sureBack := 0, 0, false, false
	for _, n := range [2]flow{flowIn, flowOut} {
		if met, said := q.aim.meets(n, d, n); met {
			there, sureThere = there+1, sureThere || said
		}
		if met, said := q.aim.meets(n, d, flowIn+flowOut-n); met {
			back, sureBack = back+1, sureBack || said
		}
	}
	switch {
	case back > there && (back > 1 || sureBack):
		return -1
	case there > back && sureThere:
		return float64(there-back) / 2
	}
	return 0
}

// meets reports whether a noun of one flow is of another flow elsewhere, and
// whether one of the two is so beyond doubt.
func (d *direction) meets(f flow, to *direction, other flow) (met, sure bool) {
	for _, n := range d.nouns {
		if n.flow != f || n.stem < 0 {
			continue
		}
		for _, m := range to.nouns {
			if m.stem == n.stem && m.flow == other {
				met = true
				sure = sure || n.said || m.said
			}
		}
	}
	return met, sure
}

// leadsElsewhere reports whether phrase and tool both say where it goes, or both
// where it comes from, and nothing in the tool's texts is like what the phrase
// says. It reads q.met.
func (q *query) leadsElsewhere(d *direction) bool {
	for _, end := range [2]flow{flowIn, flowOut} {
		said := func(n placed) bool { return n.flow == end && n.said }
		if slices.ContainsFunc(d.nouns, said) && q.isUnmet(end) {
			return true
		}
	}
	return false
}

// isUnmet reports whether the phrase says an end, and a tool has nothing like it.
func (q *query) isUnmet(end flow) bool {
	unmet := false
	for i, n := range q.aim.nouns {
		if n.flow != end || !n.said && n.role == roleObject {
			continue
		}
		if at := q.aimWords[i]; at < 0 || q.met[at] >= likeEnough {
			return false
		}
		unmet = true
	}
	return unmet
}

// likeEnough is the similarity from which two words may mean the same.
const likeEnough = .5

// misplaces reports whether a tool is about all of what the phrase names one
// of, or the reverse, or about what the phrase only says to be the place.
func (q *query) misplaces(tool int32, d *direction) bool {
	const one, all, several = 1<<numberOne | 1<<numberBare, 1 << numberAll, 1<<numberAll | 1<<numberMany
	for _, n := range q.aim.nouns {
		if n.stem < 0 {
			continue
		}
		inScope, asObject := d.has(n.stem, roleScope), d.has(n.stem, roleObject)
		switch alone := d.lists && !d.gets; {
		case n.role == roleScope && n.isOne():
			if inScope&all != 0 && inScope&one == 0 || alone && asObject&several != 0 && inScope == 0 && !q.objectIn(tool) {
				return true
			}
		case n.role == roleScope && n.number == numberAll:
			if inScope&all == 0 && inScope&one != 0 && asObject&several == 0 {
				return true
			}
		case n.role == roleObject && n.head && n.isOne():
			if !d.lists && !d.gets && asObject&all != 0 && !d.actsOnOne() {
				return true
			}
		case n.role == roleObject && n.head && n.number >= numberMany && q.aim.lists:
			if alone && asObject == 0 && inScope != 0 && !q.sharesObject(d) {
				return true
			}
		}
	}
	return false
}

// actsOnOne reports whether a direction's object is a single thing.
func (d *direction) actsOnOne() bool {
	return slices.ContainsFunc(d.nouns, func(n placed) bool { return n.role == roleObject && n.head && n.isOne() })
}

// sharesObject reports whether the phrase has a noun that a tool acts on.
func (q *query) sharesObject(d *direction) bool {
	return slices.ContainsFunc(q.aim.nouns, func(n placed) bool { return n.stem >= 0 && d.has(n.stem, roleObject) != 0 })
}

// objectIn reports whether a tool's texts have a head of the phrase's object.
func (q *query) objectIn(tool int32) bool {
	ix := q.ix
	has := false
	for _, n := range q.aim.nouns {
		if n.role != roleObject || !n.head {
			continue
		}
		has = true
		isIt := func(w int32) bool { return ix.words.stem[w] == n.stem }
		if n.stem >= 0 && slices.ContainsFunc(ix.words.textOf(tool), isIt) {
			return true
		}
	}
	return !has
}

// differsInNumber reports whether phrase and tool read the same object, but one
// of them one and the other many; or whether the phrase changes all, and the tool
// one.
func (q *query) differsInNumber(d *direction) bool {
	reads := (q.aim.lists || q.aim.gets) && (d.lists || d.gets)
	for _, n := range q.aim.nouns {
		if n.role != roleObject || !n.head || n.stem < 0 {
			continue
		}
		if !reads && n.number != numberAll {
			continue
		}
		about, single, several := false, d.gets && d.lists, d.lists
		for _, m := range d.nouns {
			if m.stem == n.stem && m.role == roleObject && m.head {
				about = true
				several = several || !d.lists && m.number == numberAll
				single = single || !d.lists && m.number == numberOne
			}
		}
		if about && single != several {
			return several != (q.aim.lists || n.number >= numberMany)
		}
	}
	return false
}
