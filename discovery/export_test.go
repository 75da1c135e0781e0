package discovery

import (
	"slices"
	"strings"
	"testing"
)

// What tests of package discovery_test use of the package's inside.

const (
	AloneConfidence  = aloneConfidence
	MaxProperties    = maxProperties
	MaxPropertyTexts = maxPropertyTexts
)

var (
	AddNear        = addNear
	CategoriesOf   = categoriesOf
	Categorize     = categorize
	Compact        = compact
	Distinct       = distinct
	ErrNoText      = errNoText
	ExamplesIn     = examplesIn
	OpenCollection = openCollection
	OwnTexts       = ownTexts
	Properties     = properties
	PropertyNames  = propertyNames
	Summary        = summary
)

func Terms(text string) []string { return loadTables().terms(text) }

func (ix *Index) Reword(phrase string) string { return ix.reword(phrase) }

func (ix *Index) MayDestroy(tool int32) bool { return ix.mayDestroy(tool) }

func (ix *Index) Destroys(id string) bool { return ix.destroys(ix.place(id)) }

func (ix *Index) Entry(tool int32, d Detail) Entry { return ix.entry(tool, d) }

// Scale returns the line that maps the cosines of the external embedder.
func (ix *Index) Scale() (slope, offset float32) { return ix.external.slope, ix.external.offset }

// InFiveWords returns what an agent in a hurry would write for a phrase.
func InFiveWords(phrase string) string {
	t := loadTables()
	var words []string
	for w := range lowerWords(strings.ReplaceAll(t.normalise(phrase), "|", " ")) {
		if len(words) < 5 && !t.polite[w] && !t.stop[w] {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// IsSureWithout reports whether the first candidate for a phrase has the confidence
// of a resolved one if some tools are not looked at.
func (ix *Index) IsSureWithout(t testing.TB, phrase string, ids []string) bool {
	q := ix.ask(t.Context(), phrase)
	defer q.done()
	others := slices.DeleteFunc(slices.Clone(ix.all), func(i int32) bool { return slices.Contains(ids, ix.id(i)) })
	right, _ := ix.t.confidence.judge(q.rank(others))
	return right >= ix.threshold
}
