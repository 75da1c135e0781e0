// Package remote runs a person's scripts on a running server. It is the client of harness run
// -connect.
package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/serve/transport"
)

// Server is a server that runs scripts over HTTP.
type Server struct {
	// URL is the MCP endpoint. If its path is empty, it is /mcp.
	URL string
	// Token is sent as a bearer token. If empty, none is sent.
	Token string
	// DryRun makes dry runs. A server without dry runs refuses them.
	DryRun bool
	// Ask asks the user whether a call is approved. If nil, calls that need
	// approval are not made.
	Ask func(question string) bool
}

// Result is the Result of a run on a server, with the server's texts.
type Result struct {
	*outcome.Result
	Shown    string // the answer of a lookup
	Problems string // errors and warnings
}

// Error is the message of an answer that is not a Result.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

const (
	// maxRemote is the size limit of an answer in bytes.
	maxRemote = 256 << 20
	// remoteStart limits the handshake, remoteQueue the time that a script waits
	// for its turn.
	remoteStart = 10 * time.Second
	remoteQueue = 5 * time.Minute
)

// Run runs a script on the server. timeout does not include the time that the script waits for its
// turn; the server's own limit also applies. Run returns an *Error for an answer that is not a
// Result.
func (r *Server) Run(ctx context.Context, script string, inputs map[string]json.RawMessage,
	timeout time.Duration) (*Result, error) {
	endpoint, err := r.endpoint()
	if err != nil {
		return nil, err
	}
	opts := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if r.Ask != nil {
		opts.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if r.Ask(req.Params.Message) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
			}
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "harness-run", Version: "1"}, opts)
	begin, cancel := context.WithTimeout(ctx, remoteStart)
	defer cancel()
	through := &mcp.StreamableClientTransport{
		Endpoint: endpoint, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxRemote,
		HTTPClient: &http.Client{Transport: &withToken{r.Token, http.DefaultTransport}, CheckRedirect: stay},
	}
	session, err := client.Connect(begin, through, &mcp.ClientSessionOptions{ProtocolVersion: transport.LastStateful})
	if err != nil {
		return nil, r.explain(endpoint, err)
	}
	defer session.Close()
	ctx, stop := context.WithTimeout(ctx, timeout+remoteQueue)
	defer stop()
	args := map[string]any{"script": script, "timeout_ms": max(timeout.Milliseconds(), 1)}
	if len(inputs) > 0 {
		args["inputs"] = inputs
	}
	if r.DryRun {
		args["dry_run"] = true
	}
	params := &mcp.CallToolParams{Meta: mcp.Meta{transport.WholeKey: true}, Name: "execute", Arguments: args}
	res, err := session.CallTool(ctx, params)
	if err != nil {
		return nil, r.explain(endpoint, err)
	}
	return remoteResult(res)
}

// stay refuses redirects.
func stay(*http.Request, []*http.Request) error {
	return errors.New("the server redirects to another address; scripts are not sent there")
}

func remoteResult(res *mcp.CallToolResult) (*Result, error) {
	var texts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	out := &Result{Result: &outcome.Result{}}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return nil, err
	}
	isResult := res.StructuredContent != nil && json.Unmarshal(b, out.Result) == nil && len(texts) == 2
	if !isResult || out.Status == "" || out.Status == "busy" {
		words := strings.TrimSpace(strings.Join(texts, "\n"))
		return nil, &Error{cmp.Or(words, "the server answers with no Result; is it harness serve?")}
	}
	out.Shown, out.Problems = texts[0], texts[1]
	out.LookUp = out.Shown != ""
	return out, nil
}

func (r *Server) endpoint() (string, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", errors.New("want the URL of a server, as in http://127.0.0.1:7337/mcp")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	return u.String(), nil
}

// explain returns an error for the user.
func (r *Server) explain(endpoint string, err error) error {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("no server answers at %s; harness serve -http %s starts one", endpoint, op.Addr)
	case strings.Contains(err.Error(), http.StatusText(http.StatusUnauthorized)):
		return fmt.Errorf("the server at %s requires a token, and USETOOLS_TOKEN is missing or wrong: set it", endpoint)
	}
	return fmt.Errorf("running the script at %s: %w", endpoint, err)
}

// withToken adds a token to requests and limits the size of answers.
type withToken struct {
	token string
	next  http.RoundTripper
}

func (b *withToken) RoundTrip(req *http.Request) (*http.Response, error) {
	if b.token != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	res, err := b.next.RoundTrip(req)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxRemote)
	}
	return res, err
}
