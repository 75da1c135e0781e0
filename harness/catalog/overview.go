package catalog

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/registry/text"
)

// Overview lists the servers and tools of a catalog, as `harness tools` prints
// them.
type Overview struct {
	Servers []OverviewServer `json:"servers"` // sorted by name
	Total   int              `json:"total"`   // tools
}

// OverviewServer is a server and its tools.
type OverviewServer struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Kind is "external" where a process or another machine answers, else "in
	// process": snapshots, manifests, OpenAPI documents; "unusable" where the
	// config does not say where it is.
	Kind      string `json:"kind"`
	Transport string `json:"transport"`
	// At is its command or URL, without secrets; empty when it is not known.
	At    string            `json:"at,omitempty"`
	Error *string           `json:"error"`
	Tools []discovery.Entry `json:"tools"`
}

// Overview returns the catalog's servers and tools for showing.
func (c *Catalog) Overview() (*Overview, error) {
	branches, err := c.Tree(false, discovery.NameDescription)
	if err != nil {
		return nil, err
	}
	view, err := c.View()
	if err != nil {
		return nil, err
	}
	o := &Overview{Servers: []OverviewServer{}}
	for _, b := range branches {
		s := OverviewServer{Name: b.Name, Transport: b.Transport, Error: b.Error, Tools: b.Tools, Kind: "in process"}
		switch b.Transport {
		case config.Stdio, config.HTTP, config.SSE:
			s.Kind = "external"
		case "": // an entry that says nothing of where it is
			s.Kind = "unusable"
		}
		if p, ok := view.Server(b.Name); ok {
			s.Package = p.Package
		}
		if b.Transport != "" {
			s.At = Where(c.Server(b.Name))
		}
		o.Servers = append(o.Servers, s)
		o.Total += len(b.Tools)
	}
	return o, nil
}

// Only returns the overview of one server, by its name or its Go package; false
// where there is none.
func (o *Overview) Only(server string) (*Overview, bool) {
	for _, s := range o.Servers {
		if s.Name == server || s.Package == server {
			return &Overview{Servers: []OverviewServer{s}, Total: len(s.Tools)}, true
		}
	}
	return nil, false
}

// goRoom is how much of a line must be left to the text of a tool; where less
// would be, its Go name is left out.
const goRoom = 30

// Write prints the overview, with ANSI colours or plain. Lines are cut to width
// columns, but for what went wrong; 0: they are not.
func (o *Overview) Write(w io.Writer, colours bool, width int) error {
	clip := func(s string, used int) string {
		if r := []rune(s); width > 0 && len(r) > width-used {
			return string(r[:max(width-used-1, 0)]) + "…"
		}
		return s
	}
	paint := func(code, s string) string {
		if !colours || s == "" {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	kinds := map[string]int{}
	var b strings.Builder
	for _, s := range o.Servers {
		kinds[s.Kind]++
		kind := s.Kind
		if s.Transport != "" {
			kind += ", " + s.Transport
		}
		head := fmt.Sprintf(" (%s, %s)", kind, text.Count(len(s.Tools), "tool"))
		fmt.Fprintf(&b, "%s%s", paint("1;36", s.Name), head)
		if used := utf8.RuneCountInString(s.Name+head) + 2; s.At != "" && (width == 0 || used < width) {
			fmt.Fprintf(&b, "  %s", paint("2", clip(s.At, used)))
		}
		b.WriteByte('\n')
		if s.Error != nil {
			fmt.Fprintf(&b, "  %s %s\n", paint("31", "failed:"), registry.Quoted(OfServer(s.Name, *s.Error)))
		}
		id, goName, class := 0, 0, 0
		for _, t := range s.Tools {
			id, goName, class = max(id, len(t.ID)), max(goName, len(t.Go)), max(class, len(t.Class))
		}
		id, goName = min(id, 40), min(goName, 40)
		if width > 0 && width-id-goName-class < goRoom {
			goName = 0
		}
		for _, t := range s.Tools {
			// Colours are outside of the padding.
			columns := []string{fmt.Sprintf("%-*s", id, clip(t.ID, 2))}
			used := 2 + utf8.RuneCountInString(columns[0])
			columns[0] = paint("32", columns[0])
			if goName > 0 {
				columns = append(columns, fmt.Sprintf("%-*s", goName, t.Go))
				used += 1 + utf8.RuneCountInString(columns[1])
			}
			columns = append(columns, fmt.Sprintf("%-*s", class, t.Class))
			used += 1 + class
			mark := ""
			if t.Stale {
				mark = " (stale)"
			}
			switch policy.Verdict(t.Verdict) {
			case policy.NeedsApproval:
				mark += " (needs approval)"
			case policy.IsDenied:
				mark += " (denied)"
			}
			if used += 1 + len(mark); width == 0 || used < width {
				columns = append(columns, clip(t.Short, used))
			}
			fmt.Fprintf(&b, "  %s%s\n", strings.Join(columns, " "), paint("33", mark))
		}
	}
	fmt.Fprintf(&b, "%s of %s: %d in process, %d external\n", paint("1", text.Count(o.Total, "tool")),
		text.Count(len(o.Servers), "server"), kinds["in process"], kinds["external"])
	_, err := io.WriteString(w, b.String())
	return err
}

// MaxSaid bounds what is shown of a server's error, in characters.
const MaxSaid = 4000

// OfServer returns an error message of a server for showing, without the prefix
// that names the server.
func OfServer(name, message string) string {
	return registry.PrintableText(strings.TrimPrefix(message, fmt.Sprintf("server %q: ", name)), MaxSaid)
}

// Where is a server's command, URL or file, without what may be secret.
func Where(s *config.Server) string {
	switch {
	case s.Command != "":
		return strings.Join(append([]string{filepath.Base(s.Command)}, brief(s.Args)...), " ")
	case s.URL != "":
		return redact.URL(s.URL)
	case s.BaseURL != "":
		return redact.URL(s.BaseURL)
	}
	if s.Path == "" {
		return ""
	}
	return filepath.Base(s.Path)
}

// brief are arguments without what may be secret, the long ones and those behind
// the twelfth replaced by an ellipsis.
func brief(args []string) []string {
	const maxArgs, longest, hidden = 12, 80, "…"
	args = redact.Args(args)
	for i, a := range args {
		if len(a) > longest {
			args[i] = hidden
		}
	}
	if len(args) > maxArgs {
		args = append(args[:maxArgs], hidden)
	}
	return args
}
