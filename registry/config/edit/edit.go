// Package edit changes the servers in a config file of an MCP client and
// leaves every other byte as it is: comments, order, white space, keys that
// nobody here knows.
//
// In goes the text of a file; out come its entries, or its text with some of
// them put in or taken out. Two syntaxes are known: JSON, with comments and
// trailing commas where the file has them, its servers being an object under
// one key; and TOML, its servers being tables below mcp_servers. A comment
// outside of an entry stays when the entry goes, one inside goes with it.
//
// [Back] undoes an edit in a text that others have edited since.
//
// Texts are bounded by the caller; what cannot be parsed is an error, and so
// is an entry in a form that cannot be edited by lines. Nothing is written.
package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Syntax is how a file writes its servers.
type Syntax interface {
	// Entries are the servers in the order of the file; none where the file
	// is empty or has no place for servers yet.
	Entries(text []byte) ([]Entry, error)
	// Put writes an entry, in the place of the one of its name, else before
	// the entry named before, else behind all others.
	Put(text []byte, e Entry, before string) ([]byte, error)
	// Remove takes entries out. Names that are not there do not matter.
	Remove(text []byte, names ...string) ([]byte, error)
	// Enable writes or takes out what switches an entry off.
	Enable(text []byte, name string, on bool) ([]byte, error)
}

// Entry is one server of a file.
type Entry struct {
	Name string
	// Value is its definition as plain JSON.
	Value json.RawMessage
	// Source is its definition as the file has it: JSON with comments, or
	// whole lines of TOML. Put takes it where it is not empty, and Value else.
	Source string
}

// Of is the syntax of the file at path, whose servers are under key; in TOML
// they are below mcp_servers always.
func Of(path, key string) Syntax {
	if strings.HasSuffix(path, ".toml") {
		return tomlSyntax{}
	}
	return jsonSyntax{Key: key}
}

// Back undoes in now what made written of original, where now is written with
// later edits elsewhere. It reports false where the lines that were written are
// no longer there once, as they were.
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

// lines are the lines of a text with their ends.
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

// cut returns text without [start, end), nor the line that this leaves blank.
func cut(text []byte, start, end int) []byte {
	from, to := lineStart(text, start), end
	for to < len(text) && (text[to] == ' ' || text[to] == '\t' || text[to] == '\r') {
		to++
	}
	if len(bytes.TrimSpace(text[from:start])) == 0 && (to == len(text) || text[to] == '\n') {
		return splice(text, from, min(to+1, len(text)), "")
	}
	if to < len(text) && text[to] != '\n' { // more follows: the gap before it goes along
		return splice(text, start, to, "")
	}
	return splice(text, start, end, "")
}

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// newline is how the lines of a text end.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// find returns the index of an entry, -1 where there is none.
func find(entries []Entry, name string) int {
	for i := range entries {
		if entries[i].Name == name {
			return i
		}
	}
	return -1
}

func notThere(name string) error { return fmt.Errorf("there is no server %q in the file", name) }
