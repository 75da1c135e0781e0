// Package bridge is the interface through which generated server packages and the prelude call
// tools. It is compiled into the worker, bound into the interpreter as "usetools/host" and
// "usetools/prelude", and contains only functions over plain types. Functions that inspect
// values of the script are in package runtime: a part of the prelude, and Do, with which a
// generated function calls its tool.
//
// A call passes the ID of a tool and its arguments as JSON, and returns a [Result], from which
// the wrappers take text, JSON, raw bytes and images. All access to the outside goes through
// the one [Bridge] that the worker sets before the script runs; without it every call fails.
//
// The parent trusts nothing in this package: it authorises and validates each call again.
package bridge

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/usetools/usetools/wrappers/pyrepr"
)

// Source is the package for the type checker: the same declarations without bodies.
//
//go:embed stub.go.txt
var Source string

// Bridge gives a running script access to tools.
type Bridge interface {
	// Call runs a tool and returns the MCP result (a CallToolResult) as JSON. An error explains
	// in one line the reason for the missing result; it is a *UncertainError if the outcome of the call is
	// unknown.
	Call(from From, tool string, args []byte) ([]byte, error)
	// Unresolved returns the first of the phrases without a tool, the reason, and its
	// candidates; or "" if all have one.
	Unresolved(phrases []string) (query, message string, candidates []string)
	// Warn adds a line to the result's warnings. code is "" or one of the codes below, and tool
	// is the ID of the tool that a code is about.
	Warn(code, tool, message string)
}

// From is the origin of a call: the calling goroutine, and the line and column where the script
// names the tool, as "12:3".
type From struct{ Path, Place string }

type holder struct{ Bridge }

var bridge atomic.Pointer[holder]

// SetBridge sets the Bridge. The worker calls it once.
func SetBridge(b Bridge) { bridge.Store(&holder{b}) }

var errNoBridge = errors.New("tools cannot be called here")

// Result is the answer of a tool.
type Result struct {
	Name string // the tool's function as scripts write it, harbour.BerthPlan; set by the caller

	raw        []byte
	content    []content
	blocks     []json.RawMessage // content as received
	structured []byte
}

type content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
	Resource *struct {
		URI      string `json:"uri"`
		Text     string `json:"text"`
		MIMEType string `json:"mimeType"`
		Blob     []byte `json:"blob"`
	} `json:"resource"`
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// Image is an image that a tool returned.
type Image struct {
	MIMEType string // such as image/png
	Data     []byte // the decoded bytes
}

// MarshalJSON encodes an image as a block of MCP content, so that a script can return one.
func (i Image) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type     string `json:"type"`
		MIMEType string `json:"mimeType"`
		Data     []byte `json:"data"`
	}{"image", i.MIMEType, i.Data})
}

// ToolError is the error of a call whose tool ran and reported a failure. It is predeclared in
// scripts. Any other error except an [UncertainError] means that the call was not sent, that it
// was done but its answer could not be read, or that a read call got no answer.
type ToolError struct {
	Tool    string // its ID, git.git_log
	Message string // the tool's own words
}

func (e *ToolError) Error() string { return e.Tool + ": " + e.Message }

// UncertainError is the error of an unresolved call: it was sent and no answer came, so its
// outcome is unknown. It is predeclared in scripts. If a script does not refer to it, the run
// ends instead.
type UncertainError struct {
	Tool    string // its ID, git.git_log
	Message string // what happened to the call
}

func (e *UncertainError) Error() string { return e.Tool + ": " + e.Message }

