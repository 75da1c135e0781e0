package openapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/propagation"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/origin"
	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/registry/text"
)

const (
	// maxResponse bounds the body of a response in bytes, if the definition has no MaxMessage.
	maxResponse = 64 << 20
	// maxFailure bounds the part of a failure's body that is kept, in bytes.
	maxFailure = 4 << 10
	// codeInvalidParams is JSON-RPC's code for invalid arguments.
	codeInvalidParams = -32602
)

// Call implements backend.Backend. It takes at most the server's CallTimeout. A response with
// status 300 or above is a result with IsError. It is an error if an effect call may have been
// executed nevertheless.
func (a *api) Call(ctx context.Context, call *backend.Request) (*backend.Result, error) {
	name := call.Tool
	fail := func(err error) (*backend.Result, error) {
		return nil, fmt.Errorf("server %q: calling %q: %w", a.server.Name, name, err)
	}
	if a.ctx.Err() != nil {
		return fail(backend.ErrClosed)
	}
	a.mu.Lock()
	s := a.spec
	a.mu.Unlock()
	t := s.byName[name]
	if t == nil {
		return nil, a.refusal(name, errors.New("unknown tool"))
	}
	if s.baseErr != nil {
		return fail(s.baseErr)
	}
	if want := call.Expect; want != "" && want != a.sends(s, t) {
		return fail(fmt.Errorf("the document has changed: a call would send %s, but %s was accepted; build-registry and then "+
			"build-registry accept show and accept the change", a.sends(s, t), want))
	}
	if err := call.Args.Err(); err != nil {
		return fail(err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.server.CallTimeout)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	req, err := t.request(ctx, s.base, call.Args.JSON())
	if err != nil {
		return nil, a.refusal(name, err)
	}
	a.authorize(req)
	res, data, err := a.exchange(req, call.Send)
	if err != nil {
		became := call.Send.Outcome(err)
		switch {
		case became == backend.Unread:
			err = a.hide.Err(err)
		case a.ctx.Err() != nil:
			err = backend.ErrClosed
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			err = fmt.Errorf("no answer within %v: %w", a.server.CallTimeout, ctx.Err())
		case ctx.Err() != nil:
			err = ctx.Err()
		default:
			err = a.hide.Err(err)
		}
		return fail(&backend.OutcomeError{Outcome: became, Err: err})
	}
	if became := backend.StatusOutcome(res.StatusCode); call.Send.Once() && became != backend.Answered {
		return fail(&backend.OutcomeError{Outcome: became,
			Err: errors.New(failure(res.StatusCode, bytes.TrimSpace(data), a.hide))})
	}
	return t.result(res, data, call.Send.Once(), a.hide)
}

// exchange sends the request of a call and reads the response.
func (a *api) exchange(req *http.Request, send *backend.Send) (*http.Response, []byte, error) {
	res, err := client(a.transport, send).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	limit := cmp.Or(int64(a.server.MaxMessage), maxResponse)
	data, err := bounded(res.Body, limit)
	if err != nil && int64(len(data)) > limit {
		err = &backend.OutcomeError{Outcome: backend.Unread, Err: err}
	}
	return res, data, err
}

func (a *api) refusal(tool string, err error) error {
	return &backend.RefusedError{Server: a.server.Name, Tool: tool, Code: codeInvalidParams, Message: err.Error()}
}

// request returns the HTTP request of a call.
func (t *tool) request(ctx context.Context, base *url.URL, raw json.RawMessage) (*http.Request, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	path, header := t.Path, http.Header{}
	query := newFields(queryEscape, t.owners("query", queryEscape))
	cookies := newFields(cookieEscape, t.owners("cookie", cookieEscape))
	for _, p := range t.Params {
		raw, ok := args[p.As]
		delete(args, p.As)
		if !ok || string(raw) == "null" {
			if p.Required {
				return nil, fmt.Errorf("the argument %q is required", p.As)
			}
			continue
		}
		v, err := tree(raw)
		if err != nil {
			return nil, fmt.Errorf("the argument %q: %w", p.As, err)
		}
		switch p.In {
		case "path":
			path, err = p.inPath(path, v)
		case "query":
			err = query.add(p.As, p.Name, p.Style, v)
		case "header":
			var text string
			text, err = p.text(v, func(s string) string { return s })
			header.Set(p.Name, text)
		case "cookie":
			err = cookies.add(p.As, p.Name, p.Style, v)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(cookies.list) > 0 {
		header.Set("Cookie", cookies.join("; "))
	}
	content, kind, err := t.content(args)
	if err != nil {
		return nil, err
	}
	u := *base
	escaped := strings.TrimSuffix(base.EscapedPath(), "/") + path
	if u.Path, err = url.PathUnescape(escaped); err != nil {
		return nil, err
	}
	u.RawPath = escaped
	u.RawQuery = strings.Trim(base.RawQuery+"&"+query.join("&"), "&")
	var body io.Reader
	if content != nil {
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, t.Method, u.String(), body)
	if err != nil {
		return nil, errors.New("the URL with the arguments is invalid")
	}
	req.Header = header
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
	req.Header.Set("Accept", "application/json, */*;q=0.5")
	if content != nil {
		req.Header.Set("Content-Type", kind)
	}
	return req, nil
}

// owners maps the escaped names of a tool's parameters in one place to their arguments.
func (t *tool) owners(in string, escape func(string) string) map[string]string {
	out := map[string]string{}
	for _, p := range t.Params {
		if p.In == in {
			out[escape(p.Name)] = p.As
		}
	}
	return out
}

// inPath inserts an argument into the path. It refuses text that changes the path's structure,
// which would reach another operation.
func (p *argument) inPath(path string, v *jsontree.Value) (string, error) {
	text, err := p.text(v, url.PathEscape)
	if err != nil {
		return "", err
	}
	if text == "" || text == "." || text == ".." {
		return "", fmt.Errorf("the argument %q is %q, which cannot be part of a path", p.As, text)
	}
	return strings.ReplaceAll(path, "{"+p.Name+"}", text), nil
}

// text returns an argument as one piece of text.
func (p *argument) text(v *jsontree.Value, escape func(string) string) (string, error) {
	text, err := p.Style.text(p.Name, v, escape)
	if err != nil {
		return "", fmt.Errorf("the argument %q %w", p.As, err)
	}
	return text, nil
}

// content returns the body made of the remaining arguments, and its content type. data is nil if
// the call has no body.
func (t *tool) content(args map[string]json.RawMessage) (data []byte, contentType string, err error) {
	b := t.Body
	known := func(name string) bool {
		return b != nil && (b.Properties == nil && name == "body" || b.Properties[name])
	}
	for name := range args {
		if !known(name) {
			return nil, "", fmt.Errorf("unknown argument %q", name)
		}
	}
	switch {
	case b == nil:
		return nil, "", nil
	case len(args) == 0 && !b.Required:
		if b.ContentType == formType && slices.Contains([]string{"POST", "PUT", "PATCH"}, t.Method) {
			return []byte{}, formType, nil // servers that parse forms need to know that it is an empty one
		}
		return nil, "", nil
	}
	if b.Properties != nil {
		return b.encode(args)
	}
	body, ok := args["body"]
	switch {
	case !ok && b.Required:
		return nil, "", errors.New(`the argument "body" is required`)
	case isJSON(b.ContentType):
		return body, b.ContentType, nil
	case b.ContentType == formType, b.ContentType == multipartType:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			return nil, "", errors.New(`the argument "body" is not an object`)
		}
		return b.encode(members)
	}
	var text string
	if err := json.Unmarshal(body, &text); err != nil {
		return nil, "", errors.New(`the argument "body" is not a text`)
	}
	if b.Bytes {
		data, err := unbase64("body", text)
		return data, b.ContentType, err
	}
	return []byte(text), b.ContentType, nil
}

// encode writes the members of a body in its content type.
func (b *requestBody) encode(members map[string]json.RawMessage) (data []byte, contentType string, err error) {
	switch b.ContentType {
	case formType:
		data, err = form(members, b.Parts)
	case multipartType:
		return multipartBody(members, b.Parts)
	default:
		data, err = json.Marshal(members)
	}
	return data, b.ContentType, err
}

// form writes arguments like an HTML form, each by its encoding. Arguments without an encoding
// depend on their kind; objects are JSON.
func form(args map[string]json.RawMessage, how map[string]part) ([]byte, error) {
	owner := map[string]string{}
	for name := range args {
		owner[url.QueryEscape(name)] = name
	}
	body := newFields(url.QueryEscape, owner)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		v, err := tree(args[name])
		if err != nil {
			return nil, fmt.Errorf("the argument %q: %w", name, err)
		}
		p, values := how[name], []*jsontree.Value{v}
		if p.Style == nil && !isJSON(p.ContentType) {
			values = items(v)
		}
		for _, v := range values {
			if err := body.add(name, name, p.style(v), v); err != nil {
				return nil, err
			}
		}
	}
	return []byte(body.join("&")), nil
}

// block is a block of content in a message.
type block struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MIMEType string    `json:"mimeType,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	Blob     string `json:"blob"`
}

// result returns the result of a call from its response. JSON keeps its digits and the order of
// its keys. once reports whether the call must be sent at most once. hide redacts failures,
// because APIs repeat the keys that they refuse.
func (t *tool) result(res *http.Response, data []byte, once bool, hide *redact.Redactor) (*backend.Result, error) {
	r := struct {
		Content    []block         `json:"content"`
		Structured json.RawMessage `json:"structuredContent,omitempty"`
		IsError    bool            `json:"isError,omitempty"`
	}{Content: []block{}}
	kind := mainType(res.Header.Get("Content-Type"))
	text := func(s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		r.Content = append(r.Content, block{Type: "text", Text: &s})
	}
	switch trimmed := bytes.TrimSpace(data); {
	case res.StatusCode >= 300:
		r.IsError = true
		text(failure(res.StatusCode, trimmed, hide) + led(res, once, hide))
	case len(trimmed) == 0:
	case isJSON(kind) && kind != "*/*" && json.Valid(trimmed):
		text(string(trimmed))
		switch {
		case t.Wrapped:
			r.Structured = fmt.Appendf(nil, `{"result":%s}`, trimmed)
		case trimmed[0] == '{':
			r.Structured = trimmed
		}
	case kind == "" || strings.HasPrefix(kind, "text/") || isJSON(kind) || strings.HasSuffix(kind, "xml"):
		text(string(data))
	case strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "audio/"):
		kindOf, _, _ := strings.Cut(kind, "/")
		r.Content = append(r.Content, block{Type: kindOf, Data: base64.StdEncoding.EncodeToString(data), MIMEType: kind})
	default:
		r.Content = append(r.Content, block{Type: "resource", Resource: &resource{
			URI: t.Path, MIMEType: kind, Blob: base64.StdEncoding.EncodeToString(data)}})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	return backend.DecodeResult(bytes.TrimSpace(b.Bytes()))
}

// failure returns the message of a failure response, with its status.
func failure(code int, data []byte, hide *redact.Redactor) string {
	message := hide.Text(cmp.Or(say(data, 0), string(data)))
	message = text.CutBytes(message, maxFailure)
	if message == "" {
		return status(code)
	}
	return status(code) + ": " + message
}

// led describes the target of a redirect that must not be followed, or returns "".
func led(res *http.Response, once bool, hide *redact.Redactor) string {
	to, err := res.Location()
	if err != nil || res.StatusCode >= 400 || !once {
		return ""
	}
	return fmt.Sprintf("; it redirects to %s, and an effect call is not sent again",
		hide.Text(origin.Show(to)))
}

// say finds the message in an error's JSON. APIs have it under these names, nested in various
// ways.
func say(data json.RawMessage, depth int) string {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	var members map[string]json.RawMessage
	if depth > 3 || json.Unmarshal(data, &members) != nil {
		return ""
	}
	for _, key := range []string{"message", "detail", "error", "title"} {
		if v, ok := members[key]; ok {
			if s := say(v, depth+1); s != "" {
				return s
			}
		}
	}
	return ""
}
