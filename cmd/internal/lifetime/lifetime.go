// Package lifetime says when a command is over before it is done: Ctrl-C, a
// request to terminate, or output that nobody reads any more.
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

// Until returns a context that ends when the user has had enough, and stdout
// as the command has to write it: a closed pipe (harness … | head) is noticed
// there, and it is a [Screen]. The second time that the user wants to end it the
// process ends at once. stop releases what was taken, and ends what servers left behind.
//
// A pipe that breaks elsewhere means nothing: a server that died breaks its
// own, and its call says so. So SIGPIPE, which does not say whose pipe it was,
// is received and dropped. Not received it would end this process at once when
// stdout is closed, and leave servers and workers behind; ignored, it would be
// ignored in all that is started, too.
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

// Output is stdout. It ends the command when its pipe is closed, and remembers
// what could not be written. Safe for concurrent use as far as stdout is.
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

// Closed says whether nobody reads the output any more.
func (o *Output) Closed() bool { return errors.Is(o.failed(), syscall.EPIPE) }

// Err is why output was lost, a full disk for instance; nil when all of it was
// written, or when its reader had enough.
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

// Terminal says whether w shows what is written to a person who has colours:
// NO_COLOR and TERM=dumb say no.
func Terminal(w io.Writer) bool {
	return Device(w) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Width is how many columns the terminal has that w is; 0: it is none, or that
// cannot be asked.
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

// KeepLogs keeps what servers write to stderr in the user's cache folder, where
// there is one; harness logs shows it.
func KeepLogs() {
	if dir, err := os.UserCacheDir(); err == nil {
		mcp.KeepLogs(dir)
	}
}
