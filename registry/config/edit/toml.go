package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlSyntax is the syntax of a Codex config with the servers in tables mcp_servers.NAME. Edits
// add and remove whole stanzas, and are checked: an edit that would change anything else, as it
// may if servers are written inline, is an error.
type tomlSyntax struct{}

// tomlKey is the name of the table of servers.
const tomlKey = "mcp_servers"

// stanza is a run of lines that starts with the header of a server's table. It excludes comments
// and blank lines after it.
type stanza struct {
	server     string
	start, end int
}

func stanzas(text []byte) []stanza {
	var out []stanza
	inside := false
	at := 0
	for line := range bytes.Lines(text) {
		start := at
		at += len(line)
		content := bytes.TrimSpace(line)
		path := headerPath(content)
		switch {
		case len(path) > 1 && path[0] == tomlKey:
			if !inside || out[len(out)-1].server != path[1] {
				out = append(out, stanza{server: path[1], start: start})
			}
			inside = true
		case path != nil:
			inside = false
		}
		if inside && len(content) > 0 && content[0] != '#' {
			out[len(out)-1].end = at
		}
	}
	return out
}

// headerPath returns the keys in the header of a table, or nil if the line is not a header.
func headerPath(line []byte) (path []string) {
	var v map[string]any
	if len(line) == 0 || line[0] != '[' || toml.Unmarshal(line, &v) != nil {
		return nil
	}
	for len(v) > 0 {
		for k, below := range v { // one
			path = append(path, k)
			v, _ = below.(map[string]any)
		}
	}
	return path
}

// decode returns the content of a file and its servers.
func decode(text []byte) (top, servers map[string]any, err error) {
	if err := toml.Unmarshal(bytes.TrimPrefix(text, bom), &top); err != nil {
		return nil, nil, fmt.Errorf("not TOML: %w", err)
	}
	servers, ok := top[tomlKey].(map[string]any)
	if !ok && top[tomlKey] != nil {
		return nil, nil, fmt.Errorf("%s is not a table", tomlKey)
	}
	return top, servers, nil
}

// checked returns now. It returns an error if now differs from was in anything other than the
// named servers. If there is true, now must have all of them, otherwise none.
func checked(was, now []byte, there bool, names ...string) ([]byte, error) {
	var rest [2]map[string]any
	for i, text := range [][]byte{was, now} {
		top, servers, err := decode(text)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if _, has := servers[name]; i == 1 && has != there {
				return nil, errInline
			}
			delete(servers, name)
		}
		if len(servers) == 0 {
			delete(top, tomlKey)
		}
		rest[i] = top
	}
	if !reflect.DeepEqual(rest[0], rest[1]) {
		return nil, errInline
	}
	return now, nil
}

var errInline = errors.New("the servers cannot be edited by lines; write each as a table [mcp_servers.NAME]")

// Entries implements Syntax.
func (tomlSyntax) Entries(text []byte) ([]Entry, error) {
	_, servers, err := decode(text)
	if err != nil {
		return nil, err
	}
	var out []Entry
	add := func(name, source string) error {
		value, err := json.Marshal(servers[name])
		if err != nil {
			return fmt.Errorf("server %q: %w", name, err)
		}
		out = append(out, Entry{Name: name, Value: value, Source: source})
		return nil
	}
	for _, s := range stanzas(text) {
		if i := find(out, s.server); i >= 0 {
			out[i].Source += string(text[s.start:s.end])
		} else if err := add(s.server, string(text[s.start:s.end])); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) { // written inline
		if find(out, name) < 0 {
			if err := add(name, ""); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Put implements Syntax.
func (t tomlSyntax) Put(text []byte, e Entry, before string) ([]byte, error) {
	nl := newline(text)
	block := e.Source
	if block == "" {
		var err error
		if block, err = tables(e); err != nil {
			return nil, err
		}
	}
	block = strings.ReplaceAll(strings.ReplaceAll(block, "\r\n", "\n"), "\n", nl)
	out, err := t.Remove(text, e.Name)
	if err != nil {
		return nil, err
	}
	list := stanzas(out)
	if i := slices.IndexFunc(list, func(s stanza) bool { return s.server == before }); i >= 0 {
		return checked(text, splice(out, list[i].start, list[i].start, block+nl), true, e.Name)
	}
	end := len(out)
	if len(list) > 0 {
		end = list[len(list)-1].end
	}
	if end > 0 && out[end-1] != '\n' {
		block = nl + block
	}
	if end > 0 {
		block = nl + block
	}
	return checked(text, splice(out, end, end, block), true, e.Name)
}

// tables writes an entry as a TOML table.
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

// plain converts numbers without a fraction to integers, and removes null, which TOML lacks.
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
	out := text
	for _, s := range slices.Backward(stanzas(text)) {
		if !slices.Contains(names, s.server) {
			continue
		}
		if n := blankLine(out[s.end:]); n > 0 && (s.start == 0 || blankBefore(out, s.start)) { // one gap is enough
			s.end += n
		} else if s.end == len(out) {
			for s.start > 0 && blankBefore(out, s.start) {
				s.start = lineStart(out, s.start-1)
			}
		}
		out = splice(out, s.start, s.end, "")
	}
	return checked(text, out, false, names...)
}

// blankLine returns the length of the blank line at the beginning of a text, or 0.
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
	list := stanzas(text)
	i := slices.IndexFunc(list, func(s stanza) bool { return s.server == name })
	if i < 0 {
		if _, servers, err := decode(text); err == nil && servers[name] != nil {
			return nil, errInline
		}
		return nil, notThere(name)
	}
	var stanza []byte
	table := 0 // tables of the stanza so far
	for line := range bytes.Lines(text[list[i].start:list[i].end]) {
		path := headerPath(bytes.TrimSpace(line))
		if path != nil {
			table++
		}
		if table == 1 && len(path) > 2 {
			return nil, errInline // its main table is not the first
		}
		key, _, _ := strings.Cut(string(line), "=")
		if key = strings.TrimSpace(key); table == 1 && (key == "enabled" || key == "disabled") {
			continue
		}
		stanza = append(stanza, line...)
		if table == 1 && path != nil && !on {
			stanza = append(stanza, "enabled = false"+newline(text)...)
		}
	}
	return checked(text, splice(text, list[i].start, list[i].end, string(stanza)), true, name)
}
