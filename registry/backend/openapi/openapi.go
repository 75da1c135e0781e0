package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/origin"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
)

// maxInstructions bounds what is kept of a document's description, in bytes.
const maxInstructions = 64 << 10

// Open reads the document, within s.StartTimeout. The API itself is not asked.
func Open(ctx context.Context, s config.Server) (backend.Backend, error) {
	if s.CallTimeout <= 0 {
		s.CallTimeout = config.DefaultCallTimeout
	}
	if s.StartTimeout <= 0 {
		s.StartTimeout = config.DefaultStartTimeout
	}
	a := &api{server: s, client: client(s), hide: s.Redactor()}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	spec, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	a.spec, a.fresh = spec, true
	return a, nil
}

// api is the backend of one document.
type api struct {
	server config.Server
	client *http.Client
	hide   *redact.Redactor
	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu    sync.Mutex
	spec  *spec
	fresh bool // spec was read for this listing
}

// spec is what a document says.
type spec struct {
	base     *url.URL
	baseErr  error // why there is no base: the tools can be listed, not called
	tools    []*tool
	byName   map[string]*tool
	problems []string
	info     registry.Server
}

// client follows no redirect to another origin: the headers that it would take
// along are for this one. Where a document from a URL may say what is called,
// that is not inside of the network.
func client(s config.Server) *http.Client {
	c := &http.Client{Transport: origin.Transport(), CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if origin.Redirects(req, via) != nil {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	if named, err := url.Parse(s.URL); err == nil && s.URL != "" && s.BaseURL == "" {
		c.Transport = origin.NewGuard(named)
	}
	return c
}

// List implements backend.Backend. The document is read anew each time.
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
	raws := make([]json.RawMessage, len(s.tools))
	for i, t := range s.tools {
		raws[i] = t.raw
	}
	l := &backend.Listing{Server: s.info}
	var problems []string
	l.Tools, problems = backend.DecodeTools(a.server.Name, raws)
	l.Server.Problems = append(append(l.Server.Problems, s.problems...), problems...)
	return l, nil
}

// load reads the document and makes tools of it.
func (a *api) load(ctx context.Context) (*spec, error) {
	ctx, cancel := context.WithTimeout(ctx, a.server.StartTimeout)
	defer cancel()
	data, from, err := a.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("server %q: reading its OpenAPI document: %w", a.server.Name, a.hide.Err(err))
	}
	d, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("server %q: %w", a.server.Name, a.hide.Err(err))
	}
	s := &spec{byName: map[string]*tool{}, info: registry.Server{
		Name: a.server.Name, Transport: config.OpenAPI,
		Title: string(d.Info.Title), Version: string(d.Info.Version), Instructions: string(d.Info.Description),
	}}
	if len(s.info.Instructions) > maxInstructions {
		s.info.Instructions = strings.ToValidUTF8(s.info.Instructions[:maxInstructions], "")
	}
	s.tools, s.problems = d.tools(newChooser(a.server.Tags, a.server.Paths), maxDefinitions)
	for _, t := range s.tools {
		s.byName[t.name] = t
	}
	s.base, s.baseErr = a.base(d, from)
	switch {
	case s.baseErr != nil:
		s.problems = append(s.problems, s.baseErr.Error())
	case a.server.BaseURL == "" && from != nil && !origin.Same(from, s.base):
		s.problems = append(s.problems, sendsTo(s.base)+"; set that as baseUrl in its config entry if it is meant")
	}
	return s, nil
}

// base returns where the API is: where the config says, else where the document
// says, as long as no secrets go to a host that only the document names.
func (a *api) base(d *document, from *url.URL) (*url.URL, error) {
	if a.server.BaseURL != "" {
		return url.Parse(a.server.BaseURL)
	}
	u, err := d.base(from)
	if err != nil {
		return nil, err
	}
	secrets := len(a.server.Headers) + len(a.server.Query)
	if from != nil && secrets > 0 && !origin.Same(from, u) {
		return nil, errors.New(sendsTo(u) + "; set that as baseUrl in its config entry to send headers there")
	}
	return u, nil
}

func sendsTo(u *url.URL) string { return "the document sends its calls to " + origin.Show(u) }

// read returns the document, and the URL that it came from, if any.
func (a *api) read(ctx context.Context) ([]byte, *url.URL, error) {
	if a.server.URL == "" {
		f, err := os.Open(a.server.Path)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		data, err := bounded(f, MaxDocumentBytes)
		return data, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.server.URL, nil)
	if err != nil {
		return nil, nil, errors.New("the url cannot be read")
	}
	a.authorize(req)
	req.Header.Set("Accept", "application/json, application/yaml")
	res, err := a.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s; check its url and headers", status(res.StatusCode))
	}
	data, err := bounded(res.Body, MaxDocumentBytes)
	return data, res.Request.URL, err
}

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

func bounded(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return data, err
}

// Close implements backend.Backend.
func (a *api) Close() error {
	a.cancel()
	a.client.CloseIdleConnections()
	return nil
}
