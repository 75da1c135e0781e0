// Package lifetime says when a command is over before it is done: Ctrl-C, a
// request to terminate, or output that nobody reads any more.
package lifetime

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Until returns a context that ends when the user has had enough, and stdout
// as the command has to write it: a closed pipe (harness … | head) is noticed
// there. stop releases what was taken.
//
// A pipe that breaks elsewhere means nothing: a server that died breaks its
// own, and its call says so. So SIGPIPE, which does not say whose pipe it was,
// is received and dropped. Not received it would end this process at once when
// stdout is closed, and leave servers and workers behind; ignored, it would be
// ignored in all that is started, too.
func Until(stdout io.Writer) (ctx context.Context, out io.Writer, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, syscall.SIGPIPE)
	return ctx, &writer{stdout, cancel}, func() {
		signal.Stop(dropped)
		release()
		cancel()
	}
}

// writer ends the command when its pipe is closed.
type writer struct {
	w      io.Writer
	closed func()
}

func (w *writer) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		w.closed()
	}
	return n, err
}
