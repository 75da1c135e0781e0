package harness

import (
	"context"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/wrappers"
)

// toBind is a script and the tools that it may call.
type toBind struct {
	Source string
	// Strict refuses tools that no phrase declares.
	Strict bool
	// Tools returns the catalog, loaded. It is called when the script first needs a tool.
	Tools func(context.Context) (*catalog.Catalog, error)
	// AtHand says that Tools does not have to ask servers.
	AtHand bool

	Policy   *policy.Policy // If nil, all tools may be called.
	Began    *policy.Policy // of a resumed run, the policy that it began with; else nil
	Approved []string       // IDs of tools that a person has approved
	Dry      bool           // effect calls are not sent
	Waits    bool           // calls that need approval can wait for it, or are not made
}

// bound is what the names and phrases of a script mean.
type bound struct {
	toBind
	Needs   worker.Needs              // of the script, without names that are too long
	Catalog *catalog.Catalog          // nil until the script needs one; kept for the whole run
	View    *wrappers.View            // of Catalog
	Index   *discovery.Index          // of Catalog
	Allowed map[string]*wrappers.Tool // by ID: the tools that the script may call

	// What binding adds to the Result.
	Status    Status // "" if nothing is wrong
	Uses      []ToolUse
	Errors    []Error
	Warnings  []string
	Mended    []Error
	Decisions []policy.Decision
	Down      []string
	LookUp    bool

	declared   map[string]int               // by tool ID, the line of the first phrase that led to it
	unresolved map[string]worker.Unresolved // by phrase, those whose error the script handles
	meant      []meant                      // tools that a refused script means
	guesses    int                          // wrong names that tools were looked for
}

func newBound(s toBind) *bound {
	return &bound{toBind: s, Uses: []ToolUse{}, Warnings: []string{}}
}
