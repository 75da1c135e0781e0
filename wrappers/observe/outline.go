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
	// Outline is their shape on one line of at most 300 characters, to write a
	// Go struct with json tags from: {berths []{free bool, id string}, note?
	// string} where not all had a note, []{at string, cm int}, map[string]int
	// where keys are data, text where they were no JSON; … stands for what
	// there was no room for. Names are those of the JSON.
	Outline string
}

// maxOutline bounds an outline, in characters.
const maxOutline = 300

// asText is the outline of results that are no JSON.
const asText = "text"

// Seen returns the shape of the results of a tool, and whether there was any
// result, also where Schema has none yet.
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

// value is the shape that JSON(&v) decodes: the envelope {"result": T} of the
// Python SDKs is taken off there.
func (l *learnt) value() *shape {
	if f := l.Shape.Fields["result"]; l.Wrapped && f != nil && len(l.Shape.Fields) == 1 {
		return f.Shape
	}
	return l.Shape
}

// outlines are those of the types that a whole value was seen to have; for all
// of them together there are maxOutline characters.
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

// outline writes as much of a shape as there is room for: names before types,
// the outer objects before the inner ones.
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
	types  bool // of fields that are no objects
	fields int  // of an object
}

// typ is a shape in the manner of a Go type.
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

// goKinds are the types of a shape without those that make no difference to
// Go.
func goKinds(types string) string {
	types = strings.ReplaceAll(types, "n", "")
	if strings.Contains(types, "f") {
		types = strings.ReplaceAll(types, "i", "")
	}
	return types
}

// object lists fields, those that most objects had first.
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

// quoted is the name of a property: in quotes where it is no plain word, with
// escapes for what would be invisible or change how the line is read.
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
