package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

func opened(t *testing.T, f AuditFile) *Audit {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	a, err := OpenAudit(f, log, NewMetrics(log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// No name or value of a client or a server makes a line long: omitted entries are
// counted.
func TestLinesOfTheAuditAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	a := opened(t, AuditFile{Path: file, Args: true, Required: true})
	args, fields := &Request{Tools: &registry.Registry{}, Inputs: map[string]json.RawMessage{}},
		map[string]any{"+a": "short", "+b": strings.Repeat("x", 1<<20)}
	res := &outcome.Result{Decisions: make([]policy.Decision, 1000)}
	for i := range 1000 {
		name := fmt.Sprintf("%04d%s", i, strings.Repeat("n", 1000))
		args.Inputs[name], fields[name] = json.RawMessage("0"), strings.Repeat("v", 1000)
		res.Tools = append(res.Tools, outcome.ToolUse{Resolution: discovery.Resolution{Phrase: name}})
		res.Decisions[i].Verdict = policy.IsAllowed
	}
	res.Decisions[999].Verdict = policy.IsDenied
	r := a.begin(args)
	r.ready()
	sent, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	r.progress(record.Progress{Call: &record.Call{Tool: "files.wait", Args: record.Raw(sent)}, Done: &record.Done{}})
	r.end("ok", res, 0)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(data)), "\n")
	for i, x := range []struct {
		most  int
		parts []string
	}{
		{10 << 10, []string{`"type":"begin"`, `"0000nnnn`, `"more":{"inputs":950}`}},
		{32 << 10, []string{`"type":"call"`, `"+a":"short"`, `"+b":{"bytes":1048578,"sha256":"`, `":"vvvv`,
			`"more":{"args":952}`}},
		{32 << 10, []string{`"type":"run"`, `"verdict":"denied"`, `"more":{"decisions":950,"inputs":950,"tools":950}`}},
	} {
		if len(lines[i]) > x.most {
			t.Errorf("a line of %d bytes, want at most %d", len(lines[i]), x.most)
		}
		for _, part := range x.parts {
			if !strings.Contains(lines[i], part) {
				t.Errorf("%s is not in %.3000s", part, lines[i])
			}
		}
	}
}

// The script makes up names that a tool does not declare: they are values.
func TestTheAuditNamesDeclaredArgumentsOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	a := opened(t, AuditFile{Path: file})
	tools := &registry.Registry{Tools: []registry.Tool{{Server: "notes", Name: "put",
		Input: json.RawMessage(`{"type":"object","properties":{"title":{}},"additionalProperties":true}`)}}}
	tools.Normalize()
	r := a.begin(&Request{Tools: tools})
	r.progress(record.Progress{Call: &record.Call{Tool: "notes.put", Args: record.Raw([]byte(`{"title":"x","secret-1":1,"secret-2":2}`))},
		Done: &record.Done{}})
	r.end("ok", nil, 0)
	data, err := os.ReadFile(file)
	if text := string(data); err != nil || strings.Contains(text, "secret") ||
		!strings.Contains(text, `"args":{"title":3},"more":{"args":2}`) {
		t.Errorf("%s, %v", data, err)
	}
}

// On Windows a file that is moved, replaced or deleted is noticed without a signal.
func TestTheAuditFollowsItsPath(t *testing.T) {
	for name, take := range map[string]func(file string) error{
		"deleted":  os.Remove,
		"moved":    func(file string) error { return os.Rename(file, file+".old") },
		"replaced": func(file string) error { return errors.Join(os.Remove(file), os.WriteFile(file, nil, 0o600)) },
	} {
		file := filepath.Join(t.TempDir(), "audit.jsonl")
		a := opened(t, AuditFile{Path: file})
		a.follow = true
		if err := errors.Join(a.write([]byte("first\n")), take(file), a.write([]byte("second\n"))); err != nil {
			t.Fatal(name, err)
		}
		if data, err := os.ReadFile(file); string(data) != "second\n" {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
}
