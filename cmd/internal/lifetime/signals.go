package lifetime

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is how long after the first signal another one counts as the same: a key
// reaches all processes of a terminal, and some of them forward it.
const oneSignal = 500 * time.Millisecond

// untilSignals returns a context that ends on Ctrl-C or a request to terminate. A second
// signal calls atOnce and exits. stop releases the signal handlers.
func untilSignals(parent context.Context, atOnce func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		var began time.Time
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			switch {
			case began.IsZero():
				began = time.Now()
				cancel()
			case time.Since(began) > oneSignal:
				atOnce()
				os.Exit(canceled)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// canceled is the exit code of a command that the user ended.
const canceled = 130
