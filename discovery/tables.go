package discovery

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// fusionJSON is the reference's, beyondJSON what this package adds to it.
var (
	//go:embed fusion.json
	fusionJSON []byte
	//go:embed beyond.json
	beyondJSON []byte
)

// tables are the words, weights and thresholds of the pipeline: the content
// of fusion.json and beyond.json, prepared for use. They were fitted on
// development data; code holds none of them.
type tables struct {
	bm25       bm25Weights
	candidates candidateWeights
	coef       features // the re-ranker's weight of each feature
	confidence confidenceModel

	stop, polite, preposition, opener, serverStop, cue set

	suffixes [][2]string
	alias    map[string]string // stem → the stem that it counts as
	phrases  [][2]string       // " two words " → " one word "

	className       []string
	verbs           map[string][]class // stem of a verb → what it may mean
	openerStem      set
	strongStem      set
	compatible      [][]float64 // class × class, 0 to 1
	mentionCutShare float64

	// Beyond the reference; folds is nil in it. See scripts.go.
	folds         map[rune]string
	foreignNorm   float32           // what a foreign word weighs, before its idf
	short         map[string]string // abbreviation → what it is short for
	unusual       map[string]string // word → what tools call it
	grammar       *grammar          // see direction.go
	foreignCosine float64           // what counts as the cosine of texts that share all of them
}

type set map[string]bool

// class is a kind of action: list, get, create … in the order of the file.
type class uint8

type bm25Weights struct {
	K1     float64 `json:"k1"`
	B      float64 `json:"b"`
	Name   float32 `json:"w_name"`
	Server float32 `json:"w_server"`
	Head   float32 `json:"w_head"`
	Tail   float32 `json:"w_tail"`
	Params float32 `json:"w_params"`
	// The description's first HeadChars characters are its head, what
	// follows until TailChars its tail.
	HeadChars int `json:"head"`
	TailChars int `json:"tail"`
}

type candidateWeights struct {
	Top       int     `json:"topk"`
	BM25      float64 `json:"a_bm"`
	Full      float64 `json:"a_full"`
	Name      float64 `json:"a_name"`
	Sentence  float64 `json:"a_sent"`
	Server    float64 `json:"a_srv"`
	Sentences int     `json:"max_sentences"`
}

// fusionFile is fusion.json as it stands.
type fusionFile struct {
	Version    int
	BM25       bm25Weights
	Candidates candidateWeights
	Reranker   struct {
		Features []string
		Coef     map[string]float64
	}
	Confidence struct {
		Inputs       []string
		Right, Found []float64
		TRight       float64 `json:"t_right"`
		TFound       float64 `json:"t_found"`
	}
	VerbClasses  orderedWords       `json:"verb_classes"`
	VerbCompat   map[string]float64 `json:"verb_compat"`
	StrongVerbs  []string           `json:"strong_verbs"`
	OpenerOnly   []string           `json:"opener_only"`
	Phrases      [][2]string
	Polite       []string
	Prepositions []string
	ServerStop   []string `json:"server_stop"`
	ServerHint   struct {
		Cues []string
		Cut  float64
	} `json:"server_hint"`
	Stopwords    []string
	StemSuffixes [][2]string `json:"stem_suffixes"`
	Aliases      []string
}

// orderedWords is a JSON object of word lists whose order of keys counts.
type orderedWords []struct {
	key   string
	words []string
}

func (o *orderedWords) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil { // the opening brace
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var words string
		if err := dec.Decode(&words); err != nil {
			return err
		}
		*o = append(*o, struct {
			key   string
			words []string
		}{fmt.Sprint(key), strings.Fields(words)})
	}
	return nil
}

// loadTables parses the embedded files on the first call.
var loadTables = sync.OnceValue(func() *tables {
	t := parseReference()
	if err := t.extend(beyondJSON); err != nil {
		panic("discovery: beyond.json: " + err.Error())
	}
	return t
})

// referenceTables are those of the reference alone.
var referenceTables = sync.OnceValue(parseReference)

