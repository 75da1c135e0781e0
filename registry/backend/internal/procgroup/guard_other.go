//go:build !unix

package procgroup

import "os/exec"

// Guard guards nothing: this platform has no process groups to signal.
func Guard(*exec.Cmd) (release func()) { return func() {} }
