package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/usetools/usetools/harness/internal/bridge"
)

// Host serves the predeclared functions that exchange values with the harness.
type Host interface {
	// Return takes the script's value, a JSON document.
	Return(value []byte)
	// Input returns the JSON of a value that was sent with the script.
	Input(name string) ([]byte, error)
	// Stored returns the JSON of a large result kept from an earlier script.
	Stored(id string) ([]byte, error)
	// RunScript runs a saved script with a JSON object of inputs and returns
	// its value as JSON.
	RunScript(from bridge.From, name string, inputs []byte) ([]byte, error)
}

// NoHost is a Host without values. It drops the values that it receives.
type NoHost struct{}

var errNoHost = errors.New("values are not available here")

func (NoHost) Return([]byte)                                         {}
func (NoHost) Input(string) ([]byte, error)                          { return nil, errNoHost }
func (NoHost) Stored(string) ([]byte, error)                         { return nil, errNoHost }
func (NoHost) RunScript(bridge.From, string, []byte) ([]byte, error) { return nil, errNoHost }

// setValue is Return.
func (m *Machine) setValue(v any) {
	text, err := plainJSON(readable(v, 0))
	if err != nil {
		panic(&Panic{Value: "Return: " + err.Error(), Line: *m.line})
	}
	if s := string(text[:min(len(text), 3)]); s == "{}" || s == "[{}" {
		if name := dynamicName(v); !strings.Contains(name, "map[") {
			bridge.Warn("Return: the fields of " + name + " are not exported, so JSON omits them: begin their names with a capital letter")
		}
	}
	m.cfg.Host.Return(text)
}

// readable replaces errors by their messages, since JSON cannot encode errors. Values
// nested deeper than maxReadable are unchanged.
func readable(v any, depth int) any {
	if depth > maxReadable {
		return v
	}
	switch x := v.(type) {
	case json.Marshaler:
		return v
	case error:
		return x.Error()
	case map[string]any:
		if x == nil {
			return v
		}
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = readable(e, depth+1)
		}
		return out
	case []any:
		if x == nil {
			return v
		}
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = readable(e, depth+1)
		}
		return out
	case []error:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = readable(e, depth+1)
		}
		return out
	}
	return v
}

// maxReadable is the depth to which errors are replaced.
const maxReadable = 1000

// plainJSON returns the JSON of v, without escapes for HTML.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	if !json.Valid(b.Bytes()) { // too deep to be decoded
		return nil, errors.New("json: exceeded max depth")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// input is Input.
func (m *Machine) input(name string, v any) error {
	data, err := m.cfg.Host.Input(name)
	if err != nil {
		return err
	}
	return m.jsonUnmarshal(data, v)
}

// stored is Stored.
func (m *Machine) stored(id string, v any) error {
	data, err := m.cfg.Host.Stored(id)
	if err != nil {
		return err
	}
	return m.jsonUnmarshal(data, v)
}

// runScript is RunScript.
func (m *Machine) runScript(place, name string, inputs any) (any, error) {
	text, err := plainJSON(readable(inputs, 0))
	if err != nil {
		return nil, fmt.Errorf("RunScript(%q): encoding the inputs: %w", name, err)
	}
	data, err := m.cfg.Host.RunScript(m.from(place), name, text)
	if err != nil {
		return nil, fmt.Errorf("RunScript(%q): %w", name, err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("RunScript(%q): decoding the value: %w", name, err)
	}
	return v, nil
}