func parseReference() *tables {
	t, err := parseTables(fusionJSON)
	if err != nil {
		panic("discovery: fusion.json: " + err.Error())
	}
	return t
}

// directionWords is what beyond.json has for directions: lists of words, pairs
// of lists with a bar between, pairs of prefixes, names of classes of verbs.
type directionWords struct {
	Opposites        []string
	Prefixes         [][2]string
	One, All         string
	Source, Target   string
	Scope            string
	Plural, Singular string
	Example          []string
	Many, Single     string
	Reads, Makes     string
}

func (t *tables) readGrammar(d *directionWords) {
	words := func(s string) set { return setOf(strings.Fields(s)) }
	g := &grammar{
		opposites: map[string][]uint8{}, prefixes: d.Prefixes, example: d.Example, one: words(d.One), all: words(d.All),
		source: words(d.Source), target: words(d.Target), scope: words(d.Scope),
		plural: words(d.Plural), singular: words(d.Singular),
	}
	for i, pair := range d.Opposites {
		left, right, _ := strings.Cut(pair, "|")
		for side, list := range [2]string{left, right} {
			for w := range strings.FieldsSeq(list) {
				s := t.stem(w)
				g.opposites[s] = append(g.opposites[s], uint8(2*i+side))
			}
		}
	}
	for i, name := range t.className {
		switch name {
		case d.Many:
			g.many = 1 << i
		case d.Single:
			g.single = 1 << i
		}
		if slices.Contains(strings.Fields(d.Makes), name) {
			g.makes |= 1 << i
		}
		if slices.Contains(strings.Fields(d.Reads), name) {
			g.reads |= 1 << i
		}
	}
	t.grammar = g
}

// beyondFile is beyond.json: weights of the features that the reference does
// not have, phrases that it reads otherwise, and what words in other scripts
// are worth.
type beyondFile struct {
	Version int
	Coef    map[string]float64
	// Confidence are weights of further inputs of the chance that the first
	// candidate is right.
	Confidence map[string]float64
	// Candidates is how many are re-ranked.
	Candidates int
	Phrases    [][2]string
	Foreign    struct {
		Norm   float32
		Cosine float64
	}
	Direction directionWords
	Short     map[string]string
	Unusual   map[string]string
	Fold      map[string]string
}

// extend adds what goes beyond the reference.
func (t *tables) extend(data []byte) error {
	var f beyondFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f.Version != 1 {
		return fmt.Errorf("version %d, this program reads version 1", f.Version)
	}
	for name, weight := range f.Coef {
		i := featureIndex(name)
		if i < numReference {
			return fmt.Errorf("%q is not a feature beyond the reference", name)
		}
		t.coef[i] = weight
	}
	c := &t.confidence
	for _, name := range slices.Sorted(maps.Keys(f.Confidence)) {
		i := featureIndex(name)
		if i < 0 {
			return fmt.Errorf("confidence reads %q, which is not a feature", name)
		}
		c.inputs = append(c.inputs, confidenceInput(i))
		c.right, c.found = append(c.right, f.Confidence[name]), append(c.found, 0)
	}
	t.candidates.Top = f.Candidates
	t.short, t.unusual = f.Short, f.Unusual
	t.readGrammar(&f.Direction)
	t.foreignNorm, t.foreignCosine = f.Foreign.Norm, f.Foreign.Cosine
	t.folds = map[rune]string{}
	for k, v := range f.Fold {
		r, _ := utf8.DecodeRuneInString(k)
		t.folds[r] = v
	}
	for _, p := range f.Phrases {
		from, to := " "+p[0]+" ", " "+p[1]+" "
		t.phrases = slices.DeleteFunc(t.phrases, func(old [2]string) bool { return old[0] == from })
		t.phrases = append(t.phrases, [2]string{from, to})
	}
	return nil
}

