package discovery

import (
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// Difference is one of several tools that a phrase may mean, with the words and parameters that
// only this tool has.
type Difference struct {
	ID      string `json:"id"`
	Summary string `json:"summary,omitempty"` // see Index.Short
	// Words are the words of its name and of its description's head that no other of the tools
	// has, those of the name first. Params are the parameters that no other has. Both have at
	// most 5 elements.
	Words  []string `json:"words,omitempty"`
	Params []string `json:"params,omitempty"`
}

// Distinction returns in one line what distinguishes the tool ("log, history; parameters:
// max_count"), or "" if nothing does.
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

// Limits of the number of candidates that an answer without a tool offers.
const (
	offeredMost  = 5
	offeredLeast = 3
	// offeredShare is the share of the first candidate's score that a candidate after the first
	// offeredLeast must have to be offered.
	offeredShare = .05
)

// Offer returns the candidates to show if r has no tool, at most 5, with what distinguishes them
// from each other.
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

// maxDiffering is the limit of the words, and of the parameters, of a Difference.
const maxDiffering = 5

// Distinguish returns, in the order of ids, what each of the tools has that the others lack. It
// omits unknown IDs.
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

// tellingWords returns the distinct words of a text that are not stop words.
func (ix *Index) tellingWords(text string) []string {
	return slices.DeleteFunc(distinct(ix.model.Words(text)), func(w string) bool { return ix.t.stop[w] || isShort(w) })
}

// onlyIn returns the words of list i whose key no other list has.
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
