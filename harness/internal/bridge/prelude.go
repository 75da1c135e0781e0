package bridge

import (
	_ "embed"
	"strings"
)

// Prelude is the source of the package whose exported names are predeclared in every script:
// UseTools, Return, Input, Stored, RunScript, ToolError, UncertainError and ToolNotFoundError.
// A script can redeclare them. The package is compiled, like [Source], because interpreting it
// would take longer than most scripts.
//
//go:embed prelude.go.txt
var Prelude string

// Discovery is the source of the package that scripts import as "discovery".
//
//go:embed discovery.go.txt
var Discovery string

// IDs of the tools that the parent answers itself. Those of servers contain a dot.
const (
	OwnDiscovery = "discovery"
	RunScript    = "RunScript"
)

// ToolNotFoundError reports that a phrase of UseTools has no tool.
type ToolNotFoundError struct {
	Query      string
	Candidates []string
	message    string
}

func (e *ToolNotFoundError) Error() string {
	if e.message != "" {
		return e.message
	}
	s := "no tool found for \"" + e.Query + "\""
	if len(e.Candidates) > 0 {
		s += "; nearest: " + strings.Join(e.Candidates, ", ")
	}
	return s
}

// UseTools declares in plain words the tools that the script needs. The phrases were resolved
// before the script ran; UseTools only returns an error if one of them has no tool.
func UseTools(phrases ...string) error {
	h := bridge.Load()
	if h == nil {
		return nil
	}
	query, message, candidates := h.Unresolved(phrases)
	if query == "" {
		return nil
	}
	return &ToolNotFoundError{Query: query, Candidates: candidates, message: message}
}
