package discovery

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Detail says how much of a tool is shown.
type Detail string

const (
	NameOnly        Detail = "name_only"
	NameDescription Detail = "name_description" // the default
	MicroSchema     Detail = "micro_schema"     // the arguments in the short form that MicroOf returns
	CompactSchema   Detail = "compact_schema"   // the schemas without descriptions and examples
	FullSchema      Detail = "full_schema"      // everything in the registry
	// Go shows the tool as a Go function. This package returns the same as with
	// name_only; the caller adds Entry.Go and Entry.Signature.
	Go Detail = "go"
)

// Details are all levels, in ascending order of detail.
var Details = []Detail{NameOnly, NameDescription, MicroSchema, CompactSchema, Go, FullSchema}

func (d Detail) check() error {
	if d == "" || slices.Contains(Details, d) {
		return nil
	}
	return fmt.Errorf("detail level %q: want one of %q", d, Details)
}

// Entry is a tool with the fields that its detail level includes.
type Entry struct {
	ID     string `json:"id"`
	Server string `json:"server"`
	Name   string `json:"name"`
	// Go is the tool's Go name (git.Log). Signature is its Go declaration with a comment, for
	// detail go. This package leaves both empty; harness.Catalog sets them.
	Go        string `json:"go,omitempty"`
	Signature string `json:"signature,omitempty"`
	// Short is the description in at most 60 characters, see Index.Short. It is empty for
	// name_only and go.
	Short string `json:"short,omitempty"`
	// Title and Description are set for name_description and full_schema.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Category is empty for name_only and go.
	Category string `json:"category,omitempty"`
	// Micro is set for micro_schema, see MicroOf.
	Micro json.RawMessage `json:"micro,omitempty"`
	// Input, Output and Annotations are set for compact_schema and full_schema.
	Input       json.RawMessage       `json:"inputSchema,omitempty"`
	Output      json.RawMessage       `json:"outputSchema,omitempty"`
	Annotations *registry.Annotations `json:"annotations,omitempty"`
	// Examples are set for full_schema: those of the registry, or else those of the input schema.
	Examples []registry.Example `json:"examples,omitempty"`
	// Class says what a call of the tool does (read, again or effect); it is empty for name_only.
	// ClassWhy is the reason, for go and full_schema. Verdict and Rule are the
	// result of the config's rules, if it is needs_approval or denied. This package
	// leaves all four empty; harness.Catalog sets them.
	Class    string `json:"class,omitempty"`
	ClassWhy string `json:"classWhy,omitempty"`
	Verdict  string `json:"verdict,omitempty"`
	Rule     string `json:"rule,omitempty"`
	// Stale reports that the tool's server could not be asked in the last build.
	Stale bool `json:"stale,omitempty"`
	// Error is why the tool cannot be called; see registry.Tool.
	Error string `json:"error,omitempty"`
	// Tokens estimates the tokens of this Entry as JSON, without this field;
	// see text.Tokens.
	Tokens int `json:"tokens,omitempty"`
}

// Weigh sets Tokens. Call it again after setting other fields.
func (e *Entry) Weigh() {
	e.Tokens = 0
	if b, err := json.Marshal(e); err == nil {
		e.Tokens = text.Tokens(string(b))
	}
}

// entry returns a tool with the fields of a detail level.
func (ix *Index) entry(tool int32, d Detail) Entry {
	t := &ix.reg.Tools[tool]
	e := Entry{ID: t.ID, Server: t.Server, Name: t.Name, Stale: t.Stale, Error: t.Error}
	if d != NameOnly && d != Go {
		e.Short, e.Category = ix.short(tool), ix.category(tool)
	}
	switch d {
	case NameOnly, Go:
	case MicroSchema:
		e.Micro = MicroOf(t.Input)
	case CompactSchema:
		e.Input, e.Output, e.Annotations = compact(t.Input), compact(t.Output), t.Annotations
	default:
		e.Title, e.Description = t.Title, t.Marked()
		if d == FullSchema {
			e.Input, e.Output, e.Annotations, e.Examples = t.Input, t.Output, t.Annotations, t.Examples
			if len(e.Examples) == 0 {
				e.Examples = examplesIn(t.Input)
			}
		}
	}
	e.Weigh()
	return e
}

// Description is the result of [Index.Describe].
type Description struct {
	Tools    []Entry  `json:"tools"`
	NotFound []string `json:"notFound"`
}

// Describe returns the tools with the given names, in any spelling that Resolve accepts as exact.
// If no tool has such a name, it returns those whose ID, name or title is equal ignoring case. If
// several tools have a name, it returns all of them. Unknown names are listed in NotFound. It
// returns an error if d is unknown.
func (ix *Index) Describe(names []string, d Detail) (Description, error) {
	answer := Description{Tools: []Entry{}, NotFound: []string{}}
	if err := d.check(); err != nil {
		return answer, err
	}
	for _, name := range names {
		found := ix.exact.find(name)
		if len(found) == 0 {
			found = ix.called(name)
		}
		if len(found) == 0 {
			answer.NotFound = append(answer.NotFound, name)
		}
		for _, i := range found {
			answer.Tools = append(answer.Tools, ix.entry(i, d))
		}
	}
	return answer, nil
}

// called returns the tools whose ID, name or title equals the text, ignoring case.
func (ix *Index) called(text string) []int32 {
	var out []int32
	for i := range ix.reg.Tools {
		t := &ix.reg.Tools[i]
		if text = strings.TrimSpace(text); text != "" &&
			(strings.EqualFold(t.Name, text) || strings.EqualFold(t.ID, text) || strings.EqualFold(t.Title, text)) {
			out = append(out, int32(i))
		}
	}
	return out
}

// Short returns the first sentence of a tool's description, in at most 60 characters, without a
// beginning that most tools of its server share. It returns "" for an unknown ID.
func (ix *Index) Short(id string) string {
	i := ix.place(id)
	if i < 0 {
		return ""
	}
	return ix.short(i)
}

func (ix *Index) short(tool int32) string {
	t := ix.reg.Tools[tool] // a copy
	t.Description = ix.own[tool]
	return summary(t.Marked())
}

// summaryChars is the longest summary, in characters.
const summaryChars = 60

// summary returns a description's first sentence, shortened to summaryChars with an ellipsis.
func summary(description string) string {
	words := strings.Join(strings.FieldsFunc(description, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }),
		" ")
	first, _, more := strings.Cut(words, ". ")
	if !more {
		first = strings.TrimSuffix(words, ".")
	}
	return text.CutWord(first, summaryChars)
}
