package observe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/registry"
)

// A Sighting is the shape of the results of a tool seen so far.
type Sighting struct {
	Results int
	// Outline is their shape on one line of at most 300 characters, for writing a Go struct with
	// json tags: {berths []{free bool, id string}, note? string} if not all had a note, []{at
	// string, cm int}, map[string]int if keys are data, text if they were not JSON. A "…" stands
	// for omitted parts. Names are those of the JSON.
	// there was no room for. Names are those of the JSON.
	Outline string
}

// maxOutline bounds an outline, in characters.
const maxOutline = 300

// asText is the outline of results that are not JSON.
const asText = "text"

// Seen returns the shape of the results of a tool, even if Schema has none yet. ok reports
// whether there was any result.
func (s *Store) Seen(tool string) (Sighting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.tools[tool]
	if l == nil || l.results() <= 0 {
		return Sighting{}, false
	}
	return Sighting{l.results(), l.outline()}, true
}

func (l *learnt) outline() string {
	var kinds []string
	if l.Seen > 0 {
		kinds = l.value().outlines()
	}
	if l.Text > 0 && !slices.Contains(kinds, asText) {
		kinds = append(kinds, asText)
	}
	return strings.Join(kinds, " or ")
}

// value returns the shape that JSON(&v) decodes, without the envelope {"result": T} of the Python
// SDKs.
func (l *learnt) value() *shape {
	if f := l.Shape.Fields["result"]; l.Wrapped && f != nil && len(l.Shape.Fields) == 1 {
		return f.Shape
	}
	return l.Shape
}

// outlines returns an outline for each type that a value had. Together they have at most
// maxOutline characters.
func (s *shape) outlines() []string {
	var out []string
	for _, t := range strings.Split(goKinds(s.Types), "") {
		if t == "s" { // not quoted JSON: what Text gives
			out = append(out, asText)
			continue
		}
		one := *s
		one.Types = t
		out = append(out, one.outline(maxOutline/len(goKinds(s.Types))-len(" or ")-len(asText)))
	}
	if len(out) == 0 {
		return []string{"any"}
	}
	return out
}

// outline writes as much of a shape as fits into room characters: names before types, outer
// objects before inner ones.
func (s *shape) outline(room int) string {
	for _, o := range []outliner{
		{maxDepth + 1, true, maxFields}, {3, true, maxFields}, {2, true, maxFields}, {2, false, maxFields},
		{1, true, maxFields}, {1, false, maxFields}, {1, false, 24}, {1, false, 12}, {1, false, 6}, {1, false, 3},
		{1, false, 1},
	} {
		if text := o.typ(s, 0); utf8.RuneCountInString(text) <= room {
			return text
		}
	}
	return "{…}"
}

// outliner says how much of a shape is written.
type outliner struct {
	depth  int  // of objects
	types  bool // of fields that are not objects
	fields int  // of an object
}

// typ returns a shape as a Go-like type.
func (o outliner) typ(s *shape, depth int) string {
	if s == nil {
		return "any"
	}
	switch kinds := goKinds(s.Types); {
	case kinds == "a":
		return "[]" + o.typ(s.Items, depth)
	case kinds == "o" && (s.Map || len(s.Fields) == 0):
		return "map[string]" + o.typ(s.Items, depth)
	case kinds == "o" && depth >= o.depth:
		return "{…}"
	case kinds == "o":
		return o.object(s, depth)
	case goTypes[kinds] != "":
		return goTypes[kinds]
	}
	return "any"
}

var goTypes = map[string]string{"s": "string", "i": "int", "f": "float64", "b": "bool"}

// goKinds returns the types of a shape without those that do not matter in Go.
func goKinds(types string) string {
	types = strings.ReplaceAll(types, "n", "")
	if strings.Contains(types, "f") {
		types = strings.ReplaceAll(types, "i", "")
	}
	return types
}

// object lists fields, the most frequent ones first.
func (o outliner) object(s *shape, depth int) string {
	names := slices.SortedFunc(maps.Keys(s.Fields), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Fields[b].Count, s.Fields[a].Count), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(len(names), o.fields)] {
		f := s.Fields[name]
		typ, part := o.typ(f.Shape, depth+1), quoted(name)
		switch nested := strings.Contains(typ, "{"); {
		case o.types && f.Count < s.Count:
			part += "? " + typ
		case o.types:
			part += " " + typ
		case nested:
			part += ": " + typ
		}
		parts = append(parts, part)
	}
	if len(names) > o.fields {
		parts = append(parts, "…")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// quoted returns the name of a property, in quotes if it is not a plain word. It escapes
// characters that are invisible or change how the line is read.
func quoted(name string) string {
	odd := func(r rune) bool {
		return r > unicode.MaxASCII || r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	switch {
	case name != "" && !strings.ContainsFunc(name, odd):
		return name
	case strings.ContainsFunc(name, registry.Invisible):
		return strconv.QuoteToASCII(name)
	}
	return strconv.Quote(name)
}
