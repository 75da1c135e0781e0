//go:build linux && !amd64 && !arm64

package sandbox

import "runtime"

// denyCalls has no list of calls for this architecture.
func denyCalls(r *Report) {
	r.miss("seccomp: there is no filter for %s; amd64 and arm64 have one", runtime.GOARCH)
}
