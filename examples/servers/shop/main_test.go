package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOrdersAreTheSameInEveryProcess: a comparison asks several of them.
func TestOrdersAreTheSameInEveryProcess(t *testing.T) {
	one, two := made(), made()
	if d := cmp.Diff(one, two); d != "" {
		t.Error(d)
	}
	if o := one[41]; o.ID != 10042 || o.Status != "open" || o.Total != 797.13 {
		t.Errorf("order 42 is %+v", o.Summary)
	}
}
