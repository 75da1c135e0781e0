package bind

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/wrappers"
)

// maxAsked limits the names in one Describe request.
const maxAsked = 200

// askSkill is the request for the text of a skill.
const askSkill = "skill"

// IsSkill reports whether arguments for Discover ask for the text of a skill, which is untrusted.
func IsSkill(args json.RawMessage) bool {
	var q struct{ Ask string }
	return json.Unmarshal(args, &q) == nil && q.Ask == askSkill
}

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
	result := map[string]any{"content": []any{}, "structuredContent": answer}
	if q.Ask == askSkill { // package flow reads this hint
		result["annotations"] = map[string]any{"openWorldHint": true}
	}
	return json.Marshal(result)
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
	case askSkill:
		var q struct{ Name string }
		if err := json.Unmarshal(raw, &q); err != nil {
			return nil, errors.New("want the name of a skill, server/name")
		}
		text, err := b.skillText(q.Name)
		return map[string]any{"text": text}, err
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

// skillText returns the text of a skill, unless policy denies all tools of its server.
func (b *Bound) skillText(id string) (string, error) {
	if s, _, ok := b.Catalog.Registry.Skill(id); ok && !b.showsServer(s.Name) {
		return "", fmt.Errorf("the skill %.200q is unavailable: policy denies all tools of its server", id)
	}
	return b.Catalog.SkillText(id)
}

// showsServer reports whether policy allows a tool of a server, or the server has none.
func (b *Bound) showsServer(name string) bool {
	s, ok := b.View.Server(name)
	return !ok || len(s.Tools) == 0 || slices.ContainsFunc(s.Tools, func(t *wrappers.Tool) bool { return b.shows(t.Tool) })
}

// addSkills adds the skills that match the phrases of a lookup to its answer.
func (b *Bound) addSkills() {
	for i := range b.Uses {
		for _, k := range b.Catalog.Skills(b.Uses[i].Phrase) {
			if b.showsServer(k.Server) {
				b.Uses[i].Others = append(b.Uses[i].Others,
					fmt.Sprintf("also a skill, discovery.Skill(%q); its server says: %s", k.ID, k.About))
			}
		}
	}
}
