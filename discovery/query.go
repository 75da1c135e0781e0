package discovery

import (
	"context"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry/text"
)

// MaxPhrase is how many bytes of a phrase are read; the rest is ignored.
const MaxPhrase = 2048

// query is a phrase, analysed for all legs, and the memory that answering it needs. Queries are
// pooled; one goroutine uses a query at a time.
type query struct {
	ix       *Index
	mentions []float64 // per server, see readMentions
	phrase   string    // folded, in words that the registry has; the fields below are computed from it

	terms    []queryTerm
	ideal    float64
	bm       []float32  // per tool
	pairs    [][2]int32 // of adjacent terms
	vector   []float32
	foreign  float64 // the weight of the words that are not ASCII
	blind    bool    // the embedded model has no word of the phrase
	textDots dots
	full     []float32 // per tool: the cosine by the external embedder, if it answered
	note     string    // why full is empty although an embedder is configured

	words []queryWord
	match matcher
	met   []float32 // of the candidate at hand, per word

	norm     string // the phrase, normalised
	verb     verbSet
	asks     bool   // the verb is certainly an imperative
	deed     string // the verb, if it is in no class
	head     []string
	headDots dots
	objects  []int  // the words of the head that name the object
	isObject []bool // per word
	aim      direction
}

// ask analyses a phrase, with the external embedder if there is one. The caller returns the query
// with [query.done].
func (ix *Index) ask(ctx context.Context, phrase string) *query {
	q, _ := ix.queries.Get().(*query)
	if q == nil {
		q = &query{ix: ix, bm: make([]float32, len(ix.all))}
	}
	clear(q.bm)
	folded := ix.t.fold(text.FirstBytes(phrase, MaxPhrase))
	q.mentions, q.phrase = ix.readMentions(folded), ix.reword(folded)
	q.vector = ix.model.Embed(q.phrase)
	q.readTerms()
	q.readWords()
	q.readHead()
	q.readAim()
	ix.bm25.scores(q.terms, q.bm)
	q.blind = isZero(q.vector)
	q.full, q.note = q.full[:0], ""
	q.embedExternal(ctx)
	return q
}

func (q *query) done() { q.ix.queries.Put(q) }

// mention returns how certainly the phrase means the tool's server, 0 to 1.
func (q *query) mention(tool int32) float64 {
	if q.mentions == nil {
		return 0
	}
	return q.mentions[q.ix.serverMentions.serverOf[tool]]
}

func (q *query) readTerms() {
	terms := q.ix.t.terms(withoutLiterals(q.phrase))
	q.pairs = q.pairs[:0]
	for i := 1; i < len(terms); i++ {
		p := [2]int32{q.ix.bm25.lookup(terms[i-1]), q.ix.bm25.lookup(terms[i])}
		if p[0] < 0 || p[1] < 0 || !slices.Contains(q.pairs, p) {
			q.pairs = append(q.pairs, p)
		}
	}
	q.terms = q.terms[:0]
	slices.Sort(terms)
	for i, t := range terms {
		if i > 0 && t == terms[i-1] {
			q.terms[len(q.terms)-1].count++
			continue
		}
		q.terms = append(q.terms, queryTerm{q.ix.bm25.lookup(t), 1})
	}
	q.ideal = q.ix.bm25.ideal(q.terms)
}

// withoutLiterals removes quoted values, which name things and not what a tool does: "drop the
// collection 'open issues'". A phrase with fewer than three other words keeps them.
func withoutLiterals(phrase string) string {
	const few = 3
	if plain := replaceMatches(" "+phrase+" ", literalAt); len(strings.Fields(plain)) >= few {
		return plain
	}
	return phrase
}

func (q *query) readWords() {
	ix := q.ix
	q.words = q.words[:0]
	var total float64
	var buf [16]embed.Token
	v := make([]float32, ix.model.Dimensions())
	for _, w := range distinct(ix.t.words(ix.model, q.phrase)) {
		if ix.t.stop[w] || isShort(w) {
			continue
		}
		s := ix.t.stem(w)
		word := queryWord{text: w, stem: s, id: ix.bm25.lookup(s)}
		clear(v)
		for _, piece := range ix.model.WordTokens(buf[:0], w) {
			ix.model.Add(v, piece)
		}
		norm := embed.Normalize(v)
		word.probe = ix.model.Probe(v, embed.Probe{})
		word.weight = float64(ix.t.norm(w, norm)) * ix.bm25.weight(word.id)
		total += word.weight
		q.words = append(q.words, word)
	}
	q.foreign = 0
	for i := range q.words {
		q.words[i].weight /= max(total, 1e-9)
		if isForeign(q.words[i].text) {
			q.foreign += q.words[i].weight
		}
	}
	q.match.reset(&ix.words, q.words)
	q.met = slices.Grow(q.met[:0], len(q.words))[:len(q.words)]
}

// readHead finds the phrase's verb, its head, and the words of the head that name the object.
func (q *query) readHead() {
	t := q.ix.t
	norm := t.normalise(q.phrase)
	q.norm = norm
	classes, verb := t.phraseVerb(norm)
	q.verb, q.asks = setOfClasses(classes), imperative(verb)
	q.deed, q.head = t.deed(norm), t.head(norm)
	if len(q.head) > 0 {
		q.headDots.reset(&q.ix.vectors, q.ix.model.Embed(strings.Join(q.head, " ")))
	}
	var inHead []int
	q.objects = q.objects[:0]
	for i, w := range q.words {
		if foreign := q.foreign > 0 && isForeign(w.text); !foreign && !inWords(w.text, q.head) {
			continue
		}
		inHead = append(inHead, i)
		if t.isObject(w.text) {
			q.objects = append(q.objects, i)
		}
	}
	if len(q.objects) == 0 {
		q.objects = append(q.objects, inHead...)
	}
	q.isObject = slices.Grow(q.isObject[:0], len(q.words))[:len(q.words)]
	clear(q.isObject)
	for _, i := range q.objects {
		q.isObject[i] = true
	}
}

// inWords reports whether w is one of the words, or two adjacent ones joined.
func inWords(w string, words []string) bool {
	for i, x := range words {
		if w == x {
			return true
		}
		if i > 0 {
			if rest, ok := strings.CutPrefix(w, words[i-1]); ok && rest == x {
				return true
			}
		}
	}
	return false
}
