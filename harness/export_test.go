package harness

import (
	"context"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/engine"
	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/internal/worker"
)

const (
	LookUpTokens      = bind.LookUpTokens
	MaxAttempts       = rerun.MaxAttempts
	MaxLedger         = engine.MaxLedger
	MaxNestedWarnings = engine.MaxNestedWarnings
	MaxQuestions      = engine.MaxQuestions
	RefusedTokens     = bind.RefusedTokens
)

var (
	NestedMemory  = engine.NestedMemory
	WireSentinels = wireSentinels
)

// WorkFunc runs a script as worker.Run does.
type WorkFunc = func(context.Context, *worker.Script, worker.Host, *worker.Options) (*worker.Outcome, error)

type workKey struct{}

// WithWork returns a context whose runs call work instead of worker.Run.
func WithWork(ctx context.Context, work WorkFunc) context.Context {
	return context.WithValue(ctx, workKey{}, work)
}

func init() {
	runWorker = func(ctx context.Context, s *worker.Script, host worker.Host, o *worker.Options) (*worker.Outcome, error) {
		if work, ok := ctx.Value(workKey{}).(WorkFunc); ok {
			return work(ctx, s, host, o)
		}
		return worker.Run(ctx, s, host, o)
	}
}

// OptionsOf returns the options of a harness.
func OptionsOf(h *Harness) *Options { return &h.opts }

// CatalogOf returns what the scripts of a harness can use.
func CatalogOf(ctx context.Context, h *Harness) (*catalog.Catalog, error) { return h.catalog(ctx) }
