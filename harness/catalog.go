package harness

import "github.com/usetools/usetools/harness/catalog"

// Types of package catalog.
type (
	Catalog = catalog.Catalog
	Files   = catalog.Files
)
