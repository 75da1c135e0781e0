package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/localfile"
	"github.com/usetools/usetools/registry/redact"
)

// Limits of the log of a server and of a line of it, in bytes.
const (
	maxLog     = 2 << 20
	maxLogLine = 16 << 10
)

var logFolder atomic.Pointer[string]

// KeepLogs stores the stderr of all servers that this process starts from now on, in one file
// each below a folder ([LogFile]). Each line has the time, and values of the server's env and
// headers are hidden. The older half of a file of 2 MB is removed. A command calls it once;
// without it, logs are not stored.
func KeepLogs(folder string) { logFolder.Store(&folder) }

// LogFile returns the path where KeepLogs stores the log of a server of a config file.
func LogFile(folder, configFile, server string) (string, error) {
	dir, err := localfile.SidePath(folder, "logs", configFile)
	if err != nil {
		return "", err
	}
	if !fileName().MatchString(server) {
		return localfile.ApartPath(filepath.Join(dir, "server.log"), localfile.ApartKey(server)), nil
	}
	return filepath.Join(dir, server+".log"), nil
}

// LogTail returns the last n lines of the log in a file, unchanged: the server's text is
// untrusted. If the file does not exist, it returns nothing.
func LogTail(path string, n int) ([]byte, error) {
	text, err := localfile.Read(path, 2*maxLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	lines := slices.Collect(bytes.Lines(text))
	return bytes.Join(lines[len(lines)-min(max(n, 0), len(lines)):], nil), nil
}

var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`) })

// keptLog returns the log for a server that is about to be started, or nil.
func keptLog(s config.Server) *serverLog {
	folder := logFolder.Load()
	if folder == nil || s.File == "" {
		return nil
	}
	path, err := LogFile(*folder, s.File, s.Name)
	if err != nil {
		return nil
	}
	return &serverLog{path: path, hide: s.Redactor()}
}

// serverLog appends lines to a file. Lines that cannot be written are dropped. It does not keep
// the file open, because other processes may write it.
type serverLog struct {
	path string
	hide *redact.Redactor

	mu   sync.Mutex
	line []byte // not ended yet
}

func (l *serverLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out bytes.Buffer
	for rest := b; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if room := maxLogLine - len(l.line); len(line) > room {
			line = line[:room] // drop the rest
		}
		l.line = append(l.line, line...)
		if rest = after; ended {
			l.end(&out)
		}
	}
	l.append(out.Bytes())
	return len(b), nil
}

// end moves the line to out.
func (l *serverLog) end(out *bytes.Buffer) {
	text := l.hide.Text(strings.ToValidUTF8(string(l.line), "\ufffd"))
	fmt.Fprintf(out, "%s %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), text)
	l.line = l.line[:0]
}

// note writes a line of the harness.
func (l *serverLog) note(what string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var out bytes.Buffer
	if len(l.line) > 0 {
		l.end(&out)
	}
	l.line = append(l.line[:0], "-- "+what...)
	l.end(&out)
	l.append(out.Bytes())
}

func (l *serverLog) append(lines []byte) {
	if len(lines) > 0 {
		_ = localfile.Append(l.path, lines, maxLog, 0o600)
	}
}

// tee returns a writer to those of the two that are not nil.
func tee(a io.Writer, b *serverLog) io.Writer {
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	return io.MultiWriter(a, b)
}
