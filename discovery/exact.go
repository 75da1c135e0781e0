package discovery

import (
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
)

// exactNames finds tools by their names, spelled as one of
//
//	git.git_log   git/git_log   mcp__git__git_log   git_log
//
// A phrase that is a tool's name needs no search.
type exactNames struct {
	tools []registry.Tool
	named map[string][]int32 // the indexes of the tools with a name, of all servers
}

func newExactNames(tools []registry.Tool) exactNames {
	e := exactNames{tools, make(map[string][]int32, len(tools))}
	for i := range tools {
		e.named[tools[i].Name] = append(e.named[tools[i].Name], int32(i))
	}
	return e
}

// find returns the tools with the name that the phrase is. There may be several, on different
// servers.
func (e *exactNames) find(phrase string) []int32 {
	phrase = strings.TrimSpace(phrase)
	if len(phrase) > MaxPhrase || phrase == "" {
		return nil
	}
	found := e.split(nil, phrase, ".")
	found = e.split(found, phrase, "/")
	if rest, ok := strings.CutPrefix(phrase, "mcp__"); ok {
		found = e.split(found, rest, "__")
	}
	if len(found) == 0 {
		found = append(found, e.named[phrase]...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// split appends the tools whose server and name, joined by the separator, equal the phrase. Both
// may contain the separator.
func (e *exactNames) split(found []int32, phrase, separator string) []int32 {
	for at := 0; ; at++ {
		next := strings.Index(phrase[at:], separator)
		if next < 0 {
			return found
		}
		at += next
		server, name := phrase[:at], phrase[at+len(separator):]
		for _, i := range e.named[name] {
			if has := e.tools[i].Server; has == server || separator == "__" && plainName(has) == server {
				found = append(found, i)
			}
		}
	}
}

// plainName returns a server's name as clients spell it in mcp__server__tool: every character
// other than a letter, digit, hyphen or underscore becomes an underscore.
func plainName(server string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, server)
}
