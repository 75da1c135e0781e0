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
	"github.com/usetools/usetools/registry/redact"
)

const (
	// maxResponse bounds the body of a response in bytes.
	maxResponse = 64 << 20
	// maxFailure bounds what is kept of the body of a failure.
	maxFailure = 4 << 10
	// codeInvalidParams is JSON-RPC's code for arguments that cannot be.
	codeInvalidParams = -32602
)

// Call implements backend.Backend. It takes at most the server's CallTimeout.
// A response of status 400 or above is a result with IsError.
func (a *api) Call(ctx context.Context, name string, raw json.RawMessage) (*backend.Result, error) {
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
	raw, err := backend.ArgsObject(raw)
	if err != nil {
		return fail(err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.server.CallTimeout)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	req, err := t.request(ctx, s.base, raw)
	if err != nil {
		return nil, a.refusal(name, err)
	}
	a.authorize(req)
	res, err := a.client.Do(req)
	var data []byte
	if err == nil {
		defer res.Body.Close()
		data, err = bounded(res.Body, maxResponse)
	}
	switch {
	case err == nil:
		return t.result(res, data, a.hide)
	case a.ctx.Err() != nil:
		return fail(backend.ErrClosed)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fail(fmt.Errorf("no answer within %v: %w", a.server.CallTimeout, ctx.Err()))
	case ctx.Err() != nil:
		return fail(ctx.Err())
	}
	return fail(a.hide.Err(err))
}

func (a *api) refusal(tool string, err error) error {
	return &backend.RefusedError{Server: a.server.Name, Tool: tool, Code: codeInvalidParams, Message: err.Error()}
}

// request makes the HTTP request of a call.
func (t *tool) request(ctx context.Context, base *url.URL, raw json.RawMessage) (*http.Request, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	path, query, header := t.path, url.Values{}, http.Header{}
	for _, p := range t.params {
		v, ok := args[p.as]
		delete(args, p.as)
		if !ok || string(v) == "null" {
			if p.Required || p.In == "path" {
				return nil, fmt.Errorf("the argument %q is required", p.as)
			}
			continue
		}
		var err error
		switch p.In {
		case "path":
			path, err = p.inPath(path, v)
		case "query":
			err = p.inQuery(query, v)
		case "header":
			var text string
			text, err = p.text(v)
			header.Set(p.Name, text)
		case "cookie":
			var text string
			text, err = p.text(v)
			header.Add("Cookie", (&http.Cookie{Name: p.Name, Value: text}).String())
		}
		if err != nil {
			return nil, err
		}
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
	u.RawQuery = strings.Trim(base.RawQuery+"&"+query.Encode(), "&")
	var body io.Reader
	if content != nil {
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, t.method, u.String(), body)
	if err != nil {
		return nil, errors.New("the arguments make no URL")
	}
	req.Header = header
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
	req.Header.Set("Accept", "application/json, */*;q=0.5")
	if content != nil {
		req.Header.Set("Content-Type", kind)
	}
	return req, nil
}

// inPath puts an argument into the path. What would change the path's shape
// is refused: it would reach another operation.
func (p *argument) inPath(path string, v json.RawMessage) (string, error) {
	text, err := p.text(v)
	if err != nil {
		return "", err
	}
	if text == "" || text == "." || text == ".." {
		return "", fmt.Errorf("the argument %q is %q, which no path can hold", p.as, text)
	}
	return strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(text)), nil
}

// inQuery adds an argument to the query, in the style of the parameter.
func (p *argument) inQuery(query url.Values, v json.RawMessage) error {
	explode := p.Explode == nil && (p.Style == "" || p.Style == "form") || p.Explode != nil && *p.Explode
	var list []json.RawMessage
	var members map[string]json.RawMessage
	switch {
	case len(p.Content) > 0:
	case v[0] == '[' && explode && json.Unmarshal(v, &list) == nil:
		for _, item := range list {
			text, err := plain(p.as, item)
			if err != nil {
				return err
			}
			query.Add(p.Name, text)
		}
		return nil
	case v[0] == '{' && json.Unmarshal(v, &members) == nil && (explode || p.Style == "deepObject"):
		for _, name := range slices.Sorted(maps.Keys(members)) {
			text, err := plain(p.as, members[name])
			if err != nil {
				return err
			}
			if p.Style == "deepObject" {
				name = p.Name + "[" + name + "]"
			}
			query.Add(name, text)
		}
		return nil
	}
	text, err := p.text(v)
	query.Add(p.Name, text)
	return err
}

// text is an argument as one piece of text: a list with its separator between
// the items, an object as name,value pairs.
func (p *argument) text(v json.RawMessage) (string, error) {
	if len(p.Content) > 0 {
		return string(v), nil
	}
	separator := ","
	switch p.Style {
	case "spaceDelimited":
		separator = " "
	case "pipeDelimited":
		separator = "|"
	}
	var list []json.RawMessage
	var members map[string]json.RawMessage
	var parts []string
	switch {
	case v[0] == '[' && json.Unmarshal(v, &list) == nil:
		for _, item := range list {
			text, err := plain(p.as, item)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
	case v[0] == '{' && json.Unmarshal(v, &members) == nil:
		for _, name := range slices.Sorted(maps.Keys(members)) {
			text, err := plain(p.as, members[name])
			if err != nil {
				return "", err
			}
			parts = append(parts, name, text)
		}
	default:
		return plain(p.as, v)
	}
	return strings.Join(parts, separator), nil
}

// plain is a text, number or boolean as it is written.
func plain(name string, v json.RawMessage) (string, error) {
	v = bytes.TrimSpace(v)
	switch {
	case len(v) > 0 && v[0] == '"':
		var s string
		err := json.Unmarshal(v, &s)
		return s, err
	case len(v) > 0 && (v[0] == '{' || v[0] == '['):
		return "", fmt.Errorf("the argument %q is nested too deeply to be sent", name)
	}
	return string(v), nil
}

// content makes the body of what arguments are left, and says of what type it
// is; nil: there is none.
func (t *tool) content(args map[string]json.RawMessage) (data []byte, contentType string, err error) {
	b := t.body
	known := func(name string) bool {
		return b != nil && (b.properties == nil && name == "body" || b.properties[name])
	}
	for name := range args {
		if !known(name) {
			return nil, "", fmt.Errorf("unknown argument %q", name)
		}
	}
	if b == nil || len(args) == 0 && !b.required {
		return nil, "", nil
	}
	if b.properties != nil {
		return b.encode(args)
	}
	whole, ok := args["body"]
	switch {
	case !ok && b.required:
		return nil, "", errors.New(`the argument "body" is required`)
	case isJSON(b.contentType):
		return whole, b.contentType, nil
	case b.contentType == formType, b.contentType == multipartType:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(whole, &members); err != nil {
			return nil, "", errors.New(`the argument "body" is no object`)
		}
		return b.encode(members)
	case b.bytes:
		data, err := unbase64("body", whole)
		return data, b.contentType, err
	}
	var text string
	if err := json.Unmarshal(whole, &text); err != nil {
		return nil, "", errors.New(`the argument "body" is no text`)
	}
	return []byte(text), b.contentType, nil
}

// encode writes the members of a body in its type.
func (b *requestBody) encode(members map[string]json.RawMessage) (data []byte, contentType string, err error) {
	switch b.contentType {
	case formType:
		data, err = form(members)
	case multipartType:
		return multipartBody(members, b.parts)
	default:
		data, err = json.Marshal(members)
	}
	return data, b.contentType, err
}

// form writes arguments as an HTML form does.
func form(args map[string]json.RawMessage) ([]byte, error) {
	values := url.Values{}
	for name, v := range args {
		p := argument{parameter: parameter{Name: name}, as: name}
		if err := p.inQuery(values, v); err != nil {
			return nil, err
		}
	}
	return []byte(values.Encode()), nil
}

// block is a block of content on the wire.
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

// result makes a response the result of the call. JSON keeps its digits and
// the order of its keys. hide is for what a failure says: APIs repeat the keys
// that they refuse.
func (t *tool) result(res *http.Response, data []byte, hide *redact.Redactor) (*backend.Result, error) {
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
		text(failure(res.StatusCode, trimmed, hide))
	case len(trimmed) == 0:
	case isJSON(kind) && kind != "*/*" && json.Valid(trimmed):
		text(string(trimmed))
		switch {
		case t.wrapped:
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
			URI: t.path, MIMEType: kind, Blob: base64.StdEncoding.EncodeToString(data)}})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	return backend.DecodeResult(bytes.TrimSpace(b.Bytes()))
}

// failure is what a response that reports one says, with its status.
func failure(code int, data []byte, hide *redact.Redactor) string {
	message := hide.Text(cmp.Or(say(data, 0), string(data)))
	if len(message) > maxFailure {
		message = strings.ToValidUTF8(message[:maxFailure], "") + "…"
	}
	if message == "" {
		return status(code)
	}
	return status(code) + ": " + message
}

// say finds the sentence in an error's JSON: APIs put it under these names, one
// inside the other.
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
