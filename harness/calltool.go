package harness

import (
	"context"
	"encoding/json"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/engine"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry/backend"
)

// UnknownToolError is returned for an ID that the registry does not have.
type UnknownToolError = engine.UnknownToolError

// CallTool makes one call outside of a script. The call is authorised and validated like those of
// scripts, and recorded as a run of its own with no script and the name "call ID". approved reports
// whether a person has approved it. Its result takes space in the Room s.Origin.Results until ctx
// ends. If the policy does not allow the call, nothing is called or recorded, and the result is nil.
// The errors are an *UnknownToolError, an *ArgumentsError, and those of the record and the server.
func (h *Harness) CallTool(ctx context.Context, c *catalog.Catalog, id string, args json.RawMessage, s *Script,
	approved bool) (*backend.Result, policy.Decision, error) {
	call := Script{}
	if s != nil {
		call = *s
	}
	call.Origin.Name, call.Source = "call "+id, ""
	one, err := h.recorded(&call)
	if err != nil {
		return nil, policy.Decision{}, err
	}
	return h.engine.Call(ctx, c, id, args, one, approved)
}
