// Package lifetime ends a command early: on Ctrl-C, on a request to terminate, or when
// its output pipe is closed.
package lifetime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/term"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp"
)

// Until returns a context that ends when the user ends the command, and the writer that
// the command must use for stdout: it notices a closed pipe (harness … | head) and is a
// [Screen]. A second Ctrl-C ends the process at once. stop releases the signal handlers
// and ends processes that servers left behind.
//
// SIGPIPE is received and dropped. It does not say which pipe broke, and the pipe of a
// dead server is not a reason to end: its call reports the error. Without a handler the
// signal would end this process at once when stdout is closed, and leave servers and
// workers behind. If it were ignored, child processes would inherit that.
func Until(stdout io.Writer) (ctx context.Context, out *Output, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, syscall.SIGPIPE)
	endOrphans := backend.Adopt()
	ctx, release := untilSignals(ctx, endOrphans)
	return ctx, &Output{w: Screen(stdout), closed: cancel}, func() {
		signal.Stop(dropped)
		release()
		cancel()
		endOrphans()
	}
}

// Output is stdout. It ends the command when its pipe is closed, and keeps the first
// write error. It is as safe for concurrent use as stdout.
type Output struct {
	w      io.Writer
	closed func()

	mu  sync.Mutex
	err error
}

func (o *Output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil {
		o.mu.Lock()
		if o.err == nil {
			o.err = err
		}
		o.mu.Unlock()
	}
	if errors.Is(err, syscall.EPIPE) {
		o.closed()
	}
	return n, err
}

// Closed reports whether the reader has closed the output's pipe.
func (o *Output) Closed() bool { return errors.Is(o.failed(), syscall.EPIPE) }

// Err returns why output was lost, for instance a full disk. It returns nil if all
// output was written or the reader closed the pipe.
func (o *Output) Err() error {
	if err := o.failed(); err != nil && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

func (o *Output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Terminal reports whether w is a terminal that may show colours. It returns false if
// NO_COLOR is set or TERM is dumb.
func Terminal(w io.Writer) bool {
	return Device(w) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Width returns the number of columns of the terminal w. It returns 0 if w is not a
// terminal or its size is unknown.
func Width(w io.Writer) int {
	f := Device(w)
	if f == nil {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// KeepLogs stores the stderr of servers in the user's cache folder, if there is one.
// The command "harness logs" shows it.
func KeepLogs() {
	if dir, err := os.UserCacheDir(); err == nil {
		mcp.KeepLogs(dir)
	}
}
