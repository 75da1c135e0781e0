package main

import (
	"bytes"
	"os"
	"testing"
)

func TestInterpreterHasWhatTheTypesPromise(t *testing.T) {
	checkedIn, err := os.ReadFile("../../table.go")
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, checkedIn) {
		t.Errorf("table.go is stale; run: go generate ./harness/internal/stdlib/export ./harness/internal/stdlib/symbols")
	}
}
