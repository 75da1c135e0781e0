package harness_test

import (
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/redact"
)

const printedSecret = "a-kéy\nof two lines"

// hiding are the options of a store that hides printedSecret.
func hiding() *store.StoreOptions {
	r := redact.New(&redact.Secrets{Values: []string{printedSecret, "a-key-too-short"}})
	return &store.StoreOptions{Redact: r.Text, Unfinished: r.Unfinished}
}

// A run that goes on prints what it printed before, of which the record has less, or more,
// than was printed: nothing of it is in the record twice.
func TestARunThatGoesOnPrintsNoPartOfASecret(t *testing.T) {
	_, cat := newShop(t)
	store, err := store.Open(t.TempDir(), hiding())
	if err != nil {
		t.Fatal(err)
	}
	h := harness.New(&harness.Options{Records: store})
	s := &harness.Script{Catalog: cat, Policy: &policy.Policy{Approve: policy.ApproveWrites}}
	res := runs(t, h, s, `
secret := strings.Join([]string{"a-", "k\u00e9y", "\nof two ", "lines"}, "")
fmt.Println("before", "\xff", secret)
fmt.Fprintln(os.Stderr, secret)
o, err := shop.Buy(shop.BuyParams{Item: "nut", Count: 1})
fmt.Println("after", o.Order, err)`)
	if res.Status != outcome.Waiting {
		t.Fatal(res.Text())
	}
	answerAll(t, store, res, true, "")
	if res = mustResume(t, h, s, res.Run); res.Status != outcome.OK {
		t.Fatal(res.Text())
	}
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	if out := run.Stdout(); out != "before \uFFFD •••\nafter 1 <nil>\n" || run.Stderr() != "•••\n" {
		t.Errorf("%q and %q", out, run.Stderr())
	}
}
