package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
)

// entry is a server as the files of known clients write it. Fields with several names are those
// of different clients.
type entry struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]scalar `json:"env"`
	EnvFile   string            `json:"envFile"`
	Cwd       string            `json:"cwd"`

	URL         string            `json:"url"`
	HTTPURL     string            `json:"httpUrl"`
	ServerURL   string            `json:"serverUrl"`
	Headers     map[string]scalar `json:"headers"`
	HTTPHeaders map[string]scalar `json:"http_headers"`
	// EnvHeaders and BearerEnv are names of environment variables: with values of headers, and
	// with the bearer token.
	EnvHeaders  map[string]string `json:"env_http_headers"`
	BearerEnv   string            `json:"bearer_token_env_var"`
	Query       map[string]scalar `json:"query"`
	OAuth       *oauth            `json:"oauth"`
	Auth        *oauth            `json:"auth"`
	OAuthScopes words             `json:"scopes"`

	Path    string   `json:"path"`
	BaseURL string   `json:"baseUrl"`
	Tags    []string `json:"tags"`
	Paths   []string `json:"paths"`

	Disabled bool  `json:"disabled"`
	Enabled  *bool `json:"enabled"`

	Timeout        float64 `json:"timeout"` // ms, start-up and calls
	StartupSeconds float64 `json:"startup_timeout_sec"`
	StartupMillis  float64 `json:"startup_timeout_ms"`
	ToolSeconds    float64 `json:"tool_timeout_sec"`

	IncludeTools  []string `json:"includeTools"`
	EnabledTools  []string `json:"enabled_tools"`
	ExcludeTools  []string `json:"excludeTools"`
	DisabledTools []string `json:"disabled_tools"`

	ProtocolEra string `json:"protocolEra"` // same as settings.Protocol

	UseTools *settings `json:"usetools"`
}

// settings is the key "usetools": of an entry, where it overrides the keys of clients, or of a
// file, for all its entries. The guide on configuration has a table of these comments.
type settings struct {
	// Allow lists the available tools, by name or pattern (`get_*`). If absent, all are
	// available.
	Allow allowed `json:"allow"`
	// Deny lists tools to remove, by name or pattern.
	Deny []string `json:"deny"`
	// ReadOnly removes all tools that are not `read`.
	ReadOnly *bool `json:"readOnly"`
	// Pin refuses calls of a tool with a changed definition until `build-registry accept TOOL`.
	// The accepted definitions are in `tool_pins.json` beside the config.
	Pin *bool `json:"pin"`
	// Concurrency is the limit of concurrent calls; if there are several tokens, one of them gets
	// at most three quarters. If absent, 16.
	Concurrency int `json:"concurrency"`
	// StartTimeout is the time limit for the start of the server's process: `"90s"`. If absent,
	// 60 s.
	StartTimeout string `json:"startTimeout"`
	// CallTimeout is the time limit of one call. If absent, 60 s.
	CallTimeout string `json:"callTimeout"`
	// Protocol is `"auto"`, `"legacy"` (initialize) or `"modern"` (server/discover). If absent,
	// `"auto"`.
	Protocol string `json:"protocol"`
	// MaxMessageMB limits a message of the server, and an OpenAPI document with its files (at
	// most 128). If absent, 64.
	MaxMessageMB float64 `json:"maxMessageMB"`
	// Trust says which of the server's hints about its tools are trusted: `"reads"`, all except
	// that a call may be repeated; `"writes"`, all; `false`, none. If absent, `"reads"`.
	Trust any `json:"trust"`
	// Class sets the classes of tools by name or pattern, overriding the server: `{"get_*":
	// "read", "set_state": "again"}`.
	Class map[string]string `json:"class"`
	// Private lists tools with arguments and results that records keep only as a keyed digest.
	Private []string `json:"private"`
	// Sample lets `build-registry` call, once, tools that only read, are idempotent and need no
	// argument, to infer their result types. It calls no tools that need approval, and none of a
	// server with `private` tools.
	Sample *bool `json:"sample"`
	// Idempotency says how long the server remembers an `Idempotency-Key`: `"24h"`. If absent, it
	// does not.
	Idempotency string `json:"idempotency"`
	// Session says that the server keeps state in its process, which a restart loses.
	Session *bool `json:"session"`
	// Verify names the tool that finds out whether a call was made, the argument with a value
	// unique to that call, and the time after which "not found" is reliable: `{"create_order":
	// {"tool": "find_order", "reference": "ref", "after": "10m"}}`.
	Verify map[string]verifyRule `json:"verify"`
}

