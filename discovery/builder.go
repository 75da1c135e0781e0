package discovery

import (
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Limits of a tool's texts, in characters; see also the weights of tables.json
// and sentences.go.
const (
	maxName   = 256
	maxParams = 16_000 // of all parameter names together
)

// builder collects what only New needs. Every run of letters in the registry is analysed once and
// then looked up.
type builder struct {
	ix       *Index
	stems    map[string]int32
	runs     map[string]*run
	lexemes  map[string]*lexeme
	servers  map[string]*serverParts
	postings []posting
	counts   []float32 // per stem, for the tool that is being added
	touched  []int32
	inName   []int32         // the stems of all names
	outside  map[int32]int32 // per server word: tools elsewhere that have it
	local    []int32         // per token: its number in the vocabulary, or -1
	norms    []float32       // per word of the registry
	words    []*lexeme       // per word of the registry
	seen     []int32         // per word of the registry: the mark that addWords set last
	scratch  struct {
		name, head, rest []*run
		secondary        []int32
		sum              []float32
	}
}

// run is a run of letters and digits, with its parts.
type run struct {
	text  string
	parts []*lexeme // for BM25
	// For the model, of runs in names and descriptions' heads and sentences:
	words  []*lexeme
	tokens []embed.Token
}

// lexeme is a distinct lower-case word.
type lexeme struct {
	text     string
	stem     int32
	stop     bool
	short    bool
	compound []int32 // the stems of its two halves, if it is a compound
	word     int32   // its number in the word leg, or -1
}

// serverParts is the data that all tools of a server share.
type serverParts struct {
	number int32
	runs   []*run
	stems  map[string]bool // of its name, without uninformative ones
}

func newBuilder(ix *Index) *builder {
	b := &builder{
		ix: ix, stems: map[string]int32{},
		runs: map[string]*run{}, lexemes: map[string]*lexeme{},
		servers: map[string]*serverParts{},
		outside: map[int32]int32{}, local: make([]int32, ix.model.Tokens()),
	}
	for i := range b.local {
		b.local[i] = -1
	}
	b.scratch.sum = make([]float32, ix.model.Dimensions())
	n := len(ix.reg.Tools)
	ix.nameVerb, ix.textVerb, ix.nameLen = make([]verbSet, n), make([]verbSet, n), make([]uint16, n)
	ix.headNouns = make([]int32, n)
	ix.vectors.firstText, ix.vectors.textStart = []int32{0}, []int32{0}
	ix.words.pieceStart, ix.words.textStart, ix.words.nameStart, ix.secondary.start = []int32{0}, []int32{0}, []int32{0},
		[]int32{0}
	return b
}

// addServers reads the names of the servers that have tools.
func (b *builder) addServers(aliases map[string][]string) {
	b.ix.readServers(aliases, b.intern)
	for i := range b.ix.reg.Tools {
		name := b.ix.reg.Tools[i].Server
		if b.servers[name] != nil {
			continue
		}
		short := text.First(name, maxName)
		s := &serverParts{number: b.ix.serverMentions.serverOf[i], runs: b.read(nil, b.ix.t.fold(short)),
			stems: map[string]bool{}}
		b.servers[name] = s
		for _, stem := range b.ix.t.terms(short) {
			if !b.ix.t.serverStop[stem] {
				s.stems[stem] = true
			}
		}
	}
}

// intern returns the number of a stem.
func (b *builder) intern(stem string) int32 {
	id, ok := b.stems[stem]
	if !ok {
		id = int32(len(b.counts))
		b.stems[strings.Clone(stem)] = id
		b.counts = append(b.counts, 0)
	}
	return id
}

// lexeme returns the lexeme of a lower-case word.
func (b *builder) lexeme(w string) *lexeme {
	if l, ok := b.lexemes[w]; ok {
		return l
	}
	w = strings.Clone(w)
	l := &lexeme{text: w, stem: b.intern(b.ix.t.stem(w)), stop: b.ix.t.stop[w], short: isShort(w), word: -1}
	if left, right := compound(b.ix.model, w); left != "" {
		l.compound = []int32{b.intern(b.ix.t.stem(left)), b.intern(b.ix.t.stem(right))}
	}
	b.lexemes[w] = l
	return l
}

// read appends the runs of a folded text.
func (b *builder) read(dst []*run, folded string) []*run {
	for start, end := b.ix.t.nextRun(folded, 0); start < end; start, end = b.ix.t.nextRun(folded, end) {
		r, ok := b.runs[folded[start:end]]
		if !ok {
			r = b.newRun(folded[start:end])
		}
		dst = append(dst, r)
	}
	return dst
}

func (b *builder) newRun(text string) *run {
	text = strings.Clone(text)
	r := &run{text: text}
	parts := b.ix.t.appendParts(nil, text)
	parts = appendCharacters(parts, text)
	for _, w := range parts {
		r.parts = append(r.parts, b.lexeme(w))
	}
	b.runs[text] = r
	return r
}

// addTool adds one tool to every leg.
func (b *builder) addTool(tool int32, t *registry.Tool, text *toolText) {
	ix, w := b.ix, &b.ix.t.bm25
	server := b.servers[t.Server]
	name, head := b.read(b.scratch.name[:0], text.name), b.read(b.scratch.head[:0], text.head)
	b.scratch.name, b.scratch.head = name, head

	nameTerms, headTerms := appendTerms(nil, name), appendTerms(nil, head)
	b.countOutside(server, nameTerms, headTerms)
	nameTerms = appendCompounds(nameTerms, name)
	b.count(nameTerms, w.Name)
	b.count(appendTerms(nil, server.runs), w.Server)
	b.count(headTerms, w.Head)
	secondary := b.countText(b.scratch.secondary[:0], text.tail, w.Tail)
	secondary = b.countText(secondary, text.params, w.Params)
	b.flushCounts(tool)
	b.scratch.secondary = b.addSecondary(secondary, text)

	b.inName = append(b.inName, nameTerms...)
	ix.nameLen[tool] = uint16(len(slices.Compact(slices.Sorted(slices.Values(nameTerms)))))

	b.addWords(tool, name, server.runs, head)
	ix.headNouns[tool] = b.headNounOf(tool)
	ix.nameVerb[tool], ix.textVerb[tool] = text.nameVerb, text.textVerb
	b.addTexts(text.sentences, name, head)
}

// verbWords returns the camel-case words of a tool's name, without those of its server's name.
func verbWords(name string, server map[string]bool) []string {
	var words []string
	name = embed.Fold(name)
	for start, end := embed.NextRun(name, 0); start < end; start, end = embed.NextRun(name, end) {
		for from := start; from < end; {
			next := start + embed.NextPart(name[start:end], from-start)
			if w := embed.Lower(name[from:next]); !server[w] {
				words = append(words, w)
			}
			from = next
		}
	}
	return words
}

func appendTerms(dst []int32, runs []*run) []int32 {
	for _, r := range runs {
		for _, p := range r.parts {
			if !p.stop {
				dst = append(dst, p.stem)
			}
		}
	}
	return dst
}

// appendCompounds appends the halves of the distinct compound words in some runs.
func appendCompounds(dst []int32, runs []*run) []int32 {
	var done []*lexeme
	for _, r := range runs {
		for _, p := range r.parts {
			if p.compound != nil && !slices.Contains(done, p) {
				done = append(done, p)
				dst = append(dst, p.compound...)
			}
		}
	}
	return dst
}

// countOutside counts the words of other servers' names that a tool's text has.
func (b *builder) countOutside(server *serverParts, texts ...[]int32) {
	var done []int32
	for _, terms := range texts {
		for _, x := range terms {
			w, ok := b.ix.serverMentions.words[x]
			if ok && !slices.Contains(w.servers, server.number) && !slices.Contains(done, x) {
				done = append(done, x)
				b.outside[x]++
			}
		}
	}
}

func (b *builder) count(terms []int32, weight float32) {
	for _, x := range terms {
		if b.counts[x] == 0 {
			b.touched = append(b.touched, x)
		}
		b.counts[x] += weight
	}
}

// countText counts the terms of a text and appends them to terms.
func (b *builder) countText(terms []int32, text string, weight float32) []int32 {
	b.scratch.rest = b.read(b.scratch.rest[:0], text)
	first := len(terms)
	terms = appendTerms(terms, b.scratch.rest)
	b.count(terms[first:], weight)
	return terms
}

func (b *builder) flushCounts(tool int32) {
	for _, x := range b.touched {
		b.postings = append(b.postings, posting{x, tool, b.counts[x]})
		b.counts[x] = 0
	}
	b.touched = b.touched[:0]
}

// addWords adds a tool to the word leg.
func (b *builder) addWords(tool int32, name, server, head []*run) {
	l := &b.ix.words
	add := func(dst []int32, mark int32, runs []*run) []int32 {
		for _, r := range runs {
			if r.words == nil {
				for _, w := range b.ix.t.appendWords(b.ix.model, nil, r.text) {
					r.words = append(r.words, b.lexeme(w))
				}
			}
			for _, w := range r.words {
				if w.stop || w.short {
					continue
				}
				if w.word < 0 {
					b.newWord(w)
				}
				if b.seen[w.word] != mark {
					b.seen[w.word] = mark
					dst = append(dst, w.word)
				}
			}
		}
		return dst
	}
	l.name = add(l.name, 2*tool+1, name)
	l.nameStart = append(l.nameStart, int32(len(l.name)))
	for _, runs := range [][]*run{name, server, head} {
		l.text = add(l.text, 2*tool+2, runs)
	}
	l.textStart = append(l.textStart, int32(len(l.text)))
}

func (b *builder) newWord(w *lexeme) {
	l := &b.ix.words
	w.word = int32(len(l.stem))
	l.stem = append(l.stem, w.stem)
	first := len(l.pieces)
	l.pieces = b.ix.model.WordTokens(l.pieces, w.text)
	l.pieceStart = append(l.pieceStart, int32(len(l.pieces)))
	clear(b.scratch.sum)
	for _, t := range l.pieces[first:] {
		b.ix.model.Add(b.scratch.sum, t)
	}
	norm := embed.Normalize(b.scratch.sum)
	b.norms, b.words = append(b.norms, b.ix.t.norm(w.text, norm)), append(b.words, w)
	l.inverse = append(l.inverse, invert(norm))
	b.seen = append(b.seen, 0)
}

// addTexts adds a tool to the vector leg.
func (b *builder) addTexts(sentences []string, name, head []*run) {
	b.addText(name)
	b.addText(head)
	for _, s := range sentences {
		b.scratch.rest = b.read(b.scratch.rest[:0], s)
		b.addText(b.scratch.rest)
	}
	l := &b.ix.vectors
	l.firstText = append(l.firstText, int32(len(l.textStart)-1))
}

// addText appends a text's tokens to the vector leg.
func (b *builder) addText(text []*run) {
	l := &b.ix.vectors
	for _, r := range text {
		if r.tokens == nil {
			r.tokens = b.ix.model.AppendTokens(nil, r.text)
		}
		for _, t := range r.tokens {
			if b.local[t] < 0 {
				b.local[t] = int32(len(l.vocabulary))
				l.vocabulary = append(l.vocabulary, t)
			}
			l.tokens = append(l.tokens, uint16(b.local[t]))
		}
	}
	l.textStart = append(l.textStart, int32(len(l.tokens)))
}

// finish computes the values that depend on all tools.
func (b *builder) finish() {
	ix := b.ix
	ix.bm25.stems = b.stems
	ix.inName = make([]uint8, len(b.counts))
	for _, x := range b.inName {
		ix.inName[x] = 1
	}
	ix.bm25.finish(ix.t.bm25, b.postings, len(ix.reg.Tools))
	ix.serverMentions.finish(b.outside)
	ix.words.weight = make([]float32, len(b.norms))
	for w, norm := range b.norms {
		ix.words.weight[w] = norm * ix.bm25.idf[ix.words.stem[w]]
	}
	ix.vectors.finish()
}
