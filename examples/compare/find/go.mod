// Scripts are run by cmd/harness, not by the go tool: UseTools, Return and the
// servers packages exist only there. A module of its own keeps this folder out
// of ./... of the module around it.
module script

go 1.26
