// Package bind turns the phrases and names of a script into the tools that it may call, the Go
// packages that it is checked with, and the errors, warnings and answers of a lookup. It depends
// on the catalog, the policy and the script alone, and knows nothing of the run.
//
// A [Bound] goes through four steps. Load gets the catalog, with the servers that the script
// means. Resolve finds the tools: a phrase has candidates, and the names that the script uses
// choose among them. Generate makes the packages. Explain and Types serve a script that does
// not compile: only then is it known which tool of the registry a wrong name was meant for.
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
	// Tools returns the catalog, loaded. It is called when the script first needs a tool.
	Tools func(context.Context) (*catalog.Catalog, error)
	// AtHand reports whether Tools need not ask servers.
	AtHand bool

	Policy   *policy.Policy // If nil, all tools may be called.
	Began    *policy.Policy // of a resumed run, the policy that it began with; else nil
	Approved []string       // IDs of tools that a person has approved
	Dry      bool           // effect calls are not sent
	Waits    bool           // calls that need approval can wait for it, or are not made
}

// Bound is what the names and phrases of a script mean.
type Bound struct {
	Script
	Needs   worker.Needs              // of the script, without names that are too long
	Catalog *catalog.Catalog          // nil until the script needs one; kept for the whole run
	View    *wrappers.View            // of Catalog
	Index   *discovery.Index          // of Catalog
	Allowed map[string]*wrappers.Tool // by ID: the tools that the script may call

	// What binding adds to the Result.
	Status    outcome.Status // "" if nothing is wrong
	Uses      []outcome.ToolUse
	Errors    []outcome.Error
	Mended    []outcome.Error // warnings
	Decisions []policy.Decision
	Down      []string

	declared   map[string]int               // by tool ID, the line of the first phrase that led to it
	unresolved map[string]worker.Unresolved // by phrase, those whose error the script handles
	meant      []meant                      // tools that a refused script means
	guesses    int                          // wrong names that tools were looked for
}

// New prepares the binding of a script.
func New(s Script) *Bound {
	return &Bound{Script: s, Uses: []outcome.ToolUse{}}
}

// need is why the answer to a script shows a tool, the most urgent reason first.
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

// lineOf returns the line where the script first calls a tool, else where it declares it.
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
