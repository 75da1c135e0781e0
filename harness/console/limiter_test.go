package console

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
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

// checker is a host that counts the scripts that it is to check.
type checker struct {
	Host
	checks int
}

func (h *checker) Check(context.Context, *Viewer, *Script) (*outcome.Result, error) {
	h.checks++
	return &outcome.Result{}, nil
}

// A viewer checks one script at a time, so that others are checked too.
func TestCheckingKeepsNobodyOut(t *testing.T) {
	host := &checker{}
	c := New(&Options{Host: host, Records: store.Memory(1, nil)})
	defer c.Close()
	ann, bob := &view{Viewer: &Viewer{Token: "ann"}, c: c}, &view{Viewer: &Viewer{Token: "bob"}, c: c}
	release, err := c.checking.take(t.Context(), ann.Viewer) // one of ann's is being checked
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ann.checks(over, &edited{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one: %v", err)
	}
	for _, v := range []*view{bob, bob} {
		if _, err := v.checks(t.Context(), &edited{}); err != nil {
			t.Error(err)
		}
	}
	release()
	if _, err := ann.checks(t.Context(), &edited{}); err != nil || host.checks != 3 {
		t.Errorf("%v, %d checks", err, host.checks)
	}
}

// A form with answers waits for its turn to read records.
func TestAnswersWaitForTheirTurn(t *testing.T) {
	c := New(&Options{Records: store.Memory(1, nil)})
	defer c.Close()
	if err := c.reading.Acquire(t.Context(), 2); err != nil { // others read
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(over, "POST", "/approvals", nil)
	r.PostForm = url.Values{"answer": {"yes"}, "ids": {"0123456789.1 digest"}}
	v := &view{Viewer: &Viewer{Operator: true}, c: c, r: r}
	if err := v.answer(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that says that it waited", err)
	}
}

// A file that is sent for too long ends, so that others have their turn.
func TestAFileIsNotSentForEver(t *testing.T) {
	c := New(&Options{Records: store.Memory(1, nil)})
	defer c.Close()
	to := httptest.NewRecorder()
	v := &view{Viewer: &Viewer{}, c: c, r: httptest.NewRequest("GET", "/runs/x/record", nil), w: to}
	release, err := v.sends()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := v.w.Write([]byte("a")); err != nil {
		t.Error(err)
	}
	v.w.(*timedWriter).end = time.Now().Add(-time.Second)
	if _, err := v.w.Write([]byte("b")); !errors.Is(err, os.ErrDeadlineExceeded) || to.Body.String() != "a" {
		t.Errorf("%v, %q", err, to.Body)
	}
}

// A yes is used once, of all processes with the store.
func TestAYesIsUsedOnce(t *testing.T) {
	dir := t.TempDir()
	v, tool := &Viewer{Name: "ann"}, &wrappers.Tool{Tool: &registry.Tool{ID: "shop.refund"}}
	args := []byte(`{"a":1}`)
	var yes string
	for i, want := range []error{nil, errConfirmed} {
		store, err := store.Open(dir, nil) // each time another process
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if yes, err = confirmDigest(store, v, tool, args); err != nil {
				t.Fatal(err)
			}
		}
		if err := confirmCall(store, v, tool, args, yes, time.Now()); !errors.Is(err, want) {
			t.Errorf("the yes no. %d: %v", i+1, err)
		}
		if err := confirmCall(store, v, tool, args, yes, time.Now().Add(confirmFor+time.Minute)); err == nil ||
			!strings.Contains(err.Error(), "expired") {
			t.Errorf("an old one: %v", err)
		}
	}
}
