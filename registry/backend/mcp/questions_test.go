package mcp_test

import "github.com/usetools/usetools/registry/backend/mcp"

func asking(asks bool) *mcp.Options { return &mcp.Options{Asks: asks} }
