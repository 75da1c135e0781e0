package worker

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// rehearsal is a script that does what most scripts do, and prints nothing.
//
//go:embed rehearsal.go.txt
var rehearsal string

// rehearsalUnit is a package such as generated ones are.
//
//go:embed rehearsal_unit.go.txt
var rehearsalUnit string

// rehearsals are what a spare can have behind it before a script comes, so that
// the first script of the process need not pay for it. A frame tells which; each
// is short, since a script that comes meanwhile waits for its end.
var rehearsals = []func() error{perform}

// perform takes a script of ours through the whole protocol: reading the types
// of the library, touching the pages of the program, growing the heap. Nothing
// of it is left but what all scripts share.
func perform() error {
	toChild, fromParent := io.Pipe()
	toParent, fromChild := io.Pipe()
	c := newChild(toChild, fromChild, os.Stderr)
	c.lost = func() {}
	ended := make(chan error, 1)
	script, err := (&Script{Source: rehearsal, Limits: Limits{}.WithDefaults()}).encode()
	if err != nil {
		return err
	}
	go func() {
		err := prompt(toParent, &frameWriter{w: fromParent})
		toParent.Close()
		fromParent.Close() // which ends listen
		ended <- err
	}()
	err = c.serve(kindScript, script)
	fromChild.Close()
	return errors.Join(err, <-ended)
}

// prompt is the parent of a rehearsal. It returns how the script ended.
func prompt(from io.Reader, to *frameWriter) error {
	for {
		k, b, err := readFrame(from, maxFrameToParent)
		if err != nil {
			return err
		}
		switch k {
		case kindNeeds:
			err = to.writeJSON(kindTools, &Tools{
				Units: []Unit{{Path: "servers/rehearsal", Name: "rehearsal", Source: rehearsalUnit}}, Go: true, Left: time.Minute})
		case kindCall:
			var n uint32
			if n, _, err = numbered(b); err == nil {
				err = to.writeResult(n, 0, rehearsalResult)
			}
		case kindErrors:
			return fmt.Errorf("%s", b)
		case kindDone:
			var d done
			if err := json.Unmarshal(b, &d); err != nil {
				return err
			}
			if d.Error != "" || d.Panic != "" {
				return errors.New(d.Error + d.Panic)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

var rehearsalResult = json.RawMessage(`{"content":[{"type":"text","text":"words"}],"structuredContent":{"items":[{"id":1,"name":"a"}]}}`)
