package bridge

import (
	_ "embed"
	"strings"
)

// Prelude is the package whose exported names every script has predeclared:
// UseTools, Return, Input, Stored, RunScript, ToolError, UncertainError and
// ToolNotFoundError. A script that declares one of the names itself has its own. It
// is compiled, like [Source]: to interpret it would take longer than most scripts.
//
//go:embed prelude.go.txt
var Prelude string

// Discovery is the package that scripts import as "discovery".
//
//go:embed discovery.go.txt
var Discovery string

// What the parent answers itself, called as tools are; their IDs have a dot.
const (
	OwnDiscovery = "discovery"
	RunScript    = "RunScript"
)

// ToolNotFoundError says that a phrase of UseTools resolved to no tool.
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

// UseTools declares in plain words which tools the script needs. That was read
// before the script ran; what is left to tell is which phrase found none.
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
