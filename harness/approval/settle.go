package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// Settle records a person's statement about a call whose outcome is unknown. It returns a
// *MisfitError if a result does not fit the output schema of its tool, unless force is set. timeout
// returns how long a call of a tool may take. For other errors see [store.Store.Settle].
func Settle(s *store.Store, r *record.Run, st *record.Settle, force bool, timeout func(tool string) time.Duration) error {
	tool := ""
	for _, m := range r.Unknown() {
		if m.N == st.N {
			tool = m.Tool
		}
	}
	if st.Happened && tool != "" && !force {
		if err := fitsTool(r, tool, st.Result.JSON); err != nil {
			return &MisfitError{fmt.Errorf("does not fit the output schema of %s: %w", registry.Printable(tool, 100), err)}
		}
	}
	return s.Settle(r.Begin.ID, st, timeout(tool))
}

// MisfitError says which schema a result does not fit, and why.
type MisfitError struct{ error }

// maxGiven limits the result that a person enters, in bytes.
const maxGiven = 1 << 20

// GivenResult converts a result that a person enters to an MCP result. data is JSON: an MCP result,
// its structured value, or a text.
func GivenResult(data []byte) (record.Data, error) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) > maxGiven:
		return record.Data{}, fmt.Errorf("more than %d bytes", maxGiven)
	case !json.Valid(data):
		return record.Data{}, errors.New(`it is not JSON (a text needs quotes: '"…"')`)
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) == nil && keys != nil {
		_, content := keys["content"]
		_, structured := keys["structuredContent"]
		if content || structured {
			if _, err := backend.DecodeResult(data); err != nil {
				return record.Data{}, err
			}
			return compactData(data)
		}
	}
	text := string(data)
	_ = json.Unmarshal(data, &text) // values that are not strings stay JSON
	out := map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}}
	if keys != nil {
		out["structuredContent"] = json.RawMessage(data)
	}
	b, err := json.Marshal(out)
	if err != nil {
		return record.Data{}, err
	}
	return compactData(b)
}

func compactData(data []byte) (record.Data, error) {
	var b bytes.Buffer
	err := json.Compact(&b, data)
	return record.Raw(b.Bytes()), err
}

// fitsTool returns an error if an MCP result does not fit the tool's output schema in the run's
// record.
func fitsTool(r *record.Run, id string, result json.RawMessage) error {
	var output json.RawMessage
	for t := range r.AllTools() {
		if t.ID == id {
			output = t.Output
		}
	}
	res, err := backend.DecodeResult(result)
	if err != nil || len(output) == 0 || res.IsError {
		return err
	}
	if res.Structured == nil {
		return errors.New("it is not a JSON object")
	}
	cat := &catalog.Catalog{Registry: &registry.Registry{}}
	return cat.CheckResult(&registry.Tool{ID: id, Output: output}, res)
}