// Call runs a tool. If the tool itself reports a failure, the error is a [*ToolError], and the
// Result contains the tool's answer.
func Call(from From, tool string, args []byte) (*Result, error) {
	h := bridge.Load()
	if h == nil {
		return nil, fmt.Errorf("%s: %w", tool, errNoBridge)
	}
	raw, err := h.Call(from, tool, args)
	if uncertain := (*UncertainError)(nil); errors.As(err, &uncertain) {
		return nil, uncertain
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return parse(tool, raw)
}

func parse(tool string, raw []byte) (*Result, error) {
	var m struct {
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		IsError    bool              `json:"isError"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("%s: the result is not an MCP result: %w", tool, err)
	}
	r := &Result{raw: raw, blocks: m.Content}
	if s := bytes.TrimSpace(m.Structured); len(s) > 0 && !bytes.Equal(s, []byte("null")) {
		r.structured = s
	}
	for _, c := range m.Content { // an unreadable item is available in Raw only
		var item content
		if json.Unmarshal(c, &item) == nil {
			r.content = append(r.content, item)
		}
	}
	if m.IsError {
		msg := strings.TrimSpace(r.text())
		if msg == "" {
			msg = "the tool failed without a message"
		}
		return r, &ToolError{Tool: tool, Message: msg}
	}
	return r, nil
}

// text joins the text parts.
func (r *Result) text() string {
	var parts []string
	for _, c := range r.content {
		switch {
		case c.Type == "text":
			parts = append(parts, c.Text)
		case c.Resource != nil && c.Resource.Text != "":
			parts = append(parts, c.Resource.Text)
		case c.Type == "resource_link":
			parts = append(parts, strings.TrimSpace(c.Name+" "+c.URI))
		}
	}
	return strings.Join(parts, "\n")
}

// Text returns the result as text: its text parts, separated by newlines. If it has none, it
// returns the string that a Python SDK wrapped as {"result": "…"}, or the structured value as
// JSON.
func Text(r *Result) string {
	if r == nil {
		return ""
	}
	if s := r.text(); s != "" {
		return s
	}
	var str string
	if v, ok := unwrapped(r.structured); ok && json.Unmarshal(v, &str) == nil {
		return str
	}
	return string(r.structured)
}

// unwrapped returns T of {"result": T}.
func unwrapped(data []byte) ([]byte, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || len(m) != 1 {
		return data, false
	}
	v, ok := m["result"]
	return v, ok
}

// Fields returns the JSON that a typed result is decoded from: the structured part, or a text
// that is a JSON object or array. Otherwise it returns nil with a warning, so that zero fields
// are not mistaken for the tool's answer.
func Fields(tool string, r *Result) []byte {
	if data := r.typed(); data != nil {
		return data
	}
	Warn(fmt.Sprintf("%s answered with text instead of its typed fields, which are all zero: use Text()", tool))
	return nil
}

// Wrapped does what Fields does for a tool whose output schema is {"result": T}, as Python SDKs
// write it. It also accepts a result that is only T as text. text is true if T is a string.
func Wrapped(tool string, r *Result, text bool) []byte {
	switch {
	case r == nil:
		return nil
	case r.structured != nil:
		return r.structured
	}
	t := r.text()
	if text || !json.Valid([]byte(t)) {
		quoted, err := json.Marshal(t)
		if err != nil {
			return nil
		}
		t = string(quoted)
	}
	return []byte(`{"result":` + t + `}`)
}

func (r *Result) typed() []byte {
	switch {
	case r == nil:
		return nil
	case r.structured != nil:
		return r.structured
	}
	t := strings.TrimSpace(r.text())
	if t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		return []byte(t)
	}
	if data, ok := pyrepr.JSON(t); ok {
		return data
	}
	return nil
}

// JSON returns the result's value as JSON: the structured part (T for the {"result": T}
// envelope), or a text that is JSON. If the value is a string that contains JSON, it returns
// that JSON. A Python dict, list or tuple in printed form is converted to JSON.
func JSON(r *Result) ([]byte, error) {
	if r == nil {
		return nil, errors.New("no result: the call failed")
	}
	data, text := r.json()
	if data == nil {
		var ok bool
		if data, ok = pyrepr.JSON(text); !ok {
			return nil, fmt.Errorf("the result is text, not JSON: use Text(); it begins %.60q", text)
		}
	}
	return data, nil
}

// json returns the result's JSON, or else nil and its text.
func (r *Result) json() ([]byte, string) {
	data := r.structured
	if v, ok := unwrapped(data); ok {
		data = v
	}
	var str string
	switch {
	case data == nil:
		str = r.text()
	case json.Unmarshal(data, &str) != nil:
		if inner := r.repeated(data); inner != nil {
			return inner, ""
		}
		return data, ""
	}
	if t := []byte(strings.TrimSpace(str)); json.Valid(t) {
		return t, ""
	}
	return nil, str
}

// repeated returns the JSON in an object's only property if that is a string equal to the result's
// text, as in {"content": "[1,2]"} with the text [1,2]. Otherwise it returns nil.
func (r *Result) repeated(data []byte) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || len(m) != 1 {
		return nil
	}
	for _, v := range m {
		var s string
		if json.Unmarshal(v, &s) == nil && strings.TrimSpace(s) == strings.TrimSpace(r.text()) {
			if t := strings.TrimSpace(s); t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
				return []byte(t)
			}
		}
	}
	return nil
}

// Value returns the result as one JSON value for marshalling: its JSON, or its text as a
// string, including printed Python values. For a result with images, sound or files, it is the
// list of its MCP blocks.
func Value(r *Result) ([]byte, error) {
	if r != nil {
		if data, _ := r.json(); data != nil {
			return data, nil
		}
		if slices.ContainsFunc(r.content, content.binary) {
			return json.Marshal(r.blocks)
		}
	}
	return json.Marshal(Text(r))
}

func (c content) binary() bool {
	return len(c.Data) > 0 || c.Resource != nil && len(c.Resource.Blob) > 0
}

// Raw returns the whole MCP result as the server sent it.
func Raw(r *Result) []byte {
	if r == nil {
		return nil
	}
	return r.raw
}

// Images returns the images in the result, including those in embedded resources.
func Images(r *Result) []Image {
	var out []Image
	if r != nil {
		for _, c := range r.content {
			switch {
			case c.Type == "image":
				out = append(out, Image{c.MIMEType, c.Data})
			case c.Resource != nil && strings.HasPrefix(c.Resource.MIMEType, "image/"):
				out = append(out, Image{c.Resource.MIMEType, c.Resource.Blob})
			}
		}
	}
	return out
}

// BadArgs returns the error for arguments that cannot be encoded.
func BadArgs(tool string, err error) error {
	return fmt.Errorf("%s: encoding the arguments: %w", tool, err)
}

// CodeMisfit is the code of a warning about the fields of a tool's result that do not match its
// output schema.
const CodeMisfit = "misfit"

// CodeUncertain is the code of the error of an unresolved call. Scripts get it as an
// [UncertainError].
const CodeUncertain = "uncertain"

// Warn adds a line to the result's warnings.
func Warn(message string) { warn("", "", message) }

func warn(code, tool, message string) {
	if h := bridge.Load(); h != nil {
		h.Warn(code, tool, message)
	}
}
