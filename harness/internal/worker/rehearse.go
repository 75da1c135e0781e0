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

// rehearsal is a script that does what most scripts do, without output.
//
//go:embed rehearsal.go.txt
var rehearsal string

// rehearsalUnit is a package like the generated ones.
//
//go:embed rehearsal_unit.go.txt
var rehearsalUnit string

// rehearsals prepare a spare before it gets a script, so that the script need not wait for
// one-time work of the process. A frame selects one. Each is short, because a script that
// arrives meanwhile waits for its end.
var rehearsals = []func() error{perform}

// perform takes the rehearsal script through the whole protocol. That loads the types of the
// library, touches the pages of the program, and grows the heap. Only state that all scripts
// share remains.
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
		fromParent.Close() // ends listen
		ended <- err
	}()
	err = c.serve(kindScript, script)
	fromChild.Close()
	return errors.Join(err, <-ended)
}

// prompt acts as the parent of a rehearsal. It returns the script's error.
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
