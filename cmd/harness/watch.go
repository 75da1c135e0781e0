package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/urfave/cli/v3"
)

// settle is how long a script must be unchanged before it runs: editors save in several
// steps.
const settle = 100 * time.Millisecond

// watch runs the script, and again each time that it is saved, until ctx ends. A failed run
// does not end it.
func (e *env) watch(ctx context.Context, c *cli.Command) error {
	name := c.Args().First()
	if c.Args().Len() != 1 || name == "-" {
		return usageError{"run -watch wants one SCRIPT that is a file"}
	}
	if _, err := os.Stat(name); err != nil {
		return usageError{fmt.Sprintf("reading the script: %v", err)}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching %s: %w", name, err)
	}
	defer w.Close()
	// Watch the folder, since editors replace files.
	if err := w.Add(filepath.Dir(name)); err != nil {
		return fmt.Errorf("watching %s: %w", name, err)
	}
	for {
		err := e.run(ctx, c)
		e.close()
		var code exit
		if err != nil && !errors.As(err, &code) {
			e.tell(err.Error())
		}
		if ctx.Err() != nil {
			return nil
		}
		fmt.Fprintf(e.stderr, "harness: waiting for %s to change (Ctrl-C ends)\n", name)
		if !saved(ctx, w, name) {
			return nil
		}
	}
}

// saved waits until the file was written and is unchanged for the time settle. It returns
// false when ctx ends.
func saved(ctx context.Context, w *fsnotify.Watcher, name string) bool {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-quiet:
			if _, err := os.Stat(name); err == nil {
				return true
			}
			quiet = nil // removed; an editor may create it again
		case ev, ok := <-w.Events:
			if !ok {
				return false
			}
			if filepath.Base(ev.Name) == filepath.Base(name) && ev.Op != fsnotify.Chmod {
				quiet = time.After(settle)
			}
		case <-w.Errors:
		}
	}
}
