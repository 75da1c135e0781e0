package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// Bounds of the logs of a server: its file and the one before, in bytes, and a
// line.
const (
	maxLog     = 1 << 20
	maxLogLine = 16 << 10
)

var logFolder atomic.Pointer[string]

// KeepLogs keeps what servers that this process starts from now on write to
// stderr, in a file for each below a folder ([LogFile]). Each line has the time
// and no value of the server's env and headers. A file of 1 MB becomes FILE.1
// and a new one is begun. It is said once, by a command; without it nothing is
// kept.
func KeepLogs(folder string) { logFolder.Store(&folder) }

// LogFile is where KeepLogs keeps the log of a server of a config file.
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

// LogTail returns the last n lines of the log in a file and of the one before it, as
// they are: what the server wrote is untrusted. Where nothing is kept there are none.
func LogTail(path string, n int) ([]byte, error) {
	var text []byte
	for _, p := range []string{path + ".1", path} {
		b, err := localfile.Read(p, 4*maxLog)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading %s: %w", filepath.Base(p), err)
		}
		text = append(text, b...)
	}
	lines := slices.Collect(bytes.Lines(text))
	return bytes.Join(lines[len(lines)-min(max(n, 0), len(lines)):], nil), nil
}

var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`) })

// keptLog is the log of a server that is about to be started; nil: none is kept.
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

// serverLog writes lines to a file. What cannot be written is lost. The file is
// not kept open: others may write it, and begin a new one.
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
			line = line[:room] // the rest of it is lost
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

// note writes a line of our own.
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
	if len(lines) == 0 {
		return
	}
	if info, err := os.Stat(l.path); err == nil && info.Size()+int64(len(lines)) > maxLog {
		if os.Rename(l.path, l.path+".1") != nil {
			return // it must not grow
		}
	} else if err != nil && os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(lines)
}

// tee is what goes to either of two that are there.
func tee(a io.Writer, b *serverLog) io.Writer {
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	return io.MultiWriter(a, b)
}
