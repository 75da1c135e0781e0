package worker

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// What is only checked waits for its tools, though it needs none: the parent
// sends them, and must not find that the worker has gone.
func TestACheckWaitsForTools(t *testing.T) {
	for _, check := range []bool{true, false} {
		script, err := (&Script{Source: "package main\n\nfunc main() { var x int = \"s\" }", Check: check, Free: true}).encode()
		if err != nil {
			t.Fatal(err)
		}
		var to bytes.Buffer
		err = newChild(strings.NewReader(""), &to, nil).serve(kindScript, script)
		if waits := errors.Is(err, io.EOF); waits != check {
			t.Errorf("check %v: %v", check, err)
		}
	}
}
