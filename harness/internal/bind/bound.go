// Package bind turns the phrases and names of a script into the tools that it may call, the Go
// packages for checking it, and the errors, warnings and answers of a lookup. It depends only
// on the catalog, the policy and the script, not on the run.
//
// A [Bound] goes through four steps. Load gets the catalog, with the servers that the script
// means. Resolve finds the tools: a phrase yields candidates, and the script's names choose
// among them. Generate makes the packages. Explain and Types serve a script that does not
// compile, and match its wrong names with tools in the whole registry.
package bind

import (
	"context"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/wrappers"
)

// Script is a script and the tools that it may call.
type Script struct {
	Source string
	// Strict refuses tools that no phrase declares.
	Strict bool
	// Tools returns the loaded catalog. It is called when the script first needs a tool.
	Tools func(context.Context) (*catalog.Catalog, error)
	// AtHand reports whether Tools returns without asking servers.
	AtHand bool

	Policy   *policy.Policy // If nil, all tools may be called.
	Began    *policy.Policy // the policy with which a resumed run began; else nil
	Approved []string       // IDs of tools that a person has approved
	Dry      bool           // effect calls are not sent
	Waits    bool           // calls can wait for approval, or are not made
}

// Bound is a script with the meanings of its names and phrases.
type Bound struct {
	Script
	Needs   worker.Needs              // without names that are too long
	Catalog *catalog.Catalog          // nil until the script needs one; kept for the whole run
	View    *wrappers.View            // of Catalog
	Index   *discovery.Index          // of Catalog
	Allowed map[string]*wrappers.Tool // the tools that the script may call, by ID

	// The parts of the Result that binding contributes.
	Status         outcome.Status // "" without an error
	Uses           []outcome.ToolUse
	Errors         []outcome.Error
	PlacedWarnings []outcome.Error // warnings
	Decisions      []policy.Decision
	Down           []string

	declared   map[string]int               // line of the first phrase that led to a tool, by tool ID
	unresolved map[string]worker.Unresolved // unresolved phrases whose error the script handles
	meant      []meant                      // tools that a refused script means
	guesses    int                          // number of wrong names for which tools were guessed
}

// New returns the unbound script. Call Load next.
func New(s Script) *Bound {
	return &Bound{Script: s, Uses: []outcome.ToolUse{}}
}

// A need is a reason to show a tool in the answer to a script, the most urgent first.
type need int

const (
	guessed   need = iota // the best guess for a wrong name
	misused               // an error is about it
	used                  // the script uses it, without an error about it
	declared              // a phrase means it
	alsoNamed             // a further guess: a line is enough
	beside                // another tool of a small server; shown with its signature
)

// meant is a tool that a refused script means, or may mean.
type meant struct {
	tool *wrappers.Tool
	need need
}

// lineOf returns the line of the script's first call of a tool, else of its declaration.
func (b *Bound) lineOf(t *wrappers.Tool) int {
	for _, n := range b.Needs.Names {
		if s := b.server(n.Package); s == t.Package() {
			if f, ok := s.Func(n.Name); ok && f == t {
				return n.Line
			}
		}
	}
	return b.declared[t.ID]
}

// server returns the server that a package name of a script means, or nil.
func (b *Bound) server(pkg string) *wrappers.Server {
	if s, ok := b.View.Package(pkg); ok {
		return s
	}
	s, _ := b.View.NearPackage(pkg)
	return s
}
