package worker

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/usetools/usetools/harness/internal/eval"
	"github.com/usetools/usetools/harness/internal/front"
	"github.com/usetools/usetools/harness/internal/front/emit"
	"github.com/usetools/usetools/harness/internal/host"
	"github.com/usetools/usetools/harness/internal/rt"
)

// rehearsal is a script that does what most scripts do, and prints nothing.
//
//go:embed rehearsal.go.txt
var rehearsal string

// rehearsalUnit is a package such as generated ones are.
//
//go:embed rehearsal_unit.go.txt
var rehearsalUnit string

// rehearse takes a script of ours through everything, so that a spare has
// behind it what the first script of a process pays for: reading the types of
// the library, touching each page of the program, growing the heap. Nothing of
// it is left but what all scripts share.
func rehearse() error {
	front.Warm()
	host.SetBridge(stage{})
	script, bad := front.Parse([]byte(rehearsal))
	if len(bad) > 0 {
		return errors.New(bad[0].Message)
	}
	opts := checkOptions(nil)
	opts.Units = append(opts.Units, front.Unit{Path: "servers/rehearsal", Source: rehearsalUnit})
	checked, bad := script.Check(opts)
	if len(bad) > 0 {
		return errors.New(bad[0].Message)
	}
	checked.Required()
	program, err := emit.Lower(inputOf(checked))
	if err != nil {
		return err
	}
	out, err := eval.Run(program, &eval.Options{Stdout: os.Stdout, Stderr: os.Stderr, Symbols: host.Symbols(), Host: stage{}})
	switch {
	case err != nil:
		return err
	case out.Panic != nil:
		return fmt.Errorf("panic: %s", out.Panic.Text)
	}
	runtime.GC()
	return nil
}

// stage is what a rehearsal reaches.
type stage struct{ rt.NoHost }

func (stage) Call(string, []byte) ([]byte, error) {
	return []byte(`{"content":[{"type":"text","text":"words"}],"structuredContent":{"items":[{"id":1,"name":"a"}]}}`), nil
}

func (stage) Unresolved([]string) (query, message string, candidates []string) { return "", "", nil }
