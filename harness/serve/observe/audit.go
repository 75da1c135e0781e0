package observe

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
)

// AuditFile says where the audit goes. If Path is empty, there is no audit.
type AuditFile struct {
	Path string // gets a line of JSON for each run and each call; SIGHUP reopens it
	Args bool   // record the values of arguments, too
	// Required records each run before it begins as well, syncs each write, and begins no
	// run while the file cannot be written.
	Required bool
	// To, if set, gets the lines, too, whole lines at a time. Its errors count as those of
	// the file.
	To io.Writer
}

// Audit appends a line of JSON to a file for each run, call and saved script. A
// failed write is reported in the log and in the metrics, and serving continues; if
// the audit is required, no run begins until the file can be written again.
//
// SIGHUP reopens the file, for a program that rotates it. Windows has no SIGHUP:
// there the file is reopened when its path names another file.
type Audit struct {
	AuditFile
	log     *slog.Logger
	metrics *Metrics
	follow  bool // reopen when the path names another file
	hangups chan os.Signal

	mu     sync.Mutex
	file   *os.File
	half   bool // the file ends in an incomplete line
	failed bool // the last write failed
	stale  bool // the last attempt to reopen failed
}

// OpenAudit opens the file for appending. It returns nil if there is no audit.
func OpenAudit(f AuditFile, log *slog.Logger, m *Metrics) (*Audit, error) {
	if f.Path == "" {
		if f.Required {
			return nil, errors.New("the audit is required, but no file is set for it")
		}
		return nil, nil
	}
	a := &Audit{AuditFile: f, log: log, metrics: m, follow: runtime.GOOS == "windows", hangups: make(chan os.Signal, 1)}
	if info, err := os.Stat(a.Path); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		return nil, fmt.Errorf("the audit file %s is a pipe: use a file, and read it with tail -F", a.Path)
	}
	var err error
	if a.file, err = a.open(); err != nil {
		return nil, fmt.Errorf("opening the audit file: %w", err)
	}
	signal.Notify(a.hangups, syscall.SIGHUP)
	go func() {
		for range a.hangups {
			a.mu.Lock()
			a.reopen()
			a.mu.Unlock()
		}
	}()
	return a, nil
}

func (a *Audit) open() (*os.File, error) {
	return os.OpenFile(a.Path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// reopen opens the file at the path again. It keeps the open one if that fails.
func (a *Audit) reopen() {
	f, err := a.open()
	if err == nil {
		a.file.Close()
		a.file, a.half = f, false
		a.log.Info("the audit file was reopened", "file", a.Path)
	} else if !a.stale {
		a.log.Error("the audit file cannot be reopened; lines still go to the file that was open before",
			"file", a.Path, "error", err)
	}
	a.stale = err != nil
}

// moved reports whether the path no longer names the open file.
func (a *Audit) moved() bool {
	is, gone := os.Stat(a.Path)
	open, err := a.file.Stat()
	return gone != nil || err == nil && !os.SameFile(open, is)
}

// write appends lines. It logs the first of several errors in a row.
func (a *Audit) write(lines []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.follow && a.moved() {
		a.reopen()
	}
	err := a.append(lines)
	if a.To != nil {
		_, other := a.To.Write(lines)
		err = errors.Join(err, other)
	}
	switch {
	case err != nil:
		a.metrics.auditFailed.Add(1)
		if !a.failed {
			then := "runs are served without it"
			if a.Required {
				then = "no run begins until it can be (-audit-required)"
			}
			a.log.Error("THE AUDIT CANNOT BE WRITTEN; "+then, "file", a.Path, "error", err)
		}
	case a.failed:
		a.log.Warn("the audit is written again; lines are missing", "file", a.Path)
	}
	a.failed = err != nil
	return err
}

func (a *Audit) append(lines []byte) error {
	if a.half {
		lines = append([]byte{'\n'}, lines...)
	}
	n, err := a.file.Write(lines)
	if n > 0 {
		a.half = n < len(lines)
	}
	if err == nil && a.Required {
		if err = a.file.Sync(); errors.Is(err, syscall.EINVAL) { // a device
			err = nil
		}
	}
	return err
}

// Close closes the file.
func (a *Audit) Close() error {
	if a == nil {
		return nil
	}
	signal.Stop(a.hangups)
	close(a.hangups)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.file.Close()
}
