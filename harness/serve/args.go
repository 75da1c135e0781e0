package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what a client sends with a script.
const (
	maxScript  = 256 << 10 // bytes
	maxInputs  = 4 << 20   // bytes of all values
	maxTimeout = 24 * time.Hour
)

// executeArgs are the arguments of execute.
type executeArgs struct {
	Script  string
	Timeout time.Duration // 0: the server's
	Inputs  map[string]json.RawMessage
}

// executeSchema is kept short: it is part of what every client pays for.
const executeSchema = `{"type":"object","properties":{"script":{"type":"string"},"timeout_ms":{"type":"integer"},"inputs":{"type":"object"}},"required":["script"]}`

// parseArgs reads the arguments of execute; the errors say what would be right.
func parseArgs(raw json.RawMessage) (*executeArgs, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("the arguments are not valid UTF-8")
	}
	var fields map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, errors.New(`the arguments are no JSON object; want {"script": "…"}`)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch name {
		case "script", "timeout_ms", "inputs":
		default:
			hint := ""
			if _, ok := fields["script"]; !ok && json.Unmarshal(fields[name], new(string)) == nil {
				hint = `; did you mean "script"?`
			}
			return nil, fmt.Errorf("unknown argument %.60q; execute takes script, timeout_ms and inputs%s", name, hint)
		}
	}
	a := &executeArgs{}
	if err := json.Unmarshal(fields["script"], &a.Script); err != nil || fields["script"] == nil {
		return nil, errors.New("script is missing, or no string: it holds the Go script to run")
	}
	switch {
	case len(a.Script) > maxScript:
		return nil, fmt.Errorf("the script has %d bytes, at most %d are allowed; send data as inputs", len(a.Script), maxScript)
	case strings.TrimSpace(a.Script) == "":
		return nil, errors.New("the script is empty")
	}
	if v := fields["timeout_ms"]; v != nil && string(v) != "null" {
		ms, err := strconv.ParseFloat(strings.Trim(string(v), `"`), 64) // also in quotes, as some models write it
		if err != nil || !(ms >= 1 && ms <= float64(maxTimeout.Milliseconds())) {
			return nil, fmt.Errorf("timeout_ms is %.40s; want milliseconds, 1 to %d", v, maxTimeout.Milliseconds())
		}
		a.Timeout = time.Duration(ms) * time.Millisecond
	}
	if v := fields["inputs"]; v != nil && string(v) != "null" {
		if len(v) > maxInputs {
			return nil, fmt.Errorf("the inputs have %d bytes, at most %d are allowed", len(v), maxInputs)
		}
		text := ""
		if json.Unmarshal(v, &text) == nil { // an object in quotes
			v = json.RawMessage(text)
		}
		if json.Unmarshal(v, &a.Inputs) != nil {
			return nil, errors.New(`inputs is no JSON object; want {"name": value, …}, which the script reads with Input("name", &v)`)
		}
	}
	return a, nil
}
