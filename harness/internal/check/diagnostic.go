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
	Refused  = "refused"  // Go accepts it, scripts may not do it
	Warning  = "warning"  // mended or ignored; the script runs
	Internal = "internal" // a fault of the program around the script
)

// Codes of a [Diagnostic], by which the caller decides what else to report, and the
// arguments of each. Other faults have no code. Package is the package of a server, except
// with CodeUndefined.
const (
	CodeUndefined = "undefined" // nothing declares Name, which stands alone or before a dot
	CodeNoServer  = "no_server" // the package does not exist; Name is a name that the script uses of it, "" for its import
	CodeNoName    = "no_name"   // the package has no such function or type
	CodeNoField   = "no_field"  // the type Name has no field or method Member
	CodeCall      = "call"      // the function Name is called in another way than it is declared
	CodeType      = "type"      // a value of, or for, the type Name has the wrong type; Member is the field that it is for
	CodeRequired  = "required"  // a value of the type Name lacks the field Member, and perhaps others
	CodeEnum      = "enum"      // a constant is not a value that the field Member of the type Name may have
)

// maxDiagnostics bounds what one answer reports.
const maxDiagnostics = 20

// Bounds that keep a diagnostic of one wrong name within 150 tokens.
const (
	maxMessage   = 320 // bytes
	maxSnippet   = 100 // bytes of the source line
	maxHint      = 240
	maxSignature = 320
)

// A Diagnostic is one fault of a script, or a warning about it.
type Diagnostic struct {
	Kind       string   `json:"kind"`
	Line       int      `json:"line,omitempty"`   // from 1, of the text as sent
	Column     int      `json:"column,omitempty"` // in bytes from 1; a tab is one
	Message    string   `json:"message"`          // Go's own words where Go has some
	Snippet    string   `json:"snippet,omitempty"`
	Hint       string   `json:"hint,omitempty"`       // what to do next
	Signatures []string `json:"signatures,omitempty"` // of the names that were probably meant

	Code    string `json:"code,omitempty"`    // one of the Code constants
	Package string `json:"package,omitempty"` // as in servers/<package>, whatever the script calls it
	Name    string `json:"name,omitempty"`    // the function or type of the package
	Member  string `json:"member,omitempty"`  // its field or method
	// Near are the names that Hint asks about as the ones that may have been
	// meant, as the script would write them.
	Near []string `json:"near,omitempty"`
}

// Bounds in bytes of a diagnostic from an untrusted process. Those of this package are
// smaller.
const (
	maxText  = 8 << 10 // of the message, the snippet, the hint and each signature
	maxName  = 200     // of each argument of the code: a longer name is nothing that anybody knows
	maxParts = 20      // signatures, and names that are near
)

var codes = []string{"", CodeUndefined, CodeNoServer, CodeNoName, CodeNoField, CodeCall, CodeType, CodeRequired,
	CodeEnum}

// Validate returns an error if this package does not produce such a diagnostic. It is for
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

// concern says which name of which server's package a diagnostic is about.
func (d *Diagnostic) concern(code, pkg, name, member string) {
	d.Code, d.Package, d.Name, d.Member = code, pkg, name, member
}

// ask asks in the hint for the names that may have been meant.
func (d *Diagnostic) ask(near []string) {
	d.Hint, d.Near = "did you mean "+strings.Join(near, " or ")+"?", near
}

// String returns line, column and message, and the hint after a dash.
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

// tidy sorts diagnostics by position, removes repetitions, bounds their length and number,
// and adds the source lines.
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

// snippet returns a line of the source and a caret below the column. Tabs stay
// tabs in both, so that the caret is in place however wide they are shown.
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
