package console

import (
	"context"
	"errors"
	"testing"
)

// A viewer has one turn at a time, so that others have theirs.
func TestATurnKeepsNobodyOut(t *testing.T) {
	all := newTurns(2)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	ann, bob, cy := &Viewer{Token: "ann"}, &Viewer{Token: "bob"}, &Viewer{Token: "cy"}
	release, err := all.take(t.Context(), ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.take(over, ann); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one: %v", err)
	}
	other, err := all.take(t.Context(), bob)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.take(over, cy); !errors.Is(err, context.Canceled) {
		t.Errorf("a third one: %v", err)
	}
	release()
	for _, v := range []*Viewer{cy, ann} {
		got, err := all.take(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		got()
	}
	other()
}
