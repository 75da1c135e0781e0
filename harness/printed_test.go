package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/redact"
)

const printedSecret = "a-kéy\nof two lines"

// hiding are the options of a store that hides printedSecret.
func hiding() *record.StoreOptions {
	r := redact.New(&redact.Secrets{Values: []string{printedSecret, "a-key-too-short"}})
	return &record.StoreOptions{
		Redact:     func(b []byte) []byte { return []byte(r.Text(string(b))) },
		Unfinished: func(b []byte) int { return r.Unfinished(string(b)) },
	}
}

// A secret that is printed byte by byte while the record is written is not in the record,
// and nothing else of what was printed is missing.
func TestNoPartOfAPrintedSecretIsInTheRecord(t *testing.T) {
	text := "x a-k" + printedSecret + "y\n" + printedSecret + "\xff a-ké"
	want := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), printedSecret, "•••")
	for step := 1; step <= len(text); step++ {
		store := record.Memory(1, hiding())
		j := newJournal(&Script{})
		if err := j.begin(New(&Options{Records: store}), &Script{}, limits()); err != nil {
			t.Fatal(err)
		}
		out, errs := j.stdout(nil), j.stderr(nil)
		at := time.Now()
		for i := 0; i < len(text); i += step {
			part := text[i:min(i+step, len(text))]
			out(at.Add(time.Duration(i)*time.Second), i/7, []byte(part))
			errs(at, 1, []byte(part))
			j.uses(worker.Usage{At: at.Add(time.Duration(i) * 2 * time.Second)})
			if err := j.add(&record.Note{Warning: "w"}); err != nil {
				t.Fatal(err)
			}
		}
		j.end(&Result{Status: OK})
		run, err := store.Load(j.id())
		if err != nil {
			t.Fatal(err)
		}
		if run.Stdout() != want || run.Stderr() != want {
			t.Errorf("in parts of %d bytes: %q and %q, want %q", step, run.Stdout(), run.Stderr(), want)
		}
		if a, b := run.PrintedBytes(); a != len(text) || b != len(text) {
			t.Errorf("in parts of %d bytes: %d and %d bytes, want %d", step, a, b, len(text))
		}
	}
}

// A run that goes on prints what it printed before, of which the record has less, or more,
// than was printed: nothing of it is in the record twice.
func TestARunThatGoesOnPrintsNoPartOfASecret(t *testing.T) {
	_, cat := newShop(t)
	store, err := record.Open(t.TempDir(), hiding())
	if err != nil {
		t.Fatal(err)
	}
	h := New(&Options{Records: store})
	s := &Script{Catalog: cat, Policy: &Policy{Approve: ApproveWrites}}
	res := runs(t, h, s, `
secret := strings.Join([]string{"a-", "k\u00e9y", "\nof two ", "lines"}, "")
fmt.Println("before", "\xff", secret)
fmt.Fprintln(os.Stderr, secret)
o, err := shop.Buy(shop.BuyParams{Item: "nut", Count: 1})
fmt.Println("after", o.Order, err)`)
	if res.Status != Waiting {
		t.Fatal(res.Text())
	}
	answerAll(t, store, res, true, "")
	if res = mustResume(t, h, s, res.Run); res.Status != OK {
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
