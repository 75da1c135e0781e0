//go:build linux || darwin

package sandbox

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// onCPU calls the Config's OnCPU when the soft limit of CPU time is over. Go
// ignores the signal otherwise, and the process would go on to the hard limit.
// To listen takes a thread of its own, a good while to make: the channel is
// closed when it is there.
func onCPU(c *Config) <-chan struct{} {
	listening := make(chan struct{})
	go func() {
		over := make(chan os.Signal, 1)
		signal.Notify(over, unix.SIGXCPU)
		close(listening)
		<-over
		if c.OnCPU == nil {
			os.Exit(ExitCPU)
		}
		c.OnCPU()
	}()
	return listening
}
