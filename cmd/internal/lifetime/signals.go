package lifetime

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is how long after the first signal another one is still the same: a key
// reaches all processes of a terminal, and some of them hand it on.
const oneSignal = 500 * time.Millisecond

// untilSignals returns a context that ends when the user wants to end the command, by
// Ctrl-C or a request to terminate. The second time the process ends at once, after
// atOnce. stop ends all that.
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
