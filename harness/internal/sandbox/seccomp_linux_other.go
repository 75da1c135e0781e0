//go:build linux && !amd64 && !arm64

package sandbox

import "runtime"

// denyCalls reports that this architecture has no filter.
func denyCalls(r *Report) {
	r.miss("seccomp: there is no filter for %s; amd64 and arm64 have one", runtime.GOARCH)
}
