package discovery

import (
	"context"
	"fmt"
	"strconv"
)

// Similar returns the tools whose full texts (name and head of the
// description) are nearest to that of the tool with the given ID, the nearest
// first, at most k, itself not among them. Scores are cosines, not below 0.
func (ix *Index) Similar(id string, k int) ([]Candidate, error) {
	out := []Candidate{}
	at := -1
	for i := range ix.reg.Tools {
		if ix.reg.Tools[i].ID == id {
			at = i
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("finding similar tools: there is no tool %q", id)
	}
	near := ix.vectors.near
	doc, err := near.GetByID(context.Background(), strconv.Itoa(at))
	if err != nil || k <= 0 { // a text without a known word is near nothing
		return out, nil
	}
	found, err := near.QueryEmbedding(context.Background(), doc.Embedding, min(k+1, near.Count()), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("finding similar tools: %w", err)
	}
	for _, r := range found {
		tool, err := strconv.Atoi(r.ID)
		if err != nil {
			return nil, fmt.Errorf("finding similar tools: %w", err)
		}
		if tool != at && len(out) < k {
			out = append(out, Candidate{ix.id(int32(tool)), round(max(0, float64(r.Similarity)))})
		}
	}
	return out, nil
}
