package catalog

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
)

// Overview lists the servers and tools of a catalog; package present shows it.
type Overview struct {
	Servers []OverviewServer `json:"servers"` // sorted by name
	Total   int              `json:"total"`   // tools
}

// OverviewServer is a server and its tools.
type OverviewServer struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Kind is "external" if a process or another machine answers, "in process" for snapshots,
	// manifests and OpenAPI documents, and "unusable" if the config does not say where the server
	// is.
	Kind      string `json:"kind"`
	Transport string `json:"transport"`
	// At is its command or URL, without secrets. It is empty if unknown.
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
		case "": // an entry without a command, URL or file
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

// Only returns the overview of one server, by its name or its Go package. It returns false if the
// server is unknown.
func (o *Overview) Only(server string) (*Overview, bool) {
	for _, s := range o.Servers {
		if s.Name == server || s.Package == server {
			return &Overview{Servers: []OverviewServer{s}, Total: len(s.Tools)}, true
		}
	}
	return nil, false
}

// MaxErrorText bounds the shown part of a server's error, in characters.
const MaxErrorText = 4000

// OfServer returns a server's error message for showing, without the prefix that names the server.
func OfServer(name, message string) string {
	return registry.PrintableText(strings.TrimPrefix(message, fmt.Sprintf("server %q: ", name)), MaxErrorText)
}

// Where returns a server's command, URL or file, without secrets.
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

// brief returns arguments without secrets. It replaces long arguments, and all after the twelfth,
// by an ellipsis.
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
