//go:build slow

package main

import "testing"

// TestSlowScripts runs what waits for ten seconds of time to pass.
func TestSlowScripts(t *testing.T) { runScripts(t, "testdata/slow") }

func init() { devSets = append(devSets, "azure_mcp_head") }
