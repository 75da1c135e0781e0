package harness_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
)

// TestOlderRecords reads records that earlier versions of the program wrote with the shop of
// newShop. Each folder of testdata/records has a record and, as result.json, the result that
// the version which wrote it read from it. The records are never written again: if this test
// fails, the program no longer reads what users have.
//
// A record names the device and the inode of its file, so that a copy is resumed only with
// Copy; here every record is a copy. Answers are signed with a key of the folder, which is not
// kept beside the records: a person answers anew, and nothing else in a record needs the key.
// Pending calls of "waiting" and "waiting-older" can be answered for 100 years, those of
// "expired" could be for a second.
func TestOlderRecords(t *testing.T) {
	t.Parallel()
	const nothing = "there is nothing to replay"
	for name, c := range map[string]struct {
		status    outcome.Status
		replay    string         // the error, or empty
		resume    string         // the error, or empty
		approvals int            // of pending calls, until the run ends
		settle    string         // the result of call 2, whose outcome is unknown
		after     outcome.Status // of the resumed run; if empty, ok
		stdout    string         // of the resumed run, if it is ok
	}{
		"ok":            {status: outcome.OK, resume: "it ended with ok"},
		"read-only":     {status: outcome.Canceled, after: outcome.Denied},
		"nested":        {status: outcome.OK, resume: "it ended with ok"},
		"dry":           {status: outcome.OK, resume: "it ended with ok"},
		"call":          {status: outcome.OK, replay: nothing, resume: "it is a single call, without a script"},
		"refused":       {status: outcome.CompileError, replay: nothing, resume: "it ended with compile_error"},
		"denied":        {status: outcome.Denied, replay: nothing, resume: "it ended with denied"},
		"waiting":       {status: outcome.Waiting, approvals: 2, stdout: "1 <nil>\n2 <nil>\n"},
		"waiting-older": {status: outcome.Waiting, approvals: 2, stdout: "1 <nil>\n2 <nil>\n"},
		"expired":       {status: outcome.Waiting, after: outcome.Waiting},
		"uncertain":     {status: outcome.Uncertain, settle: `{"content":[],"structuredContent":{"order":7}}`, stdout: "2 7 <nil>\n"},
		"canceled":      {status: outcome.Canceled, stdout: "30\n40 <nil>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "records", name))); err != nil {
				t.Fatal(err)
			}
			records, err := store.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			id := ""
			for sum, err := range records.List(t.Context(), nil) {
				if err != nil || id != "" {
					t.Fatal("not one record: ", id, err)
				}
				id = sum.ID
			}
			run, err := records.Load(id)
			if err != nil || run.Damaged != nil {
				t.Fatal(err, run)
			}
			res, err := outcome.FromRecord(run)
			if err != nil || res.Status != c.status {
				t.Fatal(res, err)
			}
			golden, err := os.ReadFile(filepath.Join(dir, "result.json"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(res)
			if err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(decoded(t, golden), decoded(t, got)); d != "" {
				t.Error(d)
			}

			sold, cat := newShop(t)
			h := harness.New(&harness.Options{Records: records})
			if c.status == outcome.OK || c.replay != "" {
				rep, err := h.Replay(t.Context(), &harness.Replay{Run: run})
				switch {
				case c.replay != "":
					if err == nil || !strings.Contains(err.Error(), c.replay) {
						t.Errorf("replayed: %v", err)
					}
				case err != nil || rep.Difference != nil:
					t.Errorf("replayed: %+v, %v", rep, err)
				}
			}

			s := &harness.Script{Catalog: cat, Policy: &policy.Policy{Approve: policy.ApproveWrites}}
			if _, err := h.Resume(t.Context(), id, s); !errors.Is(err, store.ErrCopy) {
				t.Errorf("the copy was resumed: %v", err)
			}
			s.Origin.Request.Copy = true
			if name == "read-only" { // the server no longer marks the tool
				cat.Registry.Tools[slices.IndexFunc(cat.Registry.Tools, func(t registry.Tool) bool { return t.Name == "stock" })].Annotations = nil
				s.Policy = nil
			}
			if c.settle != "" {
				s.Policy = nil
				var unknown *record.UnknownError
				if _, err := h.Resume(t.Context(), id, s); !errors.As(err, &unknown) {
					t.Fatalf("resumed: %v", err)
				}
				if err := records.Settle(id, &record.Settle{N: 2, Happened: true, Who: "ann", Result: record.Raw([]byte(c.settle))}, 0); err != nil {
					t.Fatal(err)
				}
			}
			if c.resume != "" {
				if _, err := h.Resume(t.Context(), id, s); err == nil || !strings.Contains(err.Error(), c.resume) {
					t.Errorf("resumed: %v", err)
				}
				return
			}
			if name == "expired" {
				if err := records.Answer(record.ApprovalID(id, run.Asks[0].A), &record.Answer{Yes: true, Who: "ann", How: "test"}); !errors.Is(err, store.ErrExpired) {
					t.Errorf("answered: %v", err)
				}
			}
			for range c.approvals {
				if res.Status != outcome.Waiting || len(res.Waiting) != 1 {
					t.Fatalf("%s %+v", res.Text(), res.Waiting)
				}
				answerAll(t, records, res, true, "")
				res = mustResume(t, h, s, id)
				s.Origin.Request.Copy = false // the resumed run made the copy its own
			}
			if c.approvals == 0 {
				res = mustResume(t, h, s, id)
			}
			if after := cmp.Or(c.after, outcome.OK); res.Status != after {
				t.Error(res.Text())
			} else if after == outcome.OK && (res.Stdout != c.stdout || sold.calls["buy"] != c.approvals) {
				t.Errorf("%q %v", res.Stdout, sold.calls)
			}
		})
	}
}

func decoded(t *testing.T, b []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "sandbox") // no record has it
	return v
}
