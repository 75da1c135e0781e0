package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// Kinds of a [Diagnostic].
const (
	Compile  = "compile"  // Go does not accept it
	Refused  = "refused"  // Go accepts it, but scripts may not do it
	Warning  = "warning"  // corrected or ignored; the script runs
	Internal = "internal" // a fault of the host program, not of the script
)

// Codes of a [Diagnostic] and their arguments. The caller decides by the code what else to
// report; other faults have no code. Package is a server's package, except with CodeUndefined.
const (
	CodeUndefined = "undefined" // Name is undeclared; it stands alone or before a dot
	CodeNoServer  = "no_server" // the package does not exist; Name is the name used from it, or "" for its import
	CodeNoName    = "no_name"   // the package has no such function or type
	CodeNoField   = "no_field"  // the type Name has no field or method Member
	CodeCall      = "call"      // the function Name is called with the wrong arguments or results
	CodeType      = "type"      // a value of or for the type Name has the wrong type; Member is the field that receives it
	CodeRequired  = "required"  // a value of the type Name lacks the field Member, and perhaps others
	CodeEnum      = "enum"      // a constant is not an allowed value of the field Member of the type Name
)

// maxDiagnostics limits the diagnostics in one answer.
const maxDiagnostics = 20

// Limits that keep a diagnostic about one wrong name within 150 tokens.
const (
	maxMessage   = 320 // bytes
	maxSnippet   = 100 // bytes of the source line
	maxHint      = 240
	maxSignature = 320
)

// A Diagnostic is one fault of a script, or a warning about it.
type Diagnostic struct {
	Kind       string   `json:"kind"`
	Line       int      `json:"line,omitempty"`   // from 1, in the text as sent
	Column     int      `json:"column,omitempty"` // in bytes from 1; a tab is one
	Message    string   `json:"message"`          // Go's own words where possible
	Snippet    string   `json:"snippet,omitempty"`
	Hint       string   `json:"hint,omitempty"`       // what to do next
	Signatures []string `json:"signatures,omitempty"` // of the names that were probably meant

	Code    string `json:"code,omitempty"`    // one of the Code constants
	Package string `json:"package,omitempty"` // as in servers/<package>, regardless of the script's name for it
	Name    string `json:"name,omitempty"`    // the function or type of the package
	Member  string `json:"member,omitempty"`  // its field or method
	// Near are the suggestions in Hint, as the script would write them.
	Near []string `json:"near,omitempty"`
}

// Limits in bytes for a diagnostic from an untrusted process. This package's own limits are lower.
const (
	maxText  = 8 << 10 // of the message, the snippet, the hint and each signature
	maxName  = 200     // of each argument of the code; a longer name cannot be a known one
	maxParts = 20      // signatures, and suggestions
)

var codes = []string{"", CodeUndefined, CodeNoServer, CodeNoName, CodeNoField, CodeCall, CodeType, CodeRequired,
	CodeEnum}

// Validate returns an error if this package cannot have produced the diagnostic. Use it for
// diagnostics from an untrusted process.
func (d *Diagnostic) Validate() error {
	texts := append([]string{d.Message, d.Snippet, d.Hint}, d.Signatures...)
	switch {
	case !slices.Contains([]string{Compile, Refused, Warning, Internal}, d.Kind):
		return fmt.Errorf("a diagnostic of kind %.40q", d.Kind)
	case !slices.Contains(codes, d.Code):
		return fmt.Errorf("a diagnostic with the code %.40q", d.Code)
	case d.Line < 0 || d.Column < 0:
		return fmt.Errorf("a diagnostic at %d:%d", d.Line, d.Column)
	case len(d.Signatures) > maxParts || len(d.Near) > maxParts:
		return fmt.Errorf("a diagnostic with %d signatures and %d names", len(d.Signatures), len(d.Near))
	case slices.ContainsFunc(texts, longer(maxText)):
		return fmt.Errorf("a diagnostic with a text of more than %d bytes", maxText)
	case d.hasLongName():
		return fmt.Errorf("a diagnostic about a name of more than %d bytes", maxName)
	}
	return nil
}

func (d *Diagnostic) hasLongName() bool {
	return slices.ContainsFunc(append([]string{d.Package, d.Name, d.Member}, d.Near...), longer(maxName))
}

func longer(limit int) func(string) bool { return func(s string) bool { return len(s) > limit } }

// concern sets the code of a diagnostic and the names that it is about.
func (d *Diagnostic) concern(code, pkg, name, member string) {
	d.Code, d.Package, d.Name, d.Member = code, pkg, name, member
}

// ask suggests names in the hint.
func (d *Diagnostic) ask(near []string) {
	d.Hint, d.Near = "did you mean "+strings.Join(near, " or ")+"?", near
}

// String returns the line, column and message, and the hint after a dash.
func (d Diagnostic) String() string {
	s := d.Message
	if d.Line > 0 {
		s = fmt.Sprintf("%d:%d: %s", d.Line, d.Column, s)
	}
	if d.Hint != "" {
		s += " - " + d.Hint
	}
	return s
}

// tidy sorts diagnostics by position, removes duplicates, limits their length and number, and
// adds the source lines.
func tidy(list []Diagnostic, source []byte) []Diagnostic {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var out []Diagnostic
	seen := map[string]bool{}
	for _, d := range list {
		if seen[d.Message] {
			continue
		}
		seen[d.Message] = true
		if len(out) == maxDiagnostics {
			break
		}
		d.Message = text.CutBytes(d.Message, maxMessage)
		if d.Hint = text.CutBytes(d.Hint, maxHint); d.Hint != "" && seen[d.Hint] {
			d.Hint, d.Near = "", nil
		}
		if d.hasLongName() {
			d.concern("", "", "", "")
			d.Near = nil
		}
		seen[d.Hint] = true
		for i := range d.Signatures {
			d.Signatures[i] = text.CutBytes(d.Signatures[i], maxSignature)
		}
		if d.Snippet == "" && d.Kind != Warning {
			d.Snippet = snippet(source, d.Line, d.Column)
		}
		out = append(out, d)
	}
	return out
}

// snippet returns a line of the source and a caret below the column. Tabs are kept in both, so
// that the caret is in place at any tab width.
func snippet(source []byte, line, column int) string {
	if line < 1 {
		return ""
	}
	var src string
	for l := range strings.Lines(string(source)) {
		if line--; line == 0 {
			src = strings.TrimRight(l, "\r\n")
			break
		}
	}
	at := min(max(column-1, 0), len(src))
	if strings.TrimSpace(src) == "" {
		return ""
	}
	indent := len(src) - len(strings.TrimLeft(src, " \t"))
	src, at = src[indent:], max(at-indent, 0)
	if from := at - maxSnippet*2/3; from > 0 && len(src) > maxSnippet {
		from = text.Start(src, from)
		src, at = "…"+src[from:], at-from+len("…")
	}
	src = text.CutBytes(src, maxSnippet)
	at = text.Start(src, at)
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, src[:at])
	return src + "\n" + pad + "^"
}
