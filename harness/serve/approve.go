package serve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
)

const (
	// approveFor is how long an approval may take.
	approveFor = 10 * time.Minute
	// maxShown bounds the text that a person has to read, in bytes. A call that cannot be shown
	// completely is not approved.
	maxShown = 16 << 10
)

// asked is the signed state that a client carries from the question about a call without a script
// to the answer. It is valid once, for this call in this session and store.
type asked struct {
	Store   string   `json:"w"` // name of the store of records
	Session string   `json:"s"`
	Script  string   `json:"h"` // hash of the script and its inputs
	Tools   []string `json:"t"`
	Until   int64    `json:"u"` // Unix seconds
	Once    string   `json:"n"` // used once
}

// visible returns a text for a person's decision, without invisible characters.
func visible(text []byte) string { return registry.PrintableText(string(text), len(text)) }

// question asks a person to approve tools for one script or call, identified by hash.
func (c *session) question(text, hash string, tools []string) *mcp.CallToolResult {
	if len(text) > maxShown {
		return failure(fmt.Errorf("denied: %s: approval is required, but the text to read has %d bytes, at most %d are allowed. "+
			"Make the script and its inputs shorter; nothing has run", strings.Join(tools, ", "), len(text), maxShown))
	}
	store, err := c.storeName()
	if err != nil {
		return failure(err)
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{"approve": &mcp.ElicitParams{
			Mode: "form", Message: text, RequestedSchema: schema(`{"type":"object","properties":{}}`),
		}},
		RequestState: c.sign(asked{store, c.id, hash, tools, time.Now().Add(approveFor).Unix(), rand.Text()}),
	}
}

// refusal is the reason why a script is not run after a person was asked.
type refusal struct {
	tools []string // of the question, if the person rejected it
	why   string
}

func (r *refusal) Error() string { return r.why }

// result returns the refusal as the result of a run.
func (r *refusal) result() *outcome.Result {
	res := &outcome.Result{Status: outcome.Denied}
	for _, t := range r.tools {
		res.Decisions = append(res.Decisions,
			policy.Decision{Tool: t, Verdict: policy.IsDenied, Rule: "the user did not approve it"})
	}
	return res
}

// approvals returns the tools that a person approved for this call, or a refusal.
func (c *session) approvals(req *mcp.CallToolRequest, hash string) ([]string, *refusal) {
	if req.Params.RequestState == "" {
		return nil, nil
	}
	var a asked
	store, err := c.storeName()
	if err != nil {
		return nil, &refusal{why: fmt.Sprintf("the approval cannot be used: %v. Nothing has run", err)}
	}
	if !c.verify(req.Params.RequestState, &a) || a.Store != store || a.Session != c.id || a.Script != hash ||
		time.Now().Unix() > a.Until {
		return nil, &refusal{why: "the approval is for another call, or expired; make the call again. Nothing has run"}
	}
	switch first, err := c.s.records.Once("approval "+a.Once, time.Unix(a.Until, 0)); {
	case err != nil:
		return nil, &refusal{why: fmt.Sprintf("the approval cannot be used: %v. Nothing has run", err)}
	case !first:
		return nil, &refusal{why: "the approval was already used; make the call again without it. Nothing has run"}
	}
	answer, _ := req.Params.InputResponses["approve"].(*mcp.ElicitResult)
	if answer == nil || answer.Action != "accept" {
		return nil, &refusal{a.Tools, fmt.Sprintf("denied: the user did not approve %s; nothing has run",
			strings.Join(a.Tools, ", "))}
	}
	return a.Tools, nil
}

// storeName returns a name of the store of records that no other store has.
func (c *session) storeName() (string, error) {
	mac, err := c.s.records.MAC("store")
	if err != nil {
		return "", fmt.Errorf("reading the key of the store of records: %w", err)
	}
	return hex.EncodeToString(mac[:16]), nil
}

// hash returns a digest of the script, its inputs and whether it is a dry run.
func (a *executeArgs) hash() string {
	inputs, _ := json.Marshal(a.Inputs) // was JSON when it came
	sum := sha256.Sum256(append([]byte(fmt.Sprintf("%t\x00%s\x00", a.DryRun, a.Script)), inputs...))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// sign returns v as signed JSON, for verify.
func (c *session) sign(v any) string {
	b, _ := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(append(c.mac(b), b...))
}

// verify reads the result of sign into a value of the same type.
func (c *session) verify(state string, v any) bool {
	b, err := base64.RawURLEncoding.DecodeString(state)
	return err == nil && len(b) >= sha256.Size && hmac.Equal(b[:sha256.Size], c.mac(b[sha256.Size:])) &&
		json.Unmarshal(b[sha256.Size:], v) == nil
}

func (c *session) mac(b []byte) []byte {
	m := hmac.New(sha256.New, c.s.opts.Key)
	m.Write(b)
	return m.Sum(nil)
}
