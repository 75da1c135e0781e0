package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/usetools/usetools/harness"
)

// Bounds of the audit files: FILE, and FILE.1 to FILE.4, the oldest last.
const (
	auditSize  = 64 << 20
	auditFiles = 5
)

// audit records each run, each call and each saved script as a line of JSON. A
// record that cannot be written is an error in the log and in the metrics;
// serving goes on, unless records are required.
type audit struct {
	path    string
	log     *slog.Logger
	metrics *metrics
	args    bool
	max     int64
	fail    func(error) // ends serving, where records are required; nil: they are not

	mu     sync.Mutex
	file   *os.File
	size   int64
	failed bool // the last write; told once, until it works again
}

// openAudit opens the file, which may grow from an earlier server; path empty:
// a nil audit, which records nothing.
func openAudit(path string, args bool, log *slog.Logger, m *metrics) (*audit, error) {
	if path == "" {
		return nil, nil
	}
	a := &audit{path: path, args: args, log: log, metrics: m, max: auditSize}
	if err := a.open(); err != nil {
		return nil, fmt.Errorf("opening the audit file: %w", err)
	}
	return a, nil
}

func (a *audit) open() error {
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	a.file, a.size = f, info.Size()
	return nil
}

// rotate moves the file to FILE.1, and so on.
func (a *audit) rotate() error {
	a.file.Close()
	a.file = nil
	for i := auditFiles - 1; i > 0; i-- {
		from := fmt.Sprintf("%s.%d", a.path, i-1)
		if i == 1 {
			from = a.path
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", a.path, i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// write appends lines and makes them last. An error was told already.
func (a *audit) write(lines []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.append(lines)
	switch {
	case err != nil:
		a.metrics.auditFailed.Add(1)
		so := "goes on without"
		if a.fail != nil {
			so = "ends (-audit-required)"
			a.fail(fmt.Errorf("the audit cannot be written, and it is required: %w", err))
		}
		if !a.failed {
			a.log.Error("THE AUDIT CANNOT BE WRITTEN; serving "+so, "file", a.path, "error", err)
		}
	case a.failed:
		a.log.Warn("the audit is written again; records are missing", "file", a.path)
	}
	a.failed = err != nil
	return err
}

func (a *audit) append(lines []byte) error {
	if a.file != nil && a.size > 0 && a.size+int64(len(lines)) > a.max {
		if err := a.rotate(); err != nil {
			return err
		}
	}
	if a.file == nil {
		if err := a.open(); err != nil {
			return err
		}
	}
	n, err := a.file.Write(lines)
	a.size += int64(n)
	if err == nil {
		err = a.file.Sync()
	}
	if err != nil { // it may be another disk next time
		if n > 0 && n < len(lines) {
			a.file.Truncate(a.size - int64(n)) // no half lines, if that can be
		}
		a.file.Close()
		a.file = nil
	}
	return err
}

// Close closes the file.
func (a *audit) Close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	defer func() { a.file = nil }()
	return a.file.Close()
}

// record is one run in the making.
type record struct {
	a     *audit
	run   string
	begun time.Time
	head  runLine

	mu    sync.Mutex
	calls []callLine
}

// beginLine is the line of a run that is about to begin; such lines are written
// where records are required.
type beginLine struct {
	Type    string         `json:"type"` // "begin"; "run" in a runLine
	Time    time.Time      `json:"time"`
	Run     string         `json:"run"`
	Session string         `json:"session"`
	Token   string         `json:"token,omitempty"` // its name, where there are several
	Script  string         `json:"script"`          // its SHA-256
	Bytes   int            `json:"bytes"`
	Inputs  map[string]int `json:"inputs,omitempty"` // bytes by name
}

// runLine is the line of a run that has ended.
type runLine struct {
	beginLine
	Status    string             `json:"status"`
	Ms        float64            `json:"ms"`
	Tools     []toolLine         `json:"tools,omitempty"`
	Decisions []harness.Decision `json:"decisions,omitempty"`
	Calls     int                `json:"calls"`
	Error     string             `json:"error,omitempty"`
}

// toolLine is what a phrase came to.
type toolLine struct {
	Phrase string `json:"phrase,omitempty"`
	Tool   string `json:"tool,omitempty"`
	By     string `json:"by,omitempty"`
}

// callLine is the line of a call.
type callLine struct {
	Type string         `json:"type"` // "call"
	Time time.Time      `json:"time"`
	Run  string         `json:"run"`
	Tool string         `json:"tool"`
	Args map[string]any `json:"args,omitempty"` // bytes by name; with AuditArgs the values
	Ms   float64        `json:"ms"`
	Size int            `json:"bytes"` // of the result
	OK   bool           `json:"ok"`
}

// scriptLine is the line of a saved script that a run, or one in it, ran.
type scriptLine struct {
	Type   string         `json:"type"` // "script"
	Time   time.Time      `json:"time"`
	Run    string         `json:"run"`
	Name   string         `json:"name"`
	Script string         `json:"script"` // its SHA-256
	Depth  int            `json:"depth"`  // 1: the run's own script ran it
	Status harness.Status `json:"status"`
	Ms     float64        `json:"ms"`
}

func (a *audit) begin(c *session, args *executeArgs) *record {
	if a == nil {
		return nil
	}
	now := time.Now().UTC()
	sum := sha256.Sum256([]byte(args.Script))
	hash := hex.EncodeToString(sum[:])
	inputs := map[string]int{}
	for name, v := range args.Inputs {
		inputs[cutText(name, 100)] = len(v)
	}
	run := fmt.Sprintf("%x-%s", now.UnixNano(), hash[:8])
	return &record{a: a, run: run, begun: now, head: runLine{
		beginLine: beginLine{Type: "run", Time: now, Run: run, Session: c.id, Token: c.owner.token(), Script: hash, Bytes: len(args.Script), Inputs: inputs},
	}}
}

// ready records that the run is about to begin, where records are required: the
// error is that it cannot be recorded and must not begin.
func (r *record) ready() error {
	if r == nil || r.a.fail == nil {
		return nil
	}
	line := r.head.beginLine
	line.Type = "begin"
	if err := r.a.write(appendLine(nil, line)); err != nil {
		return errors.New("the server ends, as its audit cannot be written; nothing has run")
	}
	return nil
}

func (r *record) call(ev harness.CallEvent) {
	if r == nil || ev.Done == nil {
		return
	}
	args := map[string]any{}
	var fields map[string]json.RawMessage
	json.Unmarshal(ev.Args, &fields) // no object: no fields
	for name, v := range fields {
		if r.a.args {
			args[name] = v
		} else {
			args[name] = len(v)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, callLine{Type: "call", Time: time.Now().UTC(), Run: r.run, Tool: ev.Tool.ID, Args: args, Ms: ev.Done.Ms, Size: ev.Done.Bytes, OK: ev.Done.Error == nil})
}

func (r *record) end(status string, res *harness.Result, d time.Duration) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &r.head
	h.Status, h.Ms, h.Calls = status, float64(d.Microseconds())/1000, len(r.calls)
	if res != nil {
		h.Decisions = res.Decisions
		for _, u := range res.Tools {
			h.Tools = append(h.Tools, toolLine{u.Phrase, u.Tool, string(u.By)})
		}
		if res.Error != nil {
			h.Error = string(res.Error.Kind)
		}
	}
	var lines []byte
	for _, c := range r.calls {
		lines = appendLine(lines, c)
	}
	if res != nil {
		for _, n := range res.Scripts {
			lines = appendLine(lines, scriptLine{"script", n.Time, r.run, n.Name, n.Hash, n.Depth, n.Status, n.Ms})
		}
	}
	r.a.write(appendLine(lines, h))
}

func appendLine(lines []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"type": "error", "error": err.Error()})
	}
	return append(append(lines, b...), '\n')
}
