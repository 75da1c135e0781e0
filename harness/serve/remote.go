package serve

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

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/console"
)

// wholeKey in the _meta of a call of execute asks for the Result as it is: not
// cut to what a model reads, images in the value, and the texts for a person as
// content. It costs the server no more than the run did.
const wholeKey = "usetools/whole"

func wantsWhole(req *mcp.CallToolRequest) bool {
	whole, _ := req.Params.Meta[wholeKey].(bool)
	return whole
}

// whole returns a Result as wholeKey asks for it.
func whole(res *harness.Result) *mcp.CallToolResult {
	res.Lowered = ""
	shown := ""
	if res.LookUp {
		shown = res.Shown()
	}
	return &mcp.CallToolResult{
		IsError: failed(res), StructuredContent: res,
		Content: []mcp.Content{&mcp.TextContent{Text: shown}, &mcp.TextContent{Text: res.Problems(true, false)}},
	}
}

// Remote runs scripts on a server over HTTP.
type Remote struct {
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

// RemoteResult is the Result of a run on a server, with the server's texts.
type RemoteResult struct {
	*harness.Result
	Shown    string // the answer of a lookup
	Problems string // errors and warnings
}

// RemoteError is the message of an answer that is no Result.
type RemoteError struct{ Message string }

func (e *RemoteError) Error() string { return e.Message }

const (
	// maxRemote is the size limit of an answer in bytes.
	maxRemote = 256 << 20
	// remoteStart limits the handshake, remoteQueue the time that a script waits
	// for its turn.
	remoteStart = 10 * time.Second
	remoteQueue = 5 * time.Minute
)

// Run runs a script on the server. timeout is in addition to the time that the
// script waits for its turn; the server's own limit applies too. Run returns a
// *RemoteError for an answer that is no Result.
func (r *Remote) Run(ctx context.Context, script string, inputs map[string]json.RawMessage,
	timeout time.Duration) (*RemoteResult, error) {
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
	transport := &mcp.StreamableClientTransport{
		Endpoint: endpoint, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxRemote,
		HTTPClient: &http.Client{Transport: &withToken{r.Token, http.DefaultTransport}, CheckRedirect: stay},
	}
	session, err := client.Connect(begin, transport, &mcp.ClientSessionOptions{ProtocolVersion: lastStateful})
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
	params := &mcp.CallToolParams{Meta: mcp.Meta{wholeKey: true}, Name: "execute", Arguments: args}
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

func remoteResult(res *mcp.CallToolResult) (*RemoteResult, error) {
	var texts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	out := &RemoteResult{Result: &harness.Result{}}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return nil, err
	}
	isResult := res.StructuredContent != nil && json.Unmarshal(b, out.Result) == nil && len(texts) == 2
	if !isResult || out.Status == "" || out.Status == "busy" {
		words := strings.TrimSpace(strings.Join(texts, "\n"))
		return nil, &RemoteError{cmp.Or(words, "the server answers with no Result; is it harness serve?")}
	}
	out.Shown, out.Problems = texts[0], texts[1]
	out.LookUp = out.Shown != ""
	return out, nil
}

func (r *Remote) endpoint() (string, error) {
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
func (r *Remote) explain(endpoint string, err error) error {
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

// URL returns the address of the MCP endpoint for clients on this machine. Call it
// after Listen.
func (h *HTTP) URL() string {
	if h.listener == nil {
		return ""
	}
	addr := h.listener.Addr().String()
	for from, to := range map[string]string{"0.0.0.0:": "127.0.0.1:", "[::]:": "[::1]:"} {
		if port, ok := strings.CutPrefix(addr, from); ok {
			addr = to + port
		}
	}
	return "http://" + addr + "/mcp"
}

// ConsoleLink returns a link that opens the console once, signed with Secret. It is
// empty unless the address is a loopback address. Call it after Listen.
func (h *HTTP) ConsoleLink() string {
	if len(h.Secret) == 0 || !h.local() {
		return ""
	}
	return strings.TrimSuffix(h.URL(), "/mcp") + console.OpenPath(h.Secret)
}

// local reports whether the server listens on a loopback address.
func (h *HTTP) local() bool {
	if h.listener == nil {
		return false
	}
	a, ok := h.listener.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}
