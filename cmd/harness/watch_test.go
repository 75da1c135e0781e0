package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/registry/localfile"
)

// A script under -watch is run again when an editor replaces it.
func TestAScriptIsRunAgainWhenItIsSaved(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "script.go")
	save := func(text string) {
		if err := localfile.Write(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save(`fmt.Println("one")`)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // only reached when the test fails
	defer cancel()
	out, w := io.Pipe()
	told, wErr := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- app(strings.NewReader(""), w, wErr).Run(ctx,
			[]string{"harness", "run", "-watch", "-sandbox", bestEffort, name})
		w.Close()
		wErr.Close()
	}()
	waiting := make(chan struct{}, 10)
	go func() {
		defer close(waiting)
		for s := bufio.NewScanner(told); s.Scan(); {
			if strings.Contains(s.Text(), "to change (Ctrl-C ends)") {
				waiting <- struct{}{}
			}
		}
	}()
	lines := bufio.NewScanner(out)
	for i, want := range []string{"one", "two", "three"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("got %q, want %q", lines.Text(), want)
		}
		<-waiting
		switch i {
		case 0:
			save("this is no Go (")
			<-waiting // it did not compile, and goes on
			save(`fmt.Println("two")`)
		case 1:
			save(`fmt.Println("three")`)
		}
	}
	cancel()
	go io.Copy(io.Discard, out)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if code := execute([]string{"harness", "run", "-watch", "-"}, os.Stdin, io.Discard, io.Discard); code != exitUsage {
		t.Errorf("a script from stdin is watched: exit code %d", code)
	}
}
