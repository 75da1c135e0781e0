package rt

import (
	"go/types"

	"github.com/usetools/usetools/harness/internal/gotype"
)

// TypeName writes a type as reflect's String does.
func TypeName(t types.Type) string { return gotype.TypeName(t) }

// ArgumentNames writes type arguments as in the name of an instance.
func ArgumentNames(args []types.Type) string { return gotype.ArgumentNames(args) }
