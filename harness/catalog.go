package harness

import "github.com/usetools/usetools/harness/catalog"

// Types of package catalog.
type (
	Catalog        = catalog.Catalog
	CatalogError   = catalog.Error
	Caller         = catalog.Caller
	ArgumentsError = catalog.ArgumentsError
	Asking         = catalog.Asking
	Files          = catalog.Files
	Overview       = catalog.Overview
	OverviewServer = catalog.OverviewServer
)

// RegistryFile is the default name of a registry, beside the first config.
const RegistryFile = catalog.RegistryFile
