package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Approvals says who may approve calls, besides the operator in the console and tokens with
// the right to approve.
type Approvals string

// The values of Approvals.
const (
	// ApprovalsAny adds the user of the client that sent the script, and processes that can
	// write the folder of records (harness approvals).
	ApprovalsAny Approvals = "any"
	// ApprovalsConsole adds no one.
	ApprovalsConsole Approvals = "console"
)

// AllApprovals are the values that an Approvals may have.
var AllApprovals = []Approvals{ApprovalsAny, ApprovalsConsole}

const (
	approvalsName   = "approvals"
	approvalsSchema = `{"type":"object","properties":{"action":{"type":"string","enum":["list","show","yes","no"]},"ids":{"type":"array","items":{"type":"string"}},"word":{"type":"string"}},"required":["action"]}`
	// maxListed bounds the approvals that are listed, or answered, at a time.
	maxListed = 100
	// maxWord bounds the message to the script with a rejection, in bytes.
	maxWord = 1000
)

// mayApprove reports whether the session's token may approve the calls of others.
func (c *session) mayApprove() bool {
	cat := c.s.live.current()
	return cat != nil && c.token != "" && cat.May(c.token, catalog.Approve)
}

// offerApprovals adds the tool approvals to sessions with the right, and removes it from others.
func (c *session) offerApprovals() {
	may := c.mayApprove()
	c.mu.Lock()
	had := c.approves
	c.approves = may
	c.mu.Unlock()
	switch {
	case may && !had:
		c.mcp.AddTool(&mcp.Tool{Name: approvalsName,
			Description: "Calls of others' scripts that need approval: list, show, yes (approve) or no (reject); " +
				"the script gets word with a rejection", InputSchema: schema(approvalsSchema)}, c.approvalsTool)
	case had && !may:
		c.mcp.RemoveTools(approvalsName)
	}
}

// approvalsTool lists, shows and answers pending calls of others.
func (c *session) approvalsTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if !c.mayApprove() {
		return failure(errors.New("this token may not approve calls")), nil
	}
	var args struct {
		Action string
		IDs    []string
		Word   string
	}
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return failure(errors.New(`the arguments cannot be read; want {"action": "list"} or {"action": "yes", "ids": ["…"]}`)), nil
	}
	if err := c.s.reading.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.s.reading.Release(1)
	var text string
	var err error
	switch {
	case args.Action == "list":
		text, err = c.listApprovals(ctx)
	case len(args.IDs) == 0 || len(args.IDs) > maxListed:
		err = fmt.Errorf("want 1 to %d ids, as list has them", maxListed)
	case args.Action == "show":
		text, err = c.eachApproval(args.IDs, c.showApproval)
	case args.Action == "no" && len(args.Word) > maxWord:
		err = fmt.Errorf("the word has %d bytes, at most %d are allowed", len(args.Word), maxWord)
	case args.Action == "yes" || args.Action == "no":
		text, err = c.eachApproval(args.IDs, func(id string) (string, error) { return c.answerApproval(id, args.Action, args.Word) })
	default:
		err = fmt.Errorf("action %.60q: want list, show, yes or no", args.Action)
	}
	if err != nil {
		return failure(err), nil
	}
	return textResult(text), nil
}

// listApprovals lists all pending calls except those of the token's own scripts.
func (c *session) listApprovals(ctx context.Context) (string, error) {
	var calls []*approval.Call
	for p, err := range approval.List(ctx, c.s.records, nil) {
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil: // the others can be answered
			c.s.log.Warn("the record of a run with pending calls cannot be read", "error", err)
			continue
		case p.Run.Subject == c.owner.Subject():
			continue
		}
		calls = append(calls, p)
	}
	if len(calls) == 0 {
		return "no call needs approval", nil
	}
	return approval.Table(calls[:min(len(calls), maxListed)], time.Now()).Model(0) + moreCalls(len(calls)-maxListed), nil
}

// moreCalls counts the calls that are not listed.
func moreCalls(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("… and %d more\n", n)
}

func (c *session) eachApproval(ids []string, do func(id string) (string, error)) (string, error) {
	var b strings.Builder
	failed := 0
	for _, id := range ids {
		text, err := do(id)
		if err != nil {
			text = fmt.Sprintf("%.100s: %v\n", id, err)
			failed++
		}
		b.WriteString(text)
	}
	if failed == len(ids) {
		return "", errors.New(strings.TrimSpace(b.String()))
	}
	return b.String(), nil
}

// othersCall returns a call by its ID. It refuses calls of the token's own scripts.
func (c *session) othersCall(id string) (*approval.Call, error) {
	a, err := approval.Load(c.s.records, id)
	if err == nil && a.Run.Subject == c.owner.Subject() {
		return nil, errors.New("this token sent the script: another token has to approve or reject the call")
	}
	return a, err
}

// showApproval returns all that a person decides by: the complete call and the script.
func (c *session) showApproval(id string) (string, error) {
	a, err := c.othersCall(id)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s", a.ID, append(present.Document{a.Facts(time.Now())}, a.Arguments()...).Model(0))
	source, err := a.Record.Text(a.Record.Begin.Script)
	if err != nil {
		return "", err
	}
	b.WriteString("script:\n")
	n := 0
	for line := range strings.SplitSeq(visible(registry.PrintableGo([]byte(source))), "\n") {
		n++
		fmt.Fprintf(&b, "%4d| %s\n", n, line)
	}
	return b.String(), nil
}

func (c *session) answerApproval(id, answer, word string) (string, error) {
	a, err := c.othersCall(id)
	if err != nil {
		return "", err
	}
	yes := answer == "yes"
	if yes {
		word = ""
	}
	if a.Question != nil && yes {
		return "", errors.New("a server asks this question during a call; only the client that sent the script can answer it")
	}
	if err := c.s.records.Answer(a.ID, &record.Answer{Yes: yes, Who: c.token, How: approvalsName, Word: word}); err != nil {
		return "", err
	}
	c.s.resumer.add(a.Run.ID)
	c.s.resumer.wake()
	return fmt.Sprintf("%s: %s\n", a.ID, answer), nil
}
