package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// eachLine calls f with the lines of a JSON Lines file.
func eachLine(t *testing.T, path string, f func(line []byte) error) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if err := f(line); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// devSets are the sets that are compared.
var devSets = []string{"mongodb_mcp", "api_bank"}

// The development sets of package discovery through the command line must be
// answered as by the library.
func TestResolveAnswersDevelopmentSetsAsTheLibrary(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of phrases, one after another")
	}
	for _, set := range devSets {
		t.Run(set, func(t *testing.T) { compareSet(t, filepath.Join("..", "..", "discovery", "testdata", set)) })
	}
}

func compareSet(t *testing.T, dir string) {
	reg := &registry.Registry{}
	idOf := map[string]string{} // the set's → the registry's
	eachLine(t, filepath.Join(dir, "tools.jsonl"), func(line []byte) error {
		var x struct {
			ID, Server, Name, Description string
			Input                         json.RawMessage `json:"input_schema"`
		}
		err := json.Unmarshal(line, &x)
		reg.Tools = append(reg.Tools, registry.Tool{Server: x.Server, Name: x.Name, Description: x.Description,
			Input: x.Input})
		idOf[x.ID] = registry.ToolID(x.Server, x.Name)
		return err
	})
	reg.Normalize()
	file := filepath.Join(t.TempDir(), "tool_registry.json")
	if err := reg.Save(file); err != nil {
		t.Fatal(err)
	}
	var phrases []string
	var gold [][]string
	eachLine(t, filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
		var q struct {
			Query string
			Gold  []string
		}
		err := json.Unmarshal(line, &q)
		for i, id := range q.Gold {
			q.Gold[i] = idOf[id]
		}
		phrases, gold = append(phrases, strings.ReplaceAll(q.Query, "\n", " ")), append(gold, q.Gold)
		return err
	})

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self, "-registry", file, "-no-memory", "-q", "resolve", "-json", "-k", "30",
		"-")
	cmd.Env = append(os.Environ(), asHarness+"=1")
	cmd.Stdin, cmd.Stdout = strings.NewReader(strings.Join(phrases, "\n")), &out
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != exitNotFound {
		t.Fatalf("ended with %v, want exit code %d", err, exitNotFound)
	}
	ix, err := discovery.New(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 1<<20)
	var command, library metrics
	for i, phrase := range phrases {
		if !lines.Scan() {
			t.Fatalf("%d answers for %d phrases", i, len(phrases))
		}
		var got discovery.Resolution
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		want, err := ix.Resolve(phrase, &discovery.ResolveOptions{Alone: true, Candidates: 30})
		if err != nil {
			t.Fatal(err)
		}
		if got.Tool != want.Tool || got.Verdict != want.Verdict || !slices.Equal(got.Candidates, want.Candidates) {
			t.Errorf("%q: %+v, the library says %+v", phrase, got, want)
		}
		command.count(&got, gold[i])
		library.count(&want, gold[i])
	}
	t.Logf("%d phrases: %v", len(phrases), command.shares())
	if diff := cmp.Diff(library.shares(), command.shares()); diff != "" {
		t.Errorf("library and command differ (-library +command):\n%s", diff)
	}
}

// metrics of a set of phrases, as sums.
type metrics struct{ phrases, top1, top3, recall5, mrr, resolved, right float64 }

func (m *metrics) count(r *discovery.Resolution, gold []string) {
	m.phrases++
	if r.Verdict == discovery.Resolved {
		m.resolved++
		if slices.Contains(gold, r.Tool) {
			m.right++
		}
	}
	at := slices.IndexFunc(r.Candidates, func(c discovery.Candidate) bool { return slices.Contains(gold, c.ID) })
	if at < 0 {
		return
	}
	m.mrr += 1 / float64(at+1)
	for place, sum := range map[int]*float64{1: &m.top1, 3: &m.top3, 5: &m.recall5} {
		if at < place {
			*sum++
		}
	}
}

// shares are the metrics in percent of the phrases; right is that of the
// resolved ones.
func (m *metrics) shares() map[string]string {
	out := map[string]string{"resolved right": fmt.Sprintf("%.1f", 100*m.right/max(1, m.resolved))}
	for name, sum := range map[string]float64{"top-1": m.top1, "top-3": m.top3, "any in 5": m.recall5, "MRR": m.mrr,
		"resolved": m.resolved} {
		out[name] = fmt.Sprintf("%.1f", 100*sum/m.phrases)
	}
	return out
}
