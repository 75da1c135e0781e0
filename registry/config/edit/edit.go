// Package edit changes the servers in a config file of an MCP client and keeps every other byte:
// comments, order, white space, unknown keys.
// In goes the text of a file; out come its entries, or its text with some of
// It takes the text of a file, and returns its entries, or the text with added, changed or
// removed entries. It knows two syntaxes: JSON, optionally with comments and trailing commas,
// with the servers in an object under one key; and TOML, with the servers in tables below
// mcp_servers. Removing an entry also removes the comments inside it, but not those outside.
//
// [Back] undoes an edit in a text that was edited again since.
//
// The caller bounds the size of texts. A text that cannot be parsed, or an entry that cannot be
// edited by lines, is an error. This package writes no files.
package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Syntax is the syntax of a file's servers.
type Syntax interface {
	// Entries returns the servers in the order of the file. The result is empty if the file is
	// empty or has no servers yet.
	Entries(text []byte) ([]Entry, error)
	// Put writes an entry: in place of the entry with its name, otherwise before the entry named
	// before, otherwise at the end.
	Put(text []byte, e Entry, before string) ([]byte, error)
	// Remove removes entries. It ignores unknown names.
	Remove(text []byte, names ...string) ([]byte, error)
	// Enable adds or removes the key that disables an entry.
	Enable(text []byte, name string, on bool) ([]byte, error)
}

// Entry is one server of a file.
type Entry struct {
	Name string
	// Value is the definition as plain JSON.
	Value json.RawMessage
	// Source is the definition as the file has it: JSON with comments, or whole lines of TOML. If
	// it is not empty, Put uses it instead of Value.
	Source string
}

// Of returns the syntax of the file at path with its servers under key. In TOML they are always
// below mcp_servers.
func Of(path, key string) Syntax {
	if strings.HasSuffix(path, ".toml") {
		return tomlSyntax{}
	}
	return jsonSyntax{Key: key}
}

// Back undoes, in now, the edit from original to written. now is written with later edits
// elsewhere. Back returns false unless now has the written lines unchanged exactly once.
func Back(original, written, now []byte) ([]byte, bool) {
	if bytes.Equal(now, written) {
		return original, true
	}
	was, is := lines(original), lines(written)
	head := 0
	for head < len(was) && head < len(is) && was[head] == is[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(is)-head && was[len(was)-1-tail] == is[len(is)-1-tail] {
		tail++
	}
	changed := strings.Join(is[head:len(is)-tail], "")
	if strings.TrimSpace(changed) == "" || strings.Count(string(now), changed) != 1 {
		return nil, false
	}
	at := bytes.Index(now, []byte(changed))
	if at > 0 && now[at-1] != '\n' {
		return nil, false
	}
	return splice(now, at, at+len(changed), strings.Join(was[head:len(was)-tail], "")), true
}

// lines splits a text into lines with their line ends.
func lines(text []byte) []string {
	return strings.SplitAfter(string(text), "\n")
}

// splice returns text with [start, end) replaced.
func splice(text []byte, start, end int, by string) []byte {
	out := make([]byte, 0, len(text)-(end-start)+len(by))
	out = append(out, text[:start]...)
	out = append(out, by...)
	return append(out, text[end:]...)
}

// cut returns text without [start, end), and without the line if that leaves it blank.
func cut(text []byte, start, end int) []byte {
	from, to := lineStart(text, start), end
	for to < len(text) && (text[to] == ' ' || text[to] == '\t' || text[to] == '\r') {
		to++
	}
	if len(bytes.TrimSpace(text[from:start])) == 0 && (to == len(text) || text[to] == '\n') {
		return splice(text, from, min(to+1, len(text)), "")
	}
	if to < len(text) && text[to] != '\n' { // more follows: also remove the gap before it
		return splice(text, start, to, "")
	}
	return splice(text, start, end, "")
}

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// newline returns the line end of a text.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// find returns the index of an entry, or -1.
func find(entries []Entry, name string) int {
	for i := range entries {
		if entries[i].Name == name {
			return i
		}
	}
	return -1
}

func notThere(name string) error { return fmt.Errorf("the file has no server %q", name) }
