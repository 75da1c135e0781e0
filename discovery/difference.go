package discovery

import (
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// Difference is one of several tools that a phrase may mean, with the words and
// parameters that only it has.
type Difference struct {
	ID      string `json:"id"`
	Summary string `json:"summary,omitempty"` // see Index.Short
	// Words are the words of its name and of its description's head that none
	// of the other tools has, those of the name first, 5 at most. Params are
	// its parameters that none of the others has, 5 at most.
	Words  []string `json:"words,omitempty"`
	Params []string `json:"params,omitempty"`
}

// Distinction returns in one line what distinguishes the tool, empty when nothing
// does: "log, history; parameters: max_count".
func (d Difference) Distinction() string {
	telling := strings.Join(d.Words, ", ")
	if len(d.Params) == 0 {
		return telling
	}
	if telling != "" {
		telling += "; "
	}
	return telling + "parameters: " + strings.Join(d.Params, ", ")
}

// How many candidates an answer without a tool offers, as far as there are any.
const (
	offeredMost  = 5
	offeredLeast = 3
	// offeredShare is the share of the first candidate's score below which a
	// further one is not worth offering.
	offeredShare = .05
)

// Offer returns the candidates to show where r has no tool, 5 at most, with
// what distinguishes them from each other.
func (ix *Index) Offer(r *Resolution) []Difference {
	var ids []string
	for i, c := range r.Candidates {
		if i == offeredMost || i >= offeredLeast && c.Score < offeredShare*r.Candidates[0].Score {
			break
		}
		ids = append(ids, c.ID)
	}
	return ix.Distinguish(ids)
}

// maxDiffering bounds the words, and the parameters, of a Difference.
const maxDiffering = 5

// Distinguish returns for each of the tools what only it has among them, in the
// order of ids. Unknown IDs are left out.
func (ix *Index) Distinguish(ids []string) []Difference {
	var out []Difference
	var words, params [][]string
	for _, id := range ids {
		i := ix.place(id)
		if i < 0 {
			continue
		}
		t := &ix.reg.Tools[i]
		head := text.First(ix.own[i], ix.t.bm25.HeadChars)
		out = append(out, Difference{ID: id, Summary: ix.short(i)})
		words = append(words, ix.tellingWords(t.Name+" "+head))
		params = append(params, propertyNames(t.Input))
	}
	for i := range out {
		out[i].Words = onlyIn(words, i, ix.t.stem)
		out[i].Params = onlyIn(params, i, strings.ToLower)
	}
	return out
}

// tellingWords returns the distinct words of a text that are no stop words.
func (ix *Index) tellingWords(text string) []string {
	return slices.DeleteFunc(distinct(ix.model.Words(text)), func(w string) bool { return ix.t.stop[w] || isShort(w) })
}

// onlyIn returns the words of list i whose key is in none of the other lists.
func onlyIn(lists [][]string, i int, key func(string) string) []string {
	others := set{}
	for k, list := range lists {
		if k == i {
			continue
		}
		for _, w := range list {
			others[key(w)] = true
		}
	}
	var only []string
	for _, w := range lists[i] {
		if len(only) < maxDiffering && !others[key(w)] {
			only = append(only, w)
		}
	}
	return only
}
