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
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/registry"
)

// wholeKey in the _meta of a call of execute asks for the Result as it is: not
// cut to what a model reads, images in the value, and the texts for a person as
// content. It costs the server no more than the run did.
const wholeKey = "usetools/whole"

func wantsWhole(req *mcp.CallToolRequest) bool {
	whole, _ := req.Params.Meta[wholeKey].(bool)
	return whole
}

// whole is a Result for who asked with wholeKey.
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

// Remote is a server over HTTP that runs scripts for a person.
type Remote struct {
	// URL is that of its MCP endpoint; one without a path gets /mcp.
	URL string
	// Token is sent as a bearer token; empty: none is.
	Token string
	// DryRun makes runs dry runs; a server that knows none refuses them.
	DryRun bool
	// Ask asks the person whether a tool may be used; nil: nobody can be asked.
	Ask func(question string) bool
}

// RemoteResult is a Result from elsewhere, with the texts that were made of it
// there.
type RemoteResult struct {
	*harness.Result
	Shown    string // what a look-up found
	Problems string // what was wrong
}

// RemoteError is an answer of the server that is no Result, in its own words.
type RemoteError struct{ Message string }

func (e *RemoteError) Error() string { return e.Message }

// ErrNotServing is the error for a URL where nobody answers.
var ErrNotServing = errors.New("nobody serves there")

const (
	// maxRemote bounds the body of an answer in bytes.
	maxRemote = 256 << 20
	// remoteStart is how long the handshake may take, remoteQueue how long a
	// script may wait for its turn.
	remoteStart = 10 * time.Second
	remoteQueue = 5 * time.Minute
)

// Run runs a script there, within the timeout and what the server allows at
// most. The errors are ErrNotServing, a *RemoteError and those of HTTP.
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

// stay follows no redirect.
func stay(*http.Request, []*http.Request) error {
	return errors.New("the server leads elsewhere, where no script is sent")
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

// explain says what an error of HTTP means here.
func (r *Remote) explain(endpoint string, err error) error {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("%s: %w", endpoint, ErrNotServing)
	case strings.Contains(err.Error(), http.StatusText(http.StatusUnauthorized)):
		return fmt.Errorf("the server at %s wants a token, and not the one of this environment: set USETOOLS_TOKEN", endpoint)
	}
	return fmt.Errorf("running the script at %s: %w", endpoint, err)
}

// withToken sends a token, and bounds what comes back.
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

// running is what a server that serves HTTP notes of itself, for Running: where,
// which process, and what links to its console are made with. It has no token.
type running struct {
	URL     string `json:"url"`
	PID     int    `json:"pid"`
	Console []byte `json:"console,omitempty"`
}

// URL is where clients on this machine reach the server; call it after Listen.
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

// ConsoleLink is a link that opens the console here once, with Secret; "" where the
// address is no loopback one. Call it after Listen.
func (h *HTTP) ConsoleLink() string {
	if len(h.Secret) == 0 || h.listener == nil || !h.local() {
		return ""
	}
	return strings.TrimSuffix(h.URL(), "/mcp") + console.OpenPath(h.Secret)
}

// local reports whether only this machine reaches the address.
func (h *HTTP) local() bool {
	a, ok := h.listener.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// runningFolder is where the servers over a registry note themselves: in the
// user's cache folder, a file for each process.
func runningFolder(registryFile string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return registry.SidePath(dir, "serving", registryFile)
}

// Announce notes that this process serves the tools of a registry at a URL, in a
// file that only this user can read; withdraw takes that back. console is what links
// to its console are made with; nil: nobody else makes any.
func Announce(registryFile, url string, console []byte) (withdraw func(), err error) {
	dir, err := runningFolder(registryFile)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	data, err := json.Marshal(running{url, os.Getpid(), console})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("%d.json", os.Getpid()))
	if err := registry.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	return func() { os.Remove(path) }, nil
}

// maxRunning bounds a file of Announce in bytes.
const maxRunning = 4 << 10

// Running are the URLs of the servers of this user over a registry, the newest
// first. What processes that are gone have left is removed.
func Running(registryFile string) ([]string, error) {
	all, err := allRunning(registryFile)
	var out []string
	for _, r := range all {
		out = append(out, r.URL)
	}
	return out, err
}

// ConsoleLinks are links that open, once, the consoles of the servers of this user
// over a registry, the newest first.
func ConsoleLinks(registryFile string) ([]string, error) {
	all, err := allRunning(registryFile)
	var out []string
	for _, r := range all {
		if len(r.Console) > 0 {
			out = append(out, strings.TrimSuffix(r.URL, "/mcp")+console.OpenPath(r.Console))
		}
	}
	return out, err
}

func allRunning(registryFile string) ([]running, error) {
	dir, err := runningFolder(registryFile)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	since := map[int]time.Time{} // by process
	var all []running
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(path) != ".json" {
			continue
		}
		data, err := registry.ReadFile(path, maxRunning)
		var r running
		if err != nil || json.Unmarshal(data, &r) != nil || !alive(r.PID) {
			os.Remove(path)
			continue
		}
		since[r.PID] = info.ModTime()
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b running) int { return since[b.PID].Compare(since[a.PID]) })
	return all, err
}

// alive reports whether there is a process of this user with an ID.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	return runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil
}
