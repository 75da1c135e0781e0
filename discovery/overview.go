package discovery

import (
	"encoding/json"
	"slices"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// This file summarises a registry: by server, by category, in numbers.

// Branch is a server, or a category, with its tools.
type Branch struct {
	Name      string  `json:"name"`
	Title     string  `json:"title,omitempty"`     // of a server, or what a category is for
	Transport string  `json:"transport,omitempty"` // of a server
	Error     *string `json:"error,omitempty"`     // why a server could not be asked
	Tools     []Entry `json:"tools"`
}

// Tree returns all tools, grouped by server. The servers are sorted by name.
func (ix *Index) Tree(d Detail) ([]Branch, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	out := []Branch{}
	at := map[string]int{}
	for _, s := range ix.reg.Servers {
		at[s.Name] = len(out)
		out = append(out, Branch{Name: s.Name, Title: s.Title, Transport: s.Transport, Error: s.Error, Tools: []Entry{}})
	}
	for i := range ix.reg.Tools {
		if b, ok := at[ix.reg.Tools[i].Server]; ok {
			out[b].Tools = append(out[b].Tools, ix.entry(int32(i), d))
		}
	}
	return out, nil
}

// TreeByCategory returns all tools, grouped by category, in the order of Categories.
func (ix *Index) TreeByCategory(d Detail) ([]Branch, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	out := []Branch{}
	at := map[string]int{}
	for _, c := range ix.Categories(Query{}) {
		at[c.Name] = len(out)
		out = append(out, Branch{Name: c.Name, Title: c.About, Tools: []Entry{}})
	}
	for i := range ix.reg.Tools {
		b := at[ix.category(int32(i))]
		out[b].Tools = append(out[b].Tools, ix.entry(int32(i), d))
	}
	return out, nil
}

// Names returns the sorted IDs of all tools that pass the query's filters (all fields except
// Text).
func (ix *Index) Names(query Query) []string {
	out := []string{}
	for _, m := range listed(ix.all, ix.filter(&query)) {
		out = append(out, ix.id(m.tool))
	}
	return out
}

// Numbers counts the tools of a server, or of all servers.
type Numbers struct {
	Tools int `json:"tools"`
	// SchemaTokens estimates the tokens of all these tools as elements of a
	// tools/list result: name, title, description, schemas, annotations.
	SchemaTokens  int `json:"schemaTokens"`
	WithOutput    int `json:"withOutputSchema"`
	WithoutOutput int `json:"withoutOutputSchema"`
	Annotated     int `json:"annotated"`
	ReadOnly      int `json:"readOnly"`    // by their annotations
	Destructive   int `json:"destructive"` // by their annotations
	Stale         int `json:"stale"`
	Unusable      int `json:"unusable"` // the definition changed and was not accepted, or a program is missing
}

// ServerStats are the numbers of one server.
type ServerStats struct {
	Name string `json:"name"`
	Numbers
}

// Stats counts the tools of a registry.
type Stats struct {
	Servers []ServerStats `json:"servers"` // sorted by name
	Total   Numbers       `json:"total"`
}

// Stats counts, by server, the tools that pass the query's filters (all fields except Text).
func (ix *Index) Stats(query Query) Stats {
	out := Stats{Servers: []ServerStats{}}
	for _, s := range ix.reg.Servers {
		out.Servers = append(out.Servers, ServerStats{Name: s.Name})
	}
	for _, m := range listed(ix.all, ix.filter(&query)) {
		t := &ix.reg.Tools[m.tool]
		at := slices.IndexFunc(out.Servers, func(s ServerStats) bool { return s.Name == t.Server })
		if at >= 0 {
			out.Servers[at].add(t)
		}
		out.Total.add(t)
	}
	return out
}

func (n *Numbers) add(t *registry.Tool) {
	n.Tools++
	n.SchemaTokens += schemaTokens(t)
	if len(t.Output) > 0 {
		n.WithOutput++
	} else {
		n.WithoutOutput++
	}
	if a := t.Annotations; a != nil {
		n.Annotated++
		if a.ReadsOnly() {
			n.ReadOnly++
		} else if a.Destructive != nil && *a.Destructive {
			n.Destructive++
		}
	}
	if t.Stale {
		n.Stale++
	}
	if t.Error != "" {
		n.Unusable++
	}
}

// schemaTokens estimates the tokens that a tool costs in a model's context, as an element of a
// tools/list result.
func schemaTokens(t *registry.Tool) int {
	b, err := json.Marshal(struct {
		Name        string                `json:"name"`
		Title       string                `json:"title,omitempty"`
		Description string                `json:"description,omitempty"`
		Input       json.RawMessage       `json:"inputSchema,omitempty"`
		Output      json.RawMessage       `json:"outputSchema,omitempty"`
		Annotations *registry.Annotations `json:"annotations,omitempty"`
	}{t.Name, t.Title, t.Description, t.Input, t.Output, t.Annotations})
	if err != nil { // a schema that is not JSON
		return text.Tokens(t.Name + t.Description + string(t.Input) + string(t.Output))
	}
	return text.Tokens(string(b))
}
