package harness

import "github.com/usetools/usetools/harness/policy"

// Types of package policy.
type (
	Policy   = policy.Policy
	Approval = policy.Approval
	Decision = policy.Decision
	Allowed  = policy.Verdict
	Rule     = policy.Rule
)

// Which tools need approval, by the hints that servers give of them.
const (
	ApproveNone        = policy.ApproveNone
	ApproveMarked      = policy.ApproveMarked
	ApproveDestructive = policy.ApproveDestructive
	ApproveWrites      = policy.ApproveWrites
)

// The verdicts of a policy.
const (
	IsAllowed     = policy.IsAllowed
	IsApproved    = policy.IsApproved
	IsDenied      = policy.IsDenied
	NeedsApproval = policy.NeedsApproval
)

// Approvals are the values that an Approval may have.
var Approvals = policy.Approvals
