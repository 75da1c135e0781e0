package bind

import (
	"slices"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/wrappers"
)

// mean adds tools that the script means, with the reason to show them.
func (b *Bound) mean(n need, tools ...*wrappers.Tool) {
	for _, t := range tools {
		i := slices.IndexFunc(b.meant, func(m meant) bool { return m.tool == t })
		switch {
		case b.hides(t.ID):
		case i < 0:
			b.meant = append(b.meant, meant{t, n})
		case n < b.meant[i].need:
			b.meant[i].need = n
		}
	}
}

// A finding is an Error and its diagnostic.
type finding struct {
	outcome.Error
	about worker.Diagnostic
}
