package gotype

import (
	"runtime"
	"strings"
	"testing"
)

// TestCheckAnswers: a Go whose types are known is taken, another one refused with the
// names of those that work; neither crashes.
func TestCheckAnswers(t *testing.T) {
	err := Check()
	if err == nil {
		t.Logf("%s on %s: types can be made", runtime.Version(), runtime.GOARCH)
		return
	}
	t.Log(err)
	if v := runtime.Version(); !strings.Contains(err.Error(), v) || !strings.Contains(err.Error(), Releases) {
		t.Errorf("it names neither %s nor %s", v, Releases)
	}
	for _, known := range strings.Split(Releases, " and ") {
		if strings.HasPrefix(runtime.Version(), known) && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
			t.Errorf("%s is one of those that work", runtime.Version())
		}
	}
}
