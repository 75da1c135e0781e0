package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// secrets have all that JSON may spell in another way.
var secrets = []string{"token-0123456789", `pass"w\ord/1`, "pa<ss>&word", "clé-secrète", "line\nfeed-key",
	"8675309123"}

func hide(text string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "•••")
	}
	return text
}

// spellings are a text as it may be written, in and outside of JSON.
func spellings(s string) []string {
	plain, _ := json.Marshal(s)
	var short bytes.Buffer
	e := json.NewEncoder(&short)
	e.SetEscapeHTML(false)
	e.Encode(s)
	ascii := fmt.Sprintf("%+q", s)
	var all strings.Builder // each character as \uXXXX
	for _, r := range s {
		fmt.Fprintf(&all, `\u%04x`, r)
	}
	return []string{s, string(plain[1 : len(plain)-1]), strings.Trim(short.String(), "\"\n"), ascii[1 : len(ascii)-1],
		strings.ReplaceAll(strings.Trim(short.String(), "\"\n"), "/", `\/`), all.String()}
}

// TestNoSecretIsWritten looks for secrets, and for what is not to be kept, in all
// files, in every spelling.
func TestNoSecretIsWritten(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, &store.StoreOptions{Redact: hide, Unkept: func(tool string) bool {
		return strings.HasPrefix(tool, "bank.")
	}})
	if err != nil {
		t.Fatal(err)
	}
	begin := &record.Begin{Name: secrets[0], Subject: secrets[1], Inputs: record.Values{}, Stored: record.Values{}}
	w, err := s.Begin(begin)
	if err != nil {
		t.Fatal(err)
	}
	const balance = "balance-is-42-million"
	n := 0
	for _, secret := range append(secrets, balance) {
		tool := "git.log"
		if secret == balance {
			tool = "bank.balance"
		}
		for _, spelled := range spellings(secret) {
			if json.Valid([]byte(`"` + spelled + `"`)) {
				nested, _ := json.Marshal(`{"inner": "` + spelled + `"}`)
				for _, value := range []string{
					`"` + spelled + `"`, `{ "a": ["` + spelled + `"] }`, `{"` + spelled + `":1}`, string(nested),
					`{"a":"` + spelled + `","b":"` + strings.Repeat("long ", 20_000) + `"}`, // beside the record
				} {
					n++
					add(t, w, &record.Call{N: n, Tool: tool, Args: record.Raw([]byte(value))})
					add(t, w, &record.Done{N: n, Result: record.Raw([]byte(value)), Error: "failed: " + secret,
						Message: secret, Suspect: secret})
				}
			}
		}
		if secret == balance {
			continue
		}
		raw, _ := json.Marshal([]map[string]string{{"phrase": "find " + secret}})
		add(t, w, &record.Tools{Phrases: raw, Tools: []record.Tool{{ID: "a.b", Why: secret, Input: raw}},
			Units: []record.Unit{{Source: record.String("x := " + secret)}}})
		add(t, w, &record.Note{Stdout: "printed " + secret, Stderr: secret, Warning: secret})
		add(t, w, &record.Guess{N: 1000 + n, Tool: "a.b", Result: record.String(secret)})
		add(t, w, &record.Child{Name: secret, Script: record.String(secret),
			Inputs: record.Values{secret: record.String(secret)}})
		add(t, w, &record.End{Value: record.String(secret), Warnings: []string{secret}, Error: raw})
	}
	add(t, w, &record.Call{N: 5000, Tool: "git.log", Args: record.Raw([]byte(`{"pin":8675309123}`))})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range append(secrets, balance) {
			for _, spelled := range spellings(secret) {
				// In a string of JSON in a string of JSON there is one more escape.
				twice, _ := json.Marshal(spelled)
				if bytes.Contains(data, []byte(spelled)) || bytes.Contains(data, twice[1:len(twice)-1]) {
					t.Errorf("%s has %q", filepath.Base(path), spelled)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Load(w.ID())
	if err != nil || r.Damaged != nil {
		t.Fatal(err, r.Damaged)
	}
	for _, m := range r.Calls {
		if m.Call == nil {
			continue
		}
		shown, err := r.Value(m.Args)
		switch bank := m.Tool == "bank.balance"; {
		case !m.Args.Redacted:
			t.Errorf("call %d is not marked: %+v", m.N, m.Args)
		case bank && !errors.Is(err, record.ErrNotKept):
			t.Errorf("call %d is kept: %s, %v", m.N, shown, err)
		case !bank && (err != nil || !json.Valid(shown) || !bytes.Contains(shown, []byte("•••"))):
			t.Errorf("call %d is shown as %.100q, %v", m.N, shown, err)
		}
	}
	last := r.Calls[len(r.Calls)-1].Args
	if string(last.JSON) != `{"pin":"•••"}` {
		t.Errorf("a secret number: %s", last.JSON)
	}
	if same, err := r.Same(last, []byte(`{"pin":8675309123}`)); !same || err != nil {
		t.Errorf("what was redacted is not known again: %v", err)
	}
	if same, err := r.Same(last, []byte(`{"pin":8675309124}`)); same || err != nil {
		t.Errorf("another value is taken for it: %v", err)
	}
}

func TestWhatHasNoSecretKeepsItsBytes(t *testing.T) {
	s := store.Memory(1, &store.StoreOptions{Redact: hide})
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	const value = `{ "a\u0062": "\/", "n": 1.0e0 }`
	add(t, w, &record.Done{Result: record.Raw([]byte(value))})
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Lines[1].(*record.Done).Result; d.Redacted || string(d.JSON) != value {
		t.Errorf("%+v", d)
	}
}

func TestTheLinesOfTheCallerStay(t *testing.T) {
	s := store.Memory(1, &store.StoreOptions{Redact: hide, Unkept: func(string) bool { return true }})
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	c := &record.Child{Script: record.String(secrets[0]), Inputs: record.Values{"a": record.String(secrets[0])}}
	add(t, w, c)
	if c.Script.Text() != secrets[0] || c.Inputs["a"].Text() != secrets[0] || c.Script.Redacted {
		t.Errorf("%+v", c)
	}
	if c.Type != "child" || c.Time.IsZero() {
		t.Errorf("type and time: %+v", c.Head)
	}
}

func TestAValueThatWasChangedIsAnError(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Begin(&record.Begin{Script: record.String(strings.Repeat("x", record.MaxInline))})
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, &record.Done{Result: record.String(strings.Repeat("x", record.MaxInline))})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	values, err := filepath.Glob(filepath.Join(dir, "*.run", "*"))
	if err != nil || len(values) != 1 {
		t.Fatalf("two values with the same bytes stand beside the record as %v, %v", values, err)
	}
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Value(r.Begin.Script); err != nil || len(b) != record.MaxInline+2 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if err := os.WriteFile(values[0], []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := r.Value(r.Begin.Script); err == nil {
		t.Errorf("read %q", b)
	}
	if _, err := r.Value(record.Data{SHA256: "../../" + strings.Repeat("0", 58), Bytes: 1}); err == nil {
		t.Error("a path was read")
	}
}

// TestASecretInMuchPrintedTextIsNotWritten has one where a note ends and the next
// one begins.
func TestASecretInMuchPrintedTextIsNotWritten(t *testing.T) {
	s := store.Memory(1, &store.StoreOptions{Redact: hide})
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("é", record.MaxText/2-4) + secrets[0] + strings.Repeat("€", record.MaxText)
	add(t, w, &record.Note{Path: "p", Stdout: text, Stderr: "short"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Stdout(); got != hide(text) {
		t.Errorf("%d bytes: %.40q … %.40q", len(got), got, got[len(got)-40:])
	}
	if r.Stderr() != "short" || len(r.Notes) < 4 {
		t.Errorf("%d notes, %q", len(r.Notes), r.Stderr())
	}
	for _, n := range r.Notes {
		if len(n.Stdout) > record.MaxText || n.Path != "p" {
			t.Errorf("a note of %d bytes of path %q", len(n.Stdout), n.Path)
		}
	}
}

func TestTheKeyIsNotWrittenThroughALink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, "key")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	s, err := store.Open(dir, &store.StoreOptions{Redact: hide})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(&record.Begin{Script: record.String(secrets[0])}); err == nil {
		t.Error("a record was made with a key that is a link")
	}
	if b, err := os.ReadFile(other); string(b) != "precious" {
		t.Errorf("it is %q now, %v", b, err)
	}
}

// A server may refuse a call with megabytes of words.
func TestALongErrorIsCutAndTheRecordGoesOn(t *testing.T) {
	s := store.Memory(1, nil)
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, &record.Call{N: 1, Tool: "a.b", Args: record.Raw([]byte("{}"))})
	long := strings.Repeat("no ", 3<<20)
	add(t, w, &record.Done{N: 1, Error: long, Message: long})
	add(t, w, &record.End{Status: "ok"})
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Calls[0].Done; len(d.Error) > record.MaxInline || !strings.HasPrefix(d.Error, "no no ") || r.End == nil {
		t.Errorf("an error of %d bytes, end %v", len(d.Error), r.End)
	}
}
