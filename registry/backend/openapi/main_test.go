package openapi

import (
	"os"
	"testing"
)

// TestMain keeps what tests derive out of the user's cache.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "openapi")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // Linux, macOS, Windows
		os.Setenv(name, folder)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}
