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

//go:embed tables.json
var tablesJSON []byte

// tables are the words, weights and thresholds of the pipeline: the content of tables.json,
// prepared for use. They were fitted on development data; the code has no others.
type tables struct {
	bm25       bm25Weights
	candidates candidateWeights
	coef       features // the re-ranker's weight of each feature
	confidence confidenceModel

	stop, polite, preposition, opener, serverStop, cue set

	suffixes [][2]string
	alias    map[string]string // stem → the stem that it counts as
	phrases  [][2]string       // " two words " → " one word "

	className  []string
	verbs      map[string][]class // stem of a verb → its possible classes
	openerStem set
	strongStem set
	compatible [][]float64 // class × class, 0 to 1

	folds         map[rune]string   // see scripts.go
	foreignNorm   float32           // the norm of a foreign word
	short         map[string]string // abbreviation → what it is short for
	unusual       map[string]string // word → the word that tools use for it
	grammar       *grammar          // see direction.go
	foreignCosine float64           // the cosine of texts that share all foreign words
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
	// The head of a description is its first HeadChars characters. Its tail is the rest, up to
	// TailChars.
	HeadChars int `json:"head"`
	TailChars int `json:"tail"`
}

type candidateWeights struct {
	Top       int     `json:"topk"`
	BM25      float64 `json:"a_bm"`
	Full      float64 `json:"a_full"`
	Name      float64 `json:"a_name"`
	Sentence  float64 `json:"a_sent"`
	Sentences int     `json:"max_sentences"`
}

// tablesFile is the content of tables.json.
type tablesFile struct {
	BM25       bm25Weights
	Candidates candidateWeights
	Reranker   map[string]float64 // weights of the features
	Confidence struct {
		Weights map[string][2]float64 // of the inputs: right, found
		TRight  float64               `json:"t_right"`
		TFound  float64               `json:"t_found"`
	}
	VerbClasses  orderedWords       `json:"verb_classes"`
	VerbCompat   map[string]float64 `json:"verb_compat"`
	StrongVerbs  []string           `json:"strong_verbs"`
	OpenerOnly   []string           `json:"opener_only"`
	Phrases      [][2]string
	Polite       []string
	Prepositions []string
	ServerStop   []string `json:"server_stop"`
	ServerCues   []string `json:"server_cues"`
	Stopwords    []string
	StemSuffixes [][2]string `json:"stem_suffixes"`
	Aliases      []string
	Direction    directionWords
	Short        map[string]string
	Unusual      map[string]string
	// Foreign are the weights of words in other scripts.
	Foreign struct {
		Norm   float32
		Cosine float64
	}
	Fold map[string]string
}

// orderedWords is a JSON object of word lists in which the order of keys matters.
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

// loadTables parses the embedded file on the first call.
var loadTables = sync.OnceValue(func() *tables {
	t, err := parseTables(tablesJSON)
	if err != nil {
		panic("discovery: tables.json: " + err.Error())
	}
	return t
})

// directionWords are the words for directions in tables.json: lists of words, pairs of lists
// separated by a bar, pairs of prefixes, names of verb classes.
type directionWords struct {
	Opposites      []string
	Prefixes       [][2]string
	Determiners    string
	All            string
	Source, Target string
	Other          string
	Example        []string
	Reads, Makes   string
}

func (t *tables) readGrammar(d *directionWords) {
	words := func(s string) set { return setOf(strings.Fields(s)) }
	g := &grammar{
		opposites: map[string][]uint8{}, prefixes: d.Prefixes, example: d.Example, determiner: words(d.Determiners), all: words(d.All),
		source: words(d.Source), target: words(d.Target), other: words(d.Other),
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
	reads, makes := words(d.Reads), words(d.Makes)
	for i, name := range t.className {
		if reads[name] {
			g.reads |= 1 << i
		}
		if makes[name] {
			g.makes |= 1 << i
		}
	}
	t.grammar = g
}

func parseTables(data []byte) (*tables, error) {
	var f tablesFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	t := &tables{
		bm25: f.BM25, candidates: f.Candidates,
		stop: setOf(f.Stopwords), polite: setOf(f.Polite), preposition: setOf(f.Prepositions),
		opener: setOf(f.OpenerOnly), serverStop: setOf(f.ServerStop), cue: setOf(f.ServerCues),
		suffixes: f.StemSuffixes,
		short:    f.Short, unusual: f.Unusual, foreignNorm: f.Foreign.Norm, foreignCosine: f.Foreign.Cosine,
		folds: map[rune]string{},
	}
	for k, v := range f.Fold {
		r, _ := utf8.DecodeRuneInString(k)
		t.folds[r] = v
	}
	for _, p := range f.Phrases {
		t.phrases = append(t.phrases, [2]string{" " + p[0] + " ", " " + p[1] + " "})
	}
	t.readAliases(f.Aliases)
	if err := t.readVerbs(&f); err != nil {
		return nil, err
	}
	t.readGrammar(&f.Direction)
	return t, t.readWeights(&f)
}

// readAliases makes every word of a group count as the group's first word. It uses unaliased
// stems, so call it before any alias exists.
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

func (t *tables) readVerbs(f *tablesFile) error {
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
		return fmt.Errorf("%d verb classes, the limit is 32", len(byName))
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

func (t *tables) readWeights(f *tablesFile) error {
	for name, weight := range f.Reranker {
		i := featureIndex(name)
		if i < 0 {
			return fmt.Errorf("the re-ranker weighs %q, which is not a feature", name)
		}
		t.coef[i] = weight
	}
	c := &f.Confidence
	t.confidence = confidenceModel{resolved: c.TRight, notFound: c.TFound}
	for _, name := range slices.Sorted(maps.Keys(c.Weights)) {
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
		m := &t.confidence
		m.inputs = append(m.inputs, in)
		m.right, m.found = append(m.right, c.Weights[name][0]), append(m.found, c.Weights[name][1])
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
