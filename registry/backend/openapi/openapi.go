package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/origin"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
)

// Open reads the document, within s.StartTimeout. It does not connect to the API.
func Open(ctx context.Context, s config.Server) (backend.Backend, error) {
	if s.CallTimeout <= 0 {
		s.CallTimeout = config.DefaultCallTimeout
	}
	if s.StartTimeout <= 0 {
		s.StartTimeout = config.DefaultStartTimeout
	}
	a := &api{server: s, transport: transport(s), hide: s.Redactor()}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	spec, err := a.load(ctx)
	if err != nil {
		a.Close()
		return nil, err
	}
	a.spec, a.fresh = spec, true
	return a, nil
}

// maxProbe is how long IsAt waits for an answer.
const maxProbe = 10 * time.Second

// IsAt sends a GET request with the server's headers to its URL, and reports whether the answer
// is a document. It returns an error without an answer within 10 s, or if the host does not
// know the URL: a POST request, which MCP servers answer, gets status 404 too.
func IsAt(ctx context.Context, s config.Server) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, maxProbe)
	defer cancel()
	resp, err := probe(ctx, s, http.MethodGet)
	if err == nil && resp.StatusCode == http.StatusNotFound {
		resp.Body.Close()
		resp, err = probe(ctx, s, http.MethodPost)
	}
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return false, fmt.Errorf("%s answers %s", redact.URL(s.URL), resp.Status)
	}
	if resp.StatusCode != http.StatusOK || resp.Request.Method == http.MethodPost ||
		strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return false, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBytes))
	return err == nil && isDocument(body), err
}

// probe sends a request to the server's URL: with POST an empty JSON object.
func probe(ctx context.Context, s config.Server, method string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL, nil)
	if method == http.MethodPost {
		req, err = http.NewRequestWithContext(ctx, method, s.URL, strings.NewReader("{}"))
	}
	if err != nil {
		return nil, err
	}
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	return client(transport(s), nil).Do(req)
}

// isDocument reports whether a JSON or YAML object has a member openapi or swagger.
func isDocument(data []byte) bool {
	if !json.Valid(data) {
		var err error
		if data, err = jsonOfYAML(data); err != nil {
			return false
		}
	}
	var d struct{ OpenAPI, Swagger json.RawMessage }
	return json.Unmarshal(data, &d) == nil && (d.OpenAPI != nil || d.Swagger != nil)
}

// api is the backend of a document.
type api struct {
	server    config.Server
	transport origin.Transport
	hide      *redact.Redactor
	ctx       context.Context // ends with Close
	cancel    context.CancelFunc

	mu    sync.Mutex
	spec  *spec
	fresh bool // spec was read for the next listing
}

// spec is the content of a document.
type spec struct {
	derived
	base    *url.URL
	baseErr error // why base is missing: the tools can be listed, not called
	byName  map[string]*tool
	from    *url.URL // for a document from a URL
}

