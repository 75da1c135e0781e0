package harness

import "github.com/usetools/usetools/harness/policy"

// Policy is that of package policy.
type Policy = policy.Policy
