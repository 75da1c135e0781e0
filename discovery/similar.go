package discovery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
)

// Similar returns at most k other tools with full texts (name and head of the description)
// nearest to that of the tool with the given ID, the nearest first. Scores are cosines, at least
// 0.
func (ix *Index) Similar(id string, k int) ([]Candidate, error) {
	at := ix.place(id)
	if at < 0 {
		return nil, fmt.Errorf("finding similar tools: unknown tool %q", id)
	}
	out := []Candidate{}
	if k <= 0 {
		return out, nil
	}
	found := ix.nearest(at, k)
	if ix.external != nil {
		var err error
		if found, err = ix.external.nearest(at, k); err != nil {
			return nil, fmt.Errorf("finding similar tools: %w", err)
		}
	}
	for _, n := range found {
		out = append(out, Candidate{ix.id(n.tool), round(max(0, float64(n.cosine)))})
	}
	return out, nil
}

// neighbour is a tool and the cosine of its full text with another's.
type neighbour struct {
	tool   int32
	cosine float32
}

// roughness bounds the rounding error of vectorLeg.full.
const roughness = 1e-3

// nearest returns the k tools that are nearest to another by the embedded model. A text without a
// known word is near nothing. It computes only the vectors of tools that may be among them.
func (ix *Index) nearest(tool int32, k int) []neighbour {
	v := make([]float32, ix.model.Dimensions())
	ix.vectors.vector(v, tool)
	if isZero(v) {
		return nil
	}
	var d dots
	d.reset(&ix.vectors, v)
	var found []neighbour
	for _, other := range ix.all {
		if other != tool && ix.vectors.inverse[ix.vectors.firstText[other]+1] > 0 {
			found = append(found, neighbour{other, ix.vectors.full(&d, other)})
		}
	}
	byCosine := func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.tool, b.tool))
	}
	slices.SortFunc(found, byCosine)
	end := min(k, len(found))
	for end < len(found) && found[end].cosine > found[k-1].cosine-2*roughness {
		end++
	}
	found = found[:end]
	u := make([]float32, len(v))
	for i := range found {
		ix.vectors.vector(u, found[i].tool)
		found[i].cosine = dot(v, u)
	}
	slices.SortFunc(found, byCosine)
	return found[:min(k, len(found))]
}

// nearest returns the k tools that are nearest to another by the external embedder.
func (o *externalLeg) nearest(tool int32, k int) ([]neighbour, error) {
	doc, err := o.near.GetByID(context.Background(), strconv.Itoa(int(tool)))
	if err != nil { // the zero vector is near nothing
		return nil, nil
	}
	results, err := o.near.QueryEmbedding(context.Background(), doc.Embedding, min(k+1, o.near.Count()), nil, nil)
	if err != nil {
		return nil, err
	}
	var found []neighbour
	for _, r := range results {
		other, err := strconv.ParseInt(r.ID, 10, 32)
		if err != nil {
			return nil, err
		}
		if int32(other) != tool && len(found) < k {
			found = append(found, neighbour{int32(other), r.Similarity})
		}
	}
	return found, nil
}