// unknownSettings returns the unknown keys of an entry's settings.
func unknownSettings(raw json.RawMessage) []string {
	var e struct {
		UseTools map[string]json.RawMessage `json:"usetools"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return nil
	}
	for _, key := range SettingKeys() {
		delete(e.UseTools, key)
	}
	return names(e.UseTools)
}

// SettingKeys returns the keys of "usetools" that this package reads, for a server or a file.
// Other packages read additional keys of a file.
func SettingKeys() []string {
	t := reflect.TypeFor[settings]()
	keys := make([]string, t.NumField())
	for i := range keys {
		keys[i] = t.Field(i).Tag.Get("json")
	}
	return keys
}

// allowed is an optional list of tools: null means all, [] none.
type allowed struct {
	written bool
	tools   []string
}

func (a *allowed) UnmarshalJSON(b []byte) error {
	a.written = true
	if json.Unmarshal(b, &a.tools) != nil {
		return errors.New("usetools.allow: want a list of names of tools, or null for all")
	}
	return nil
}

// maxMessageMB is the largest MaxMessageMB.
const maxMessageMB = 2047

// scalar is a string that may be written as a number or a boolean, as is common for ports and
// flags. null is the empty string.
type scalar string

func (s *scalar) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		return errors.New("want strings as values")
	}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(s))
	}
	if string(b) != "null" {
		*s = scalar(b)
	}
	return nil
}

// server turns an entry into a definition. A fault becomes the server's Err.
func (e *entry) server(name string, f *file) Server {
	s := Server{
		Name: name, File: f.path, Dir: BaseDir(f.path),
		Type:    e.kind(),
		Include: firstList(e.IncludeTools, e.EnabledTools),
		Exclude: slices.Concat(e.ExcludeTools, e.DisabledTools),
	}
	rawURL, rawHeaders := e.rawURL(), merged(e.HTTPHeaders, e.Headers)
	var errs []error
	fail := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	fail(e.limits(&s, f.defaults))
	s.written = &definition{
		Name: name, Type: s.Type, Command: e.Command, Args: e.Args, Env: names(e.Env), Cwd: e.Cwd,
		URL: rawURL, Headers: names(rawHeaders), Path: e.Path, Include: s.Include, Exclude: s.Exclude,
		BaseURL: e.BaseURL, Query: names(e.Query), Tags: e.Tags, Paths: e.Paths,
	}
	s.written.readOnly(&s)
	if e.Path == f.path { // independent of its folder
		s.written.Path = filepath.Base(f.path)
	}

	text := func(field, raw string) string {
		v, err := f.vars.expand(raw, field)
		fail(err)
		return v
	}
	secrets := func(field string, raw map[string]scalar) Secrets {
		if len(raw) == 0 {
			return nil
		}
		out := make(Secrets, len(raw))
		for _, k := range names(raw) {
			out[k] = text(fmt.Sprintf("%s %q", field, k), string(raw[k]))
		}
		return out
	}
	switch s.Type {
	case Stdio:
		s.Command = s.program(text("command", e.Command))
		for i, a := range e.Args {
			s.Args = append(s.Args, text(fmt.Sprintf("argument %d", i+1), a))
		}
		s.Env = secrets("env", e.Env)
		s.Cwd = s.abs(text("cwd", e.Cwd))
		if e.EnvFile != "" {
			s.EnvFile = s.abs(text("envFile", e.EnvFile))
			fail(s.readEnv(s.EnvFile))
		}
	case HTTP, SSE:
		s.URL = text("url", rawURL)
		s.Headers = secrets("header", rawHeaders)
		fail(e.tokens(&s))
		s.OAuth = e.oauth(text)
	case OpenAPI:
		s.Tags, s.Paths = e.Tags, e.Paths
		s.URL, s.BaseURL = text("url", rawURL), text("baseUrl", e.BaseURL)
		s.Headers, s.Query = secrets("header", rawHeaders), secrets("query", e.Query)
		fail(e.tokens(&s))
		s.Path = s.abs(text("path", e.Path))
		s.written.Content = contentDigest(s.Path)
	case Snapshot, Manifest:
		s.Path = s.abs(text("path", e.Path))
		s.written.Content = contentDigest(s.Path)
		if s.Type == Manifest {
			s.Cwd = cmp.Or(s.abs(text("cwd", e.Cwd)), Workspace(filepath.Dir(s.Path)))
		}
	}
	if len(errs) == 0 {
		fail(s.check(e))
	}
	if err := errors.Join(errs...); err != nil {
		s.Err = fmt.Errorf("server %q: %w", name, err)
	}
	return s
}

// kind returns the written type, in our spelling, or the type that the other fields suggest, or
// "".
func (e *entry) kind() string {
	t := e.Type
	if t == "" {
		t = e.Transport
	}
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(t)) {
	case "":
	case "stdio", "local":
		return Stdio
	case "http", "streamablehttp", "remote":
		return HTTP
	default:
		return t // sse, snapshot, manifest, openapi, or unknown: see check
	}
	switch {
	case e.Command != "":
		return Stdio
	case e.rawURL() != "":
		return HTTP
	}
	return ""
}

func (e *entry) rawURL() string {
	for _, u := range []string{e.HTTPURL, e.URL, e.ServerURL} {
		if u != "" {
			return u
		}
	}
	return ""
}

// limits sets the timeouts and our own settings of s. Those of the entry override those of the
// file.
func (e *entry) limits(s *Server, defaults *settings) error {
	s.StartTimeout = firstDuration(seconds(e.StartupSeconds), millis(e.StartupMillis), millis(e.Timeout),
		DefaultStartTimeout)
	s.CallTimeout = firstDuration(seconds(e.ToolSeconds), millis(e.Timeout), DefaultCallTimeout)
	if e.ProtocolEra != "" {
		if err := s.setProtocol("protocolEra", e.ProtocolEra); err != nil {
			return err
		}
	}
	for _, u := range []*settings{defaults, e.UseTools} {
		if u == nil {
			continue
		}
		if err := u.apply(s); err != nil {
			return err
		}
	}
	return nil
}

// setProtocol sets the entry's handshake.
func (s *Server) setProtocol(key, value string) error {
	switch value {
	case "auto":
		s.Protocol = ""
	case "legacy", "modern":
		s.Protocol = value
	default:
		return fmt.Errorf("%s is %q: want auto, legacy or modern", key, value)
	}
	return nil
}

// apply applies the given settings to s.
func (u *settings) apply(s *Server) error {
	if u.Allow.written {
		s.Include = u.Allow.tools
	}
	s.Exclude = append(s.Exclude, u.Deny...)
	if u.Concurrency > 0 {
		s.Concurrency = u.Concurrency
	}
	if u.MaxMessageMB > 0 {
		s.MaxMessage = int(min(u.MaxMessageMB, maxMessageMB) * (1 << 20))
	}
	if u.ReadOnly != nil {
		s.ReadOnly = *u.ReadOnly
	}
	if u.Pin != nil {
		s.Pin = *u.Pin
	}
	if u.Sample != nil {
		s.Sample = *u.Sample
	}
	if err := u.judge(s); err != nil {
		return err
	}
	for _, p := range u.Private {
		if !registry.IsPattern(p) {
			return fmt.Errorf("usetools.private has %q, which is not a tool pattern", p)
		}
		s.Private = append(s.Private, p)
	}
	if u.Protocol != "" {
		if err := s.setProtocol("usetools.protocol", u.Protocol); err != nil {
			return err
		}
	}
	for _, t := range []struct {
		key, text string
		to        *time.Duration
	}{{"startTimeout", u.StartTimeout, &s.StartTimeout}, {"callTimeout", u.CallTimeout, &s.CallTimeout}} {
		if t.text == "" {
			continue
		}
		d, err := time.ParseDuration(t.text)
		if err != nil || d <= 0 {
			return fmt.Errorf("usetools.%s is %q: want a duration like %q", t.key, t.text, "90s")
		}
		*t.to = d
	}
	return u.sendAgain(s)
}

// check returns why a definition is unusable.
func (s *Server) check(e *entry) error {
	switch s.Type {
	case Stdio:
		if s.Command == "" {
			return errors.New("no command; want the program that starts it")
		}
	case HTTP, SSE:
		if !webURL(s.URL) {
			return errors.New("the url is unusable: want http://host/path or https://host/path")
		}
		if s.OAuth != nil && s.OAuth.Issuer != "" && !webURL(s.OAuth.Issuer) {
			return errors.New("oauth.issuer is unusable: want https://host or https://host/path")
		}
	case Snapshot:
		if s.Path == "" {
			return errors.New("no path; want the file with the saved tools/list result")
		}
	case Manifest:
		if s.Path == "" {
			return errors.New("no path; want the file with the command-line tools")
		}
	case OpenAPI:
		if (s.Path == "") == (s.URL == "") {
			return errors.New("want either the path or the url of an OpenAPI document")
		}
		for _, u := range []string{s.URL, s.BaseURL} {
			if u != "" && !webURL(u) {
				return errors.New("url and baseUrl: want http://host/path or https://host/path")
			}
		}
	case "":
		return errors.New(`no command, url or type; want {"command": …}, {"url": …} or a type with a path`)
	default:
		return fmt.Errorf("unknown type %q: want stdio, http, sse, snapshot, manifest or openapi", s.Type)
	}
	for _, pattern := range slices.Concat(s.Include, s.Exclude) {
		if !registry.IsPattern(pattern) {
			return fmt.Errorf("%q is not a tool pattern: want a tool's name, or wildcards (*_log)", pattern)
		}
	}
	if e.Type == "" && e.Command != "" && e.rawURL() != "" {
		return errors.New("both command and url; remove one or write a type")
	}
	return nil
}

func webURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// program makes a command with a slash absolute. Other names are for PATH.
func (s *Server) program(command string) string {
	if strings.ContainsRune(command, '/') || strings.ContainsRune(command, filepath.Separator) {
		return s.abs(command)
	}
	return command
}

// abs resolves a path of the config against its folder. It keeps "".
func (s *Server) abs(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(s.Dir, filepath.FromSlash(p))
}

func names[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func merged(a, b map[string]scalar) map[string]scalar {
	if len(a) == 0 {
		return b
	}
	out := make(map[string]scalar, len(a)+len(b))
	for _, m := range []map[string]scalar{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func firstList(lists ...[]string) []string {
	for _, l := range lists {
		if l != nil {
			return l
		}
	}
	return nil
}

func firstDuration(ds ...time.Duration) time.Duration {
	for _, d := range ds {
		if d > 0 {
			return d
		}
	}
	return 0
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
func millis(n float64) time.Duration  { return time.Duration(n * float64(time.Millisecond)) }
