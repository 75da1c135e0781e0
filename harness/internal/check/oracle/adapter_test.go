package oracle

import (
	"errors"
	"os"

	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/lower"
	"github.com/usetools/usetools/harness/internal/yaegi"
)

// runScript takes a script the whole way, as the worker does.
func runScript(src []byte, stdout, stderr *os.File) outcome {
	script, bad := check.Parse(src)
	if len(bad) > 0 {
		return refusedBy(bad)
	}
	checked, bad := script.Check(nil)
	if len(bad) > 0 {
		return refusedBy(bad)
	}
	in := &lower.Input{Fset: checked.Fset, Info: checked.Info, Place: checked.LogPlaces(),
		Ordered: len(src)%2 == 0} // each half of the programs has its own range over maps
	for _, p := range checked.Packages {
		in.Packages = append(in.Packages, lower.Package{Types: p.Types, Files: p.Files, Init: p.InitOrder})
	}
	program, err := lower.Lower(in)
	var refusal *lower.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Pos.Line == 0:
		return outcome{Broken: "a refusal without a position: " + err.Error()}
	case errors.As(err, &refusal):
		return outcome{Refused: refusal.Error()}
	case err != nil:
		return outcome{Broken: firstLine(err.Error())}
	}
	end, err := yaegi.Run(program, &yaegi.Options{Stdout: stdout, Stderr: stderr})
	switch {
	case err != nil:
		return outcome{Broken: firstLine(err.Error())}
	case end.Panic != nil:
		return outcome{Exit: end.Code, Panic: panicLine("panic: " + end.Panic.Text)}
	}
	return outcome{Exit: end.Code}
}

func refusedBy(bad []check.Diagnostic) outcome {
	return outcome{Refused: bad[0].Kind + ": " + bad[0].String()}
}
