package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlSyntax is a Codex config: its servers are the tables mcp_servers.NAME.
type tomlSyntax struct{}

// tomlKey is the table of the servers.
const tomlKey = "mcp_servers"

// expression is one header, or one key with its value.
type expression struct {
	path       []string // from the top
	header     bool
	start, end int // whole lines; comments and blank lines behind it are not part of it
}

// server is the name of the server that the expression is of; "" is none.
func (x *expression) server() string {
	if len(x.path) > 1 && x.path[0] == tomlKey {
		return x.path[1]
	}
	return ""
}

func expressions(text []byte) ([]expression, error) {
	var v map[string]any
	if err := toml.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("no TOML: %w", err)
	}
	var p unstable.Parser
	p.Reset(text)
	var out []expression
	var table []string
	for p.NextExpression() {
		n := p.Expression()
		var path []string
		start := -1
		for keys := n.Key(); keys.Next(); {
			k := keys.Node()
			if start < 0 {
				start = lineStart(text, int(k.Raw.Offset))
			}
			path = append(path, string(k.Data))
		}
		x := expression{start: start, header: n.Kind != unstable.KeyValue}
		if x.header {
			table, x.path = path, path
		} else {
			x.path = slices.Concat(table, path)
		}
		out = append(out, x)
	}
	if err := p.Error(); err != nil {
		return nil, err
	}
	for i := range out {
		end := len(text)
		if i+1 < len(out) {
			end = out[i+1].start
		}
		out[i].end = trimmed(text, out[i].start, end)
	}
	return out, nil
}

// trimmed is the end of the lines from start to end that are no comments and
// not blank.
func trimmed(text []byte, start, end int) int {
	for end > start {
		from := lineStart(text, end-1)
		if line := bytes.TrimSpace(text[from:end]); len(line) > 0 && line[0] != '#' || from <= start {
			break
		}
		end = from
	}
	return end
}

// span is a run of lines of one server.
type span struct {
	server     string
	start, end int
	headed     bool // it begins with the server's own header
}

func spans(text []byte) ([]span, error) {
	all, err := expressions(text)
	if err != nil {
		return nil, err
	}
	var out []span
	for i, x := range all {
		name := x.server()
		switch {
		case name == "":
		case i > 0 && all[i-1].server() == name:
			out[len(out)-1].end = x.end
		default:
			out = append(out, span{name, x.start, x.end, x.header})
		}
	}
	return out, nil
}

// Entries implements Syntax.
func (tomlSyntax) Entries(text []byte) ([]Entry, error) {
	text = bytes.TrimPrefix(text, bom)
	list, err := spans(text)
	if err != nil {
		return nil, err
	}
	var all struct {
		Servers map[string]any `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	var out []Entry
	for _, s := range list {
		if i := find(out, s.server); i >= 0 {
			out[i].Source += string(text[s.start:s.end])
			continue
		}
		value, err := json.Marshal(all.Servers[s.server])
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", s.server, err)
		}
		e := Entry{Name: s.server, Value: value}
		if s.headed {
			e.Source = string(text[s.start:s.end])
		}
		out = append(out, e)
	}
	return out, nil
}

// Put implements Syntax.
func (t tomlSyntax) Put(text []byte, e Entry, before string) ([]byte, error) {
	list, err := spans(text)
	if err != nil {
		return nil, err
	}
	nl := newline(text)
	block := e.Source
	if block == "" {
		if block, err = tables(e); err != nil {
			return nil, err
		}
	}
	block = strings.ReplaceAll(strings.ReplaceAll(block, "\r\n", "\n"), "\n", nl)
	for _, s := range list {
		if s.server == e.Name && s.headed { // its other lines go
			rest, err := t.Remove(text[s.end:], e.Name)
			if err != nil {
				return nil, err
			}
			return slices.Concat(text[:s.start], []byte(block), rest), nil
		}
	}
	if text, err = t.Remove(text, e.Name); err != nil {
		return nil, err
	}
	if list, err = spans(text); err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.server == before && s.headed {
			return splice(text, s.start, s.start, block+nl), nil
		}
	}
	end := len(text)
	if n := len(list); n > 0 && list[n-1].headed {
		end = list[n-1].end
	}
	gap := ""
	if end > 0 {
		gap = nl
		if text[end-1] != '\n' {
			gap += nl
		}
	}
	return splice(text, end, end, gap+block), nil
}

// tables writes an entry as a table.
func tables(e Entry) (string, error) {
	d := json.NewDecoder(bytes.NewReader(e.Value))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	b, err := toml.Marshal(map[string]any{tomlKey: map[string]any{e.Name: plain(v)}})
	if err != nil {
		return "", err
	}
	_, block, _ := strings.Cut(string(b), "["+tomlKey+"]\n") // the header of the outer table
	return block, nil
}

// plain makes integers of the numbers that are some; null has no form in TOML.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			if v[k] == nil {
				delete(v, k)
			} else {
				v[k] = plain(v[k])
			}
		}
	}
	return v
}

// Remove implements Syntax.
func (tomlSyntax) Remove(text []byte, names ...string) ([]byte, error) {
	list, err := spans(text)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(list) {
		if !slices.Contains(names, s.server) {
			continue
		}
		end := s.end
		if n := blankLine(text[end:]); n > 0 && (s.start == 0 || blankBefore(text, s.start)) { // one gap is enough
			end += n
		} else if end == len(text) {
			for s.start > 0 && blankBefore(text, s.start) {
				s.start = lineStart(text, s.start-1)
			}
		}
		text = splice(text, s.start, end, "")
	}
	return text, nil
}

// blankLine is the length of the blank line that a text begins with; 0: none.
func blankLine(text []byte) int {
	if n := bytes.IndexByte(text, '\n') + 1; len(bytes.TrimSpace(text[:n])) == 0 {
		return n
	}
	return 0
}

func blankBefore(text []byte, at int) bool {
	return at > 0 && len(bytes.TrimSpace(text[lineStart(text, at-1):at])) == 0
}

// Enable implements Syntax.
func (tomlSyntax) Enable(text []byte, name string, on bool) ([]byte, error) {
	all, err := expressions(text)
	if err != nil {
		return nil, err
	}
	header := -1
	inline := false
	for i := len(all) - 1; i >= 0; i-- {
		x := all[i]
		if x.server() != name {
			continue
		}
		switch {
		case len(x.path) == 3 && !x.header && (x.path[2] == "enabled" || x.path[2] == "disabled"):
			text = splice(text, x.start, x.end, "")
		case len(x.path) == 2 && x.header:
			header = x.end
		default:
			inline = inline || len(x.path) == 2
		}
	}
	switch {
	case header < 0 && inline:
		return nil, errors.New("the server is written inline; write it as a table [mcp_servers.NAME]")
	case header < 0:
		return nil, notThere(name)
	case on:
		return text, nil
	}
	return splice(text, header, header, "enabled = false"+newline(text)), nil
}
