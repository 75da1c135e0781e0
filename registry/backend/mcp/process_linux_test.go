package mcp_test

import (
	"fmt"
	"os"
	"strings"
)

// zombie reports whether a process has ended and nobody has reaped it: in a
// container, whoever inherits orphans may not.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}
