package discovery

import (
	"encoding/json"
	"slices"

	"github.com/usetools/usetools/registry/text"
)

// The tools of a big API share most of their words. The gist of a tool is in its summary, whose
// verb and object come before the first preposition; in its name, where other words may stand
// between them (activity_star-repo-for-authenticated-user); and in the values of its parameters:
// "list open issues" is a list of issues with a state of open, closed or all.

// gist is the gist of a tool's summary, name and parameters, as stems.
type gist struct {
	words   []int32 // of the name, with a gap at each preposition; verb and object of the summary
	terms   []int32 // of the name; of the description's head
	options []int32 // the values that parameters enumerate, sorted
	things  things
}

// things are the nouns that a verb acts on: named are things, and parts are nouns that belong to
// the next noun, as "branch" in "branch protection".
type things struct{ named, parts []int32 }

// gap separates two words that no phrase has side by side.
const gap = -2

// gistOf returns the gist of a tool; name has the words of its name, head the verb and object of
// its summary.
func (ix *Index) gistOf(tool int32, name, head []string) gist {
	t, x := ix.t, &ix.reg.Tools[tool]
	var g gist
	for _, w := range name {
		switch {
		case t.preposition[w]:
			g.words = append(g.words, gap)
		case !t.stop[w]:
			g.words = append(g.words, ix.bm25.lookup(t.stem(w)))
		}
	}
	g.words = ix.appendStems(append(g.words, gap), t.stems(head))
	text := text.First(ix.own[tool], t.bm25.HeadChars)
	g.terms = ix.appendStems(append(ix.appendStems(nil, t.terms(x.Name)), gap), t.terms(text))
	var schema struct {
		Properties map[string]struct{ Enum []any }
	}
	_ = json.Unmarshal(x.Input, &schema) // a schema can be any JSON
	for _, p := range schema.Properties {
		for _, v := range p.Enum {
			s, _ := v.(string)
			g.options = ix.appendStems(g.options, t.terms(s))
		}
	}
	slices.Sort(g.options)
	return g
}

func (ix *Index) appendStems(dst []int32, stems []string) []int32 {
	for _, s := range stems {
		dst = append(dst, ix.bm25.lookup(s))
	}
	return dst
}

// sideBySide returns the share of the phrase's pairs of words that are adjacent in some stems.
func (q *query) sideBySide(stems []int32) float64 {
	found := 0
	for _, p := range q.pairs {
		for i := 1; i < len(stems) && p[0] >= 0 && p[1] >= 0; i++ {
			if stems[i-1] == p[0] && stems[i] == p[1] {
				found++
				break
			}
		}
	}
	return float64(found) / float64(max(1, len(q.pairs)))
}

// deedMatch compares the phrase's verb with a tool if the verb is in no class; see the feature
// deed.
func (q *query) deedMatch(tool int32) float64 {
	a := q.ix.reg.Tools[tool].Annotations
	switch {
	case q.deed == "":
		return 0
	case slices.Contains(q.ix.direction(tool).verbs, q.ix.t.stem(q.deed)):
		return 1
	case a.ReadsOnly(), a != nil && a.Destructive != nil && *a.Destructive:
		return -1
	}
	return 0
}

func (ix *Index) things(p *parsed) (t things) {
	for _, n := range p.nouns {
		switch s := ix.bm25.lookup(ix.t.stem(n.text)); {
		case n.role != roleObject:
			return t
		case n.part:
			t.parts = append(t.parts, s)
		case s >= 0:
			t.named = append(t.named, s)
		}
	}
	return t
}

// deletesOther reports whether phrase and tool both delete, but the tool deletes something that
// belongs to the thing that the phrase names, as a branch's protection. It is false unless the
// server has tools for that thing.
func (q *query) deletesOther(tool int32) bool {
	ix, d := q.ix, q.ix.direction(tool)
	deletes := setOfClasses(ix.t.verbs[ix.t.stem("delete")])
	if q.verb&deletes == 0 || ix.nameVerb[tool]&deletes == 0 || slices.Contains(q.aim.things.named, ix.lastNoun(tool)) {
		return false
	}
	named := func(stem int32) bool {
		return slices.ContainsFunc(q.words, func(w queryWord) bool { return w.id == stem })
	}
	if slices.ContainsFunc(d.things.named, named) || len(d.things.named) == 0 {
		return false
	}
	return slices.ContainsFunc(q.aim.things.named, func(thing int32) bool {
		return slices.Contains(d.things.parts, thing) && slices.ContainsFunc(ix.all, func(other int32) bool {
			return ix.reg.Tools[other].Server == ix.reg.Tools[tool].Server && ix.lastNoun(other) == thing
		})
	})
}
