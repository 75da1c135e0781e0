package bind

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/usetools/usetools/discovery"
)

// maxAsked limits the names in one Describe request.
const maxAsked = 200

// Discover answers a request of the package discovery with an MCP result.
func (b *Bound) Discover(args json.RawMessage) (json.RawMessage, error) {
	var q struct {
		Ask   string          `json:"ask"`
		Query json.RawMessage `json:"query"`
	}
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, errors.New("the query is not JSON")
	}
	answer, err := b.answer(q.Ask, q.Query)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"content": []any{}, "structuredContent": answer})
}

func (b *Bound) answer(ask string, raw json.RawMessage) (any, error) {
	switch ask {
	case "search":
		var q struct {
			Text, Match, Server, Category, Prefix, Detail string
			Limit, Offset                                 int
		}
		if err := json.Unmarshal(raw, &q); err != nil {
			return nil, errors.New("the query is not valid")
		}
		return b.Catalog.Find(discovery.Query{Text: q.Text, Match: discovery.Match(q.Match), Server: q.Server,
			Category: q.Category, Prefix: q.Prefix, Limit: q.Limit, Offset: q.Offset, Detail: discovery.Detail(q.Detail),
			Keep: b.shows})
	case "describe":
		var q struct {
			Names  []string
			Detail string
		}
		if err := json.Unmarshal(raw, &q); err != nil || len(q.Names) > maxAsked {
			return nil, fmt.Errorf("want up to %d names of tools", maxAsked)
		}
		return b.describe(q.Names, discovery.Detail(q.Detail))
	case "categories":
		return b.Index.Categories(discovery.Query{Keep: b.shows}), nil
	case "tree":
		branches, err := b.Catalog.Tree(false, discovery.NameDescription)
		for i := range branches {
			branches[i].Tools = b.visible(branches[i].Tools)
		}
		return branches, err
	case "names":
		return b.Index.Names(discovery.Query{Keep: b.shows}), nil
	case "stats":
		return b.Index.Stats(discovery.Query{Keep: b.shows}), nil
	}
	return nil, fmt.Errorf("discovery has no request %.40q", ask)
}

// describe returns the catalog's Describe without the tools that policy denies. If a name means
// only denied tools, the answer contains the denial.
func (b *Bound) describe(names []string, d discovery.Detail) (discovery.Description, error) {
	answer := discovery.Description{Tools: []discovery.Entry{}, NotFound: []string{}}
	for _, name := range names {
		found, err := b.Catalog.Describe([]string{name}, d)
		if err != nil {
			return answer, err
		}
		left := b.visible(found.Tools)
		if len(left) == 0 {
			for _, e := range found.Tools {
				if t, ok := b.View.Tool(e.ID); ok {
					found.NotFound = append(found.NotFound, fmt.Sprintf("%s is unavailable: %s", e.ID, b.Decide(t).Rule))
				}
			}
		}
		answer.NotFound = append(answer.NotFound, found.NotFound...)
		for _, e := range left {
			if !slices.ContainsFunc(answer.Tools, func(x discovery.Entry) bool { return x.ID == e.ID }) {
				answer.Tools = append(answer.Tools, e)
			}
		}
	}
	return answer, nil
}