// client sends requests by the rules of send, which is nil for requests other than calls. It does
// not follow redirects to another origin, because the headers do not belong there, nor redirects
// of effect calls.
func client(t origin.Transport, send *backend.Send) *http.Client {
	return &http.Client{Transport: sender{t, send}, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if send.Once() || origin.Redirects(req, via) != nil {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// sender is the transport of one call.
type sender struct {
	origin.Transport
	send *backend.Send
}

func (s sender) RoundTrip(req *http.Request) (*http.Response, error) { return s.Send(req, s.send) }

// transport returns a transport to all addresses, or, if a document from a URL names the
// addresses, to none inside the network.
func transport(s config.Server) origin.Transport {
	if named, err := url.Parse(s.URL); err == nil && s.URL != "" && s.BaseURL == "" {
		return origin.NewGuard(named)
	}
	return origin.Anywhere()
}

// List implements backend.Backend. It reads the document anew each time.
func (a *api) List(ctx context.Context) (*backend.Listing, error) {
	a.mu.Lock()
	s, fresh := a.spec, a.fresh
	a.fresh = false
	a.mu.Unlock()
	if !fresh {
		var err error
		if s, err = a.load(ctx); err != nil {
			return nil, err
		}
		a.mu.Lock()
		a.spec = s
		a.mu.Unlock()
	}
	raws, err := s.definitions()
	if err != nil { // the stored data is gone
		if s, err = a.load(ctx); err == nil {
			raws, err = s.definitions()
		}
		if err != nil {
			return nil, err
		}
	}
	l := &backend.Listing{Server: s.Info}
	l.Server.Name, l.Server.Transport = a.server.Name, config.OpenAPI
	var problems []string
	l.Tools, problems = backend.DecodeTools(a.server.Name, raws)
	l.Server.Problems = slices.Concat(s.Problems, a.doubts(s), problems)
	for i := range l.Tools {
		l.Tools[i].Request = a.sends(s, s.byName[l.Tools[i].Name])
	}
	return l, nil
}

// sends describes the request of a tool, as far as it depends on the document and not on the
// config: registry.Tool.Request.
func (a *api) sends(s *spec, t *tool) string {
	address := ""
	if a.server.BaseURL == "" && s.base != nil {
		address = strings.TrimSuffix(origin.Show(s.base), "/")
	}
	text := strings.ToUpper(t.Method) + " " + address + t.Path
	var parts []string
	for _, p := range t.Params {
		parts = append(parts, fmt.Sprintf("%s as %s %s", p.As, p.In, p.Name))
	}
	slices.Sort(parts)
	if t.Body != nil {
		body := "body " + t.Body.ContentType
		if t.Body.Properties != nil {
			body += " of " + strings.Join(slices.Sorted(maps.Keys(t.Body.Properties)), ", ")
		}
		parts = append(parts, body)
	}
	if len(parts) == 0 {
		return text
	}
	return text + ", with " + strings.Join(parts, "; ")
}

// doubts returns the problems with the address to which the document sends its calls.
func (a *api) doubts(s *spec) []string {
	switch {
	case s.baseErr != nil:
		return []string{s.baseErr.Error()}
	case a.server.BaseURL == "" && s.from != nil && !origin.Same(s.from, s.base):
		return []string{sendsTo(s.base) + "; set that as baseUrl in its config entry if it is meant"}
	}
	return nil
}

// load reads the document, and makes tools of it unless they are cached.
func (a *api) load(ctx context.Context) (*spec, error) {
	ctx, cancel := context.WithTimeout(ctx, a.server.StartTimeout)
	defer cancel()
	f, data, err := a.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("server %q: reading its OpenAPI document: %w", a.server.Name, a.hide.Err(err))
	}
	s := &spec{byName: map[string]*tool{}, from: f.base}
	path := keptPath(data, f, a.server)
	if !s.recall(path, f) {
		if s.derived, err = derive(data, f, a.server); err != nil {
			return nil, fmt.Errorf("server %q: %w", a.server.Name, a.hide.Err(err))
		}
		s.keep(path)
	}
	for _, t := range s.Tools {
		s.byName[t.Name] = t
	}
	s.base, s.baseErr = a.base(s.Server, f.base)
	return s, nil
}

// base returns the address of the API: that of the config, otherwise the document's, unless
// secrets would go to a host that only the document names.
func (a *api) base(server string, from *url.URL) (*url.URL, error) {
	if a.server.BaseURL != "" {
		return url.Parse(a.server.BaseURL)
	}
	u, err := url.Parse(server)
	if err == nil && from != nil {
		u = from.ResolveReference(u)
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the document does not say where its API is (%q); set baseUrl in the config entry", server)
	}
	secrets := len(a.server.Headers) + len(a.server.Query)
	if from != nil && secrets > 0 && !origin.Same(from, u) {
		return nil, errors.New(sendsTo(u) + "; set that as baseUrl in its config entry to send headers there")
	}
	return u, nil
}

func sendsTo(u *url.URL) string { return "the document sends its calls to " + origin.Show(u) }

// authorize adds the headers and query values of the definition.
func (a *api) authorize(req *http.Request) {
	for k, v := range a.server.Headers {
		if strings.EqualFold(k, "Host") {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	if len(a.server.Query) > 0 {
		q := req.URL.Query()
		for k, v := range a.server.Query {
			q.Set(k, v)
		}
		req.URL.RawQuery = q.Encode()
	}
}

// Close implements backend.Backend.
func (a *api) Close() error {
	a.cancel()
	a.transport.CloseIdleConnections()
	return nil
}
