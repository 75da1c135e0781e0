//go:build linux || darwin

package sandbox

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// onCPU calls Config.OnCPU when the soft limit of CPU time is exceeded. Go ignores that signal
// otherwise, and the process would run until the hard limit. Listening needs a separate thread,
// which takes a while to start: the returned channel is closed when it runs.
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
