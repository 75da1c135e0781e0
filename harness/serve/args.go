package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/jsontree"
)

// Bounds of the arguments of execute.
const (
	maxScript  = 256 << 10 // bytes
	maxInputs  = 4 << 20   // bytes of all values
	maxNames   = 1000      // of them
	maxTimeout = 24 * time.Hour
	maxOnce    = 200 // bytes
)

// executeArgs are the arguments of execute.
type executeArgs struct {
	Script  string
	Timeout time.Duration // if zero, the server's
	Inputs  map[string]json.RawMessage
	DryRun  bool
	// Once is the key of a request that must not begin a second run. It may be empty.
	Once string
	// Request is the digest of the request.
	Request string
}

// executeSchema is short because every client pays for it. The guide for execute explains once.
const executeSchema = `{"type":"object","properties":{"script":{"type":"string"},"timeout_ms":{"type":"integer"},"inputs":{"type":"object"},"dry_run":{"type":"boolean"}},"required":["script"]}`

// parseArgs reads the arguments of execute. Its errors say what to send instead.
func parseArgs(raw json.RawMessage) (*executeArgs, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("the arguments are not valid UTF-8")
	}
	given := map[string]json.RawMessage{}
	var unknown error
	ok := len(raw) == 0 || string(raw) == "null" || jsontree.Members(raw, func(name string, v *jsontree.Value) bool {
		switch name {
		case "script", "timeout_ms", "inputs", "dry_run", "once":
			given[name] = v.Raw
			return true
		}
		hint := ""
		if _, ok := given["script"]; !ok && v.Kind == jsontree.String {
			hint = `; did you mean "script"?`
		}
		unknown = fmt.Errorf("unknown argument %.60q; execute takes script, timeout_ms, inputs, dry_run and once%s",
			name, hint)
		return false
	})
	if !ok {
		return nil, errors.New(`the arguments are not a JSON object; want {"script": "…"}`)
	}
	if unknown != nil {
		return nil, unknown
	}
	a := &executeArgs{}
	if err := json.Unmarshal(given["script"], &a.Script); err != nil {
		return nil, errors.New("script is missing or not a string; want the Go script to run")
	}
	switch {
	case len(a.Script) > maxScript:
		return nil, fmt.Errorf("the script has %d bytes, at most %d are allowed; send data as inputs", len(a.Script),
			maxScript)
	case strings.TrimSpace(a.Script) == "":
		return nil, errors.New("the script is empty")
	}
	if v := given["timeout_ms"]; v != nil && string(v) != "null" {
		ms, err := strconv.ParseFloat(strings.Trim(string(v), `"`), 64) // some models quote it
		if err != nil || !(ms >= 1 && ms <= float64(maxTimeout.Milliseconds())) {
			return nil, fmt.Errorf("timeout_ms is %.40s; want milliseconds, 1 to %d", v, maxTimeout.Milliseconds())
		}
		a.Timeout = time.Duration(ms) * time.Millisecond
	}
	if v := given["inputs"]; v != nil && string(v) != "null" {
		if len(v) > maxInputs {
			return nil, fmt.Errorf("the inputs have %d bytes, at most %d are allowed", len(v), maxInputs)
		}
		text := ""
		if json.Unmarshal(v, &text) == nil { // an object in quotes
			v = json.RawMessage(text)
		}
		a.Inputs = map[string]json.RawMessage{}
		ok := jsontree.Members(v, func(name string, v *jsontree.Value) bool {
			a.Inputs[name] = v.Raw
			return len(a.Inputs) <= maxNames
		})
		switch {
		case len(a.Inputs) > maxNames:
			return nil, fmt.Errorf("there are more than %d inputs: send a list or an object as one of them", maxNames)
		case !ok:
			return nil, errors.New(`inputs is not a JSON object; want {"name": value, …}, which the script reads with Input("name", &v)`)
		}
	}
	if v := given["dry_run"]; v != nil && string(v) != "null" {
		var err error
		if a.DryRun, err = strconv.ParseBool(strings.Trim(string(v), `"`)); err != nil {
			return nil, fmt.Errorf("dry_run is %.40s; want true or false", v)
		}
	}
	if v := given["once"]; v != nil && string(v) != "null" {
		if json.Unmarshal(v, &a.Once) != nil || len(a.Once) > maxOnce {
			return nil, fmt.Errorf("once is %.40s; want a string of at most %d bytes; requests with the same string run once",
				v, maxOnce)
		}
	}
	return a, nil
}
