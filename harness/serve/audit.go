package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Bounds of the audit files: FILE, and FILE.1 to FILE.4, the oldest last. Where
// records are required there are as many as it takes.
const (
	auditSize  = 64 << 20
	auditFiles = 5
)

// Bounds of a line, so that a run cannot be a flood: the entries of each of its
// lists, the characters of a name or phrase, and the bytes of all its values.
const (
	auditEntries = 50
	auditName    = 100
	auditValues  = 16 << 10
)

// audit records each run, each call and each saved script as a line of JSON. A
// record that cannot be written is an error in the log and in the metrics, and
// so is a file of records that must make room; serving goes on. Where records
// are required none is deleted, and serving ends when one cannot be written.
//
// The file may be a pipe or a device, which is neither rotated nor synced. What
// does not take a line in time has not taken it.
type audit struct {
	path    string
	log     *slog.Logger
	metrics *metrics
	args    bool
	max     int64
	wait    time.Duration // for a line
	also    io.Writer     // gets each line too; nil: nobody
	fail    func(error)   // ends serving, where records are required; nil: they are not

	turn chan struct{}    // has one, of who uses the file:
	file *os.File         // nil: to be opened
	is   os.FileInfo      // what was opened
	size int64            // of a file
	half bool             // a pipe has taken half a line
	by   map[string]int64 // bytes in the file, of each token

	mu     sync.Mutex
	failed bool // the last write; told once, until it works again
}

// Times that a line may take, and one after another that was late.
const (
	auditWait = 5 * time.Second
	auditLate = time.Second
)

var (
	errAuditLate = errors.New("it takes too long: its disk, or who reads from it, hangs")
	errAuditGone = errors.New("it was moved, replaced or deleted while it was in use")
)

// openAudit opens the file, which may grow from an earlier server; path empty:
// a nil audit, which records nothing.
func openAudit(path string, args bool, log *slog.Logger, m *metrics) (*audit, error) {
	if path == "" {
		return nil, nil
	}
	a := &audit{path: path, args: args, log: log, metrics: m, max: auditSize, wait: auditWait,
		turn: make(chan struct{}, 1)}
	if err := a.within(a.wait, func(time.Time) error { return a.open() }); err != nil {
		return nil, fmt.Errorf("opening the audit file: %w", err)
	}
	return a, nil
}

// within does something with the file. That may go on after it was too late.
func (a *audit) within(wait time.Duration, do func(until time.Time) error) error {
	until := time.Now().Add(wait)
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case a.turn <- struct{}{}:
	case <-late.C:
		return errAuditLate
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-a.turn }()
		done <- do(until)
	}()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return errAuditLate
	}
}

func (a *audit) open() error {
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		return fmt.Errorf("%w: nobody reads from this pipe", err)
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	a.file, a.is, a.size, a.by = f, info, info.Size(), map[string]int64{}
	return nil
}

