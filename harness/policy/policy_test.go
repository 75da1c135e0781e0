package policy

import (
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// A tool that does not say whether it destroys anything may, as the protocol
// has it.
func TestApprovalIsAskedForByTheHints(t *testing.T) {
	yes, no := true, false
	for name, x := range map[string]struct {
		hints *registry.Annotations
		asked string // the values of Approve that want approval
	}{
		"no hints":              {nil, "destructive writes"},
		"a title alone":         {&registry.Annotations{Title: "x"}, "destructive writes"},
		"writes":                {&registry.Annotations{ReadOnly: &no}, "destructive writes"},
		"destroys":              {&registry.Annotations{Destructive: &yes}, "marked destructive writes"},
		"writes and destroys":   {&registry.Annotations{ReadOnly: &no, Destructive: &yes}, "marked destructive writes"},
		"destroys nothing":      {&registry.Annotations{Destructive: &no}, "writes"},
		"reads":                 {&registry.Annotations{ReadOnly: &yes}, ""},
		"reads, and destroys":   {&registry.Annotations{ReadOnly: &yes, Destructive: &yes}, ""},
		"reads, destroys never": {&registry.Annotations{ReadOnly: &yes, Destructive: &no}, ""},
	} {
		tool := &registry.Tool{ID: "a.b", Server: "a", Name: "b", Annotations: x.hints}
		var asked []string
		for _, which := range Approvals {
			p := &Policy{Approve: which}
			if p.Decide(tool, record.Effect, nil).Verdict == NeedsApproval {
				asked = append(asked, string(which))
			}
		}
		if got := strings.Join(asked, " "); got != x.asked {
			t.Errorf("%s: asked for with %q, want %q", name, got, x.asked)
		}
	}
}
