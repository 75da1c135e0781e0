package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/stdlib/export/internal/bundle"
)

const advice = "run: go generate ./harness/internal/stdlib/export ./harness/internal/stdlib/symbols"

func TestScriptsSeeTheLibraryOfTheGoVersionInGoMod(t *testing.T) {
	checkedIn, err := os.ReadFile("../../std.bin")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(checkedIn)
	if err != nil {
		t.Fatalf("std.bin: %v; %s", err, advice)
	}
	for _, path := range export.Packages() {
		if b.Data[path] == nil {
			t.Errorf("std.bin lacks %s of allow.txt; %s", path, advice)
		}
	}
	if len(b.Data) != len(export.Packages()) {
		t.Errorf("std.bin has %d packages, allow.txt %d; %s", len(b.Data), len(export.Packages()), advice)
	}
	if got, want := language(b.Release), goMod(t); got != want {
		t.Fatalf("std.bin is of %s, go.mod asks for %s; %s", b.Release, want, advice)
	}
	if b.Release != runtime.Version() {
		t.Skipf("std.bin is of %s, this is %s: only the release is compared", b.Release, runtime.Version())
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to compare with")
	}
	fresh, err := generate(export.Packages())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, checkedIn) {
		t.Errorf("std.bin is stale (%d bytes, fresh %d); %s", len(checkedIn), len(fresh), advice)
	}
}

// language turns go1.26.8 into 1.26.
func language(release string) string {
	parts := strings.SplitN(strings.TrimPrefix(release, "go"), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func goMod(t *testing.T) string {
	src, err := os.ReadFile("../../../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "go" {
			return language(f[1])
		}
	}
	t.Fatal("go.mod has no go line")
	return ""
}