func parseTables(data []byte) (*tables, error) {
	var f fusionFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version != 1 {
		return nil, fmt.Errorf("version %d, this program reads version 1", f.Version)
	}
	t := &tables{
		bm25: f.BM25, candidates: f.Candidates,
		stop: setOf(f.Stopwords), polite: setOf(f.Polite), preposition: setOf(f.Prepositions),
		opener: setOf(f.OpenerOnly), serverStop: setOf(f.ServerStop), cue: setOf(f.ServerHint.Cues),
		suffixes: f.StemSuffixes, mentionCutShare: f.ServerHint.Cut,
	}
	for _, p := range f.Phrases {
		t.phrases = append(t.phrases, [2]string{" " + p[0] + " ", " " + p[1] + " "})
	}
	t.readAliases(f.Aliases)
	if err := t.readVerbs(&f); err != nil {
		return nil, err
	}
	if err := t.readWeights(&f); err != nil {
		return nil, err
	}
	return t, nil
}

// readAliases makes every word of a group count as the group's first. The
// stems are the plain ones, so it is called before any alias exists.
func (t *tables) readAliases(groups []string) {
	alias := map[string]string{}
	for _, group := range groups {
		words := strings.Fields(group)
		for _, w := range words[1:] {
			alias[t.stem(w)] = t.stem(words[0])
		}
	}
	t.alias = alias
}

func (t *tables) readVerbs(f *fusionFile) error {
	t.verbs, t.openerStem, t.strongStem = map[string][]class{}, set{}, set{}
	byName := map[string]class{}
	for i, c := range f.VerbClasses {
		byName[c.key] = class(i)
		t.className = append(t.className, c.key)
		for _, w := range c.words {
			s := t.stem(w)
			t.verbs[s] = append(t.verbs[s], class(i))
		}
	}
	if len(byName) > 32 {
		return fmt.Errorf("%d verb classes, a set of them holds 32", len(byName))
	}
	for _, w := range f.OpenerOnly {
		t.openerStem[t.stem(w)] = true
	}
	for _, w := range f.StrongVerbs {
		t.strongStem[t.stem(w)] = true
	}
	t.compatible = make([][]float64, len(byName))
	for i := range t.compatible {
		t.compatible[i] = make([]float64, len(byName))
		t.compatible[i][i] = 1
	}
	for pair, v := range f.VerbCompat {
		left, right, _ := strings.Cut(pair, "|")
		a, okA := byName[left]
		b, okB := byName[right]
		if !okA || !okB {
			return fmt.Errorf("verb_compat names %q, which is not a pair of verb classes", pair)
		}
		t.compatible[a][b], t.compatible[b][a] = v, v
	}
	return nil
}

func (t *tables) readWeights(f *fusionFile) error {
	for name, weight := range f.Reranker.Coef {
		i := featureIndex(name)
		if i < 0 {
			return fmt.Errorf("the re-ranker weighs %q, which is not a feature", name)
		}
		t.coef[i] = weight
	}
	if len(f.Reranker.Coef) != numReference {
		return fmt.Errorf("the re-ranker weighs %d features of %d", len(f.Reranker.Coef), numReference)
	}
	c := f.Confidence
	if len(c.Inputs) != len(c.Right) || len(c.Inputs) != len(c.Found) {
		return fmt.Errorf("confidence has %d inputs, %d and %d weights", len(c.Inputs), len(c.Right), len(c.Found))
	}
	t.confidence = confidenceModel{right: c.Right, found: c.Found, resolved: c.TRight, notFound: c.TFound}
	for _, name := range c.Inputs {
		in := confidenceInput(featureIndex(name))
		switch name {
		case "bias":
			in = inputBias
		case "p1":
			in = inputShare
		case "margin":
			in = inputMargin
		default:
			if in < 0 {
				return fmt.Errorf("confidence reads %q, which is not a feature", name)
			}
		}
		t.confidence.inputs = append(t.confidence.inputs, in)
	}
	return nil
}

func setOf(words []string) set {
	s := make(set, len(words))
	for _, w := range words {
		s[w] = true
	}
	return s
}
