package flow

import (
	"slices"
	"strings"
)

// Label says which text in the results of a tool third parties can write. With the zero Label, they
// can write nothing.
type Label struct {
	All bool // all text
	// Fields are names of members of objects, at any depth. All text in these members is untrusted,
	// including the names of members below them. Text outside of any object is untrusted as well,
	// because it cannot be attributed to a member.
	Fields []string
}

// IsZero reports whether the tool's results have no untrusted text.
func (l Label) IsZero() bool { return !l.All && len(l.Fields) == 0 }

func (l Label) has(field string) bool { return l.All || slices.Contains(l.Fields, field) }

// Settings say, by the IDs of tools, which text is untrusted and which arguments are targets. If ok
// is false, the targets of a tool are not configured, and are guessed.
type Settings struct {
	Untrusted func(tool string) Label
	Targets   func(tool string) (arguments []string, ok bool)
}

// NoLabels are Settings without labels: all results are trusted, and targets are guessed.
var NoLabels = &Settings{Untrusted: func(string) Label { return Label{} }, Targets: func(string) ([]string, bool) { return nil, false }}

// isTarget reports whether the name of an argument suggests a recipient, place or object of the
// call. It is used for tools without configured targets, together with all values that are
// addresses.
func isTarget(argument string) bool {
	name := strings.ToLower(strings.ReplaceAll(argument, "_", ""))
	switch strings.TrimSuffix(name, "s") {
	case "to", "cc", "bcc", "recipient", "url", "uri", "email", "iban", "account", "user", "username", "channel", "path", "participant",
		"attendee":
		return true
	}
	return strings.HasSuffix(strings.TrimSuffix(name, "s"), "id")
}