// rotate moves the file to FILE.1, and so on. The last one goes for that, which
// is told with who wrote the most of what takes its place.
func (a *audit) rotate() error {
	a.file.Close()
	a.file = nil
	number := func(i int) string { return fmt.Sprintf("%s.%d", a.path, i) }
	last := 1
	for ; last < auditFiles-1 || a.fail != nil; last++ {
		if _, err := os.Lstat(number(last)); errors.Is(err, os.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
	}
	if _, err := os.Lstat(number(last)); err == nil {
		a.metrics.auditDeleted.Add(1)
		most := ""
		for token, n := range a.by {
			if n > a.by[most] {
				most = token
			}
		}
		a.log.Warn("THE AUDIT DELETES ITS OLDEST RECORDS to make room (with -audit-required it does not)",
			"file", number(last), "latest_mostly_of_token", most, "bytes", a.by[most], "of", a.size)
	}
	for i := last; i > 0; i-- {
		from := number(i - 1)
		if i == 1 {
			from = a.path
		}
		if err := os.Rename(from, number(i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// write appends lines, of the holder of a token, and makes them last. An error
// was told already.
func (a *audit) write(token string, lines []byte) error {
	a.mu.Lock()
	wait := a.wait
	if a.failed {
		wait = min(wait, auditLate)
	}
	a.mu.Unlock()
	err := a.within(wait, func(until time.Time) error {
		err := a.append(token, lines, until)
		if a.also != nil {
			_, other := a.also.Write(lines)
			err = errors.Join(err, other)
		}
		return err
	})
	a.mu.Lock()
	defer a.mu.Unlock()
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

func (a *audit) append(token string, lines []byte, until time.Time) error {
	regular := func() bool { return a.is.Mode().IsRegular() }
	if a.file != nil && regular() {
		if is, err := os.Stat(a.path); err != nil || !os.SameFile(is, a.is) {
			a.file.Close()
			a.file = nil
			if a.fail != nil {
				return errAuditGone
			}
			a.log.Warn("another audit file begins, as it was moved, replaced or deleted", "file", a.path)
		}
	}
	if a.file != nil && regular() && a.size > 0 && a.size+int64(len(lines)) > a.max {
		if err := a.rotate(); err != nil {
			return err
		}
	}
	if a.file == nil {
		if err := a.open(); err != nil {
			return err
		}
	}
	if a.half {
		lines = append([]byte{'\n'}, lines...)
	}
	a.file.SetWriteDeadline(until) // of pipes; files have none
	n, err := a.file.Write(lines)
	a.size += int64(n)
	a.by[token] += int64(n)
	if n > 0 {
		a.half = n < len(lines)
	}
	if err == nil && regular() {
		err = a.file.Sync()
	}
	if err != nil { // it may be another disk next time
		if a.half && a.file.Truncate(a.size-int64(n)) == nil { // no half lines, if that can be
			a.half = false
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
	return a.within(auditLate, func(time.Time) error {
		if a.file == nil {
			return nil
		}
		defer func() { a.file = nil }()
		return a.file.Close()
	})
}

// entry is one run in the making.
type entry struct {
	a     *audit
	tools *registry.Registry
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
	Inputs  map[string]any `json:"inputs,omitempty"` // bytes by name
	// More is how many entries of its lists the line does not have, by their names.
	More map[string]int `json:"more,omitempty"`
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
	Record    string             `json:"record,omitempty"` // the ID of the run's record
	DryRun    bool               `json:"dry_run,omitempty"`
}

// toolLine is what a phrase came to.
type toolLine struct {
	Phrase string `json:"phrase,omitempty"`
	Tool   string `json:"tool,omitempty"`
	By     string `json:"by,omitempty"`
}

// callLine is the line of a call.
type callLine struct {
	Type string    `json:"type"` // "call"
	Time time.Time `json:"time"`
	Run  string    `json:"run"`
	Tool string    `json:"tool"`
	// Args are bytes by name, of the names that the tool declares; with
	// AuditArgs the values, of all.
	Args map[string]any `json:"args,omitempty"`
	More map[string]int `json:"more,omitempty"`
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

func (a *audit) begin(c *session, args *executeArgs, tools *registry.Registry) *entry {
	if a == nil {
		return nil
	}
	now := time.Now().UTC()
	sum := sha256.Sum256([]byte(args.Script))
	hash := hex.EncodeToString(sum[:])
	more := map[string]int{}
	run := fmt.Sprintf("%x-%s", now.UnixNano(), hash[:8])
	return &entry{a: a, tools: tools, run: run, begun: now, head: runLine{
		beginLine: beginLine{Type: "run", Time: now, Run: run, Session: c.id, Token: c.owner.token(), Script: hash,
			Bytes: len(args.Script), Inputs: recorded(args.Inputs, "inputs", false, more), More: more},
	}}
}

// ready records that the run is about to begin, where records are required: the
// error is that it cannot be recorded and must not begin.
func (r *entry) ready() error {
	if r == nil || r.a.fail == nil {
		return nil
	}
	line := r.head.beginLine
	line.Type = "begin"
	if err := r.a.write(line.Token, appendLine(nil, line)); err != nil {
		return errors.New("the server ends, as its audit cannot be written; nothing has run")
	}
	return nil
}

// keeps notes the run's record.
func (r *entry) keeps(b *record.Begin) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.head.Record, r.head.DryRun = b.ID, b.Dry
}

func (r *entry) ended(c *record.Call, d *record.Done) {
	if r == nil {
		return
	}
	var schema struct{ Properties map[string]json.RawMessage }
	if t, ok := r.tools.Tool(c.Tool); ok {
		json.Unmarshal(t.Input, &schema)
	}
	args, more := map[string]json.RawMessage{}, map[string]int{}
	fields(c.Args.JSON, func(name string, v json.RawMessage) bool {
		// Names that the script made are values.
		if (r.a.args || schema.Properties[name] != nil) && len(args) < auditEntries {
			args[name] = v
		} else {
			more["args"]++
		}
		return true
	})
	line := callLine{Type: "call", Time: d.Time.UTC(), Run: r.run, Tool: c.Tool,
		Args: recorded(args, "args", r.a.args, more),
		More: more, Ms: d.Ms, Size: d.Bytes, OK: d.Message == ""}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, line)
}

func (r *entry) end(status string, res *harness.Result, d time.Duration) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &r.head
	h.Status, h.Ms, h.Calls = status, float64(d.Microseconds())/1000, len(r.calls)
	if res != nil {
		refused := slices.Clone(res.Decisions) // first
		slices.SortStableFunc(refused, func(a, b harness.Decision) int {
			switch {
			case (a.Verdict == harness.IsAllowed) == (b.Verdict == harness.IsAllowed):
				return 0
			case b.Verdict == harness.IsAllowed:
				return -1
			}
			return 1
		})
		h.Decisions = atMost(refused, "decisions", h.More)
		for _, u := range atMost(res.Tools, "tools", h.More) {
			h.Tools = append(h.Tools, toolLine{cutText(u.Phrase, auditName), u.Tool, string(u.By)})
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
	r.a.write(h.Token, appendLine(lines, h))
}

// atMost are the entries of a list that a line has room for; more says how many
// others there are.
func atMost[T any](all []T, list string, more map[string]int) []T {
	if len(all) > auditEntries {
		more[list] += len(all) - auditEntries
		all = all[:auditEntries]
	}
	return all
}

// recorded is what a line has of fields: their bytes by name, or the values. A
// value for which there is no room is recorded by its bytes and SHA-256.
func recorded(fields map[string]json.RawMessage, list string, values bool, more map[string]int) map[string]any {
	out, room := map[string]any{}, auditValues
	for _, name := range atMost(slices.Sorted(maps.Keys(fields)), list, more) {
		v := fields[name]
		as := any(len(v))
		if values && len(v) <= room {
			as, room = slices.Clone(v), room-len(v) // not all of the arguments
		} else if values {
			as = map[string]any{"bytes": len(v), "sha256": fmt.Sprintf("%x", sha256.Sum256(v))}
		}
		out[cutText(name, auditName)] = as
	}
	return out
}

func appendLine(lines []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"type": "error", "error": err.Error()})
	}
	return append(append(lines, b...), '\n')
}
