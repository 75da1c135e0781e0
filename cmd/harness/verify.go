package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

// lateness is how long after its deadline a call may still take effect. An answer from
// before that does not prove that the call was not made.
const lateness = 5 * time.Second

// verified is the answer of a tool that the config names, about an unresolved call. A person
// decides by it.
type verified struct {
	Run    string          `json:"run"`
	Call   int             `json:"call"`
	Tool   string          `json:"tool"` // that gave the answer
	Args   json.RawMessage `json:"args"`
	Answer json.RawMessage `json:"answer"` // MCP result
	// Found reports whether the reference is in the answer.
	Found bool `json:"found"`
	// NotAfter is the time from which an answer without the reference means that the call
	// was not made. If null, it never means that.
	NotAfter *time.Time `json:"not_after"`
}

// verify asks the tool that the config names about the outcome of a call, and prints the
// answer.
func (e *env) verify(ctx context.Context, c *cli.Command, r *record.Run, n int) error {
	var m *record.Made
	for _, u := range r.Unknown() {
		if u.N == n {
			m = u
		}
	}
	if m == nil {
		return notFound("run %s has no call %d with an unknown outcome; its calls: %s", r.Begin.ID, n, lines(c)("runs", "show", r.Begin.ID))
	}
	files := e.files(c)
	server, name, _ := strings.Cut(m.Tool, ".")
	how, wait, err := verifies(files, server, name)
	if err != nil {
		return err
	}
	if how == nil {
		return usageError{fmt.Sprintf("the config names no tool under \"verify\" that reports on %s: look it up yourself, then settle with "+
			"happened or not", registry.Quoted(m.Tool))}
	}
	if at := m.Call.Time.Add(wait + lateness); time.Now().Before(at) {
		return failure{1, "the call may still happen; look it up after " + at.Local().Format(time.DateTime)}
	}
	args, err := reference(r, m, how.Reference)
	if err != nil {
		return usageError{fmt.Sprintf("call %d cannot be looked up: %v", n, err)}
	}
	out := &verified{Run: r.Begin.ID, Call: n, Tool: server + "." + how.By, Args: args}
	if how.After > 0 {
		after := m.Call.Time.Add(max(how.After, wait+lateness))
		out.NotAfter = &after
	}
	cat, err := catalogFor(ctx, files, out.Tool)
	e.endLine()
	if err != nil {
		return err
	}
	res, decision, err := e.harness(c, &harness.Options{}).CallTool(ctx, cat, out.Tool, args,
		&harness.Script{Policy: &policy.Policy{ReadOnly: true}}, false)
	switch {
	case err != nil:
		return fmt.Errorf("asking %s: %w", out.Tool, err)
	case res == nil:
		return failure{outcome.Denied.ExitCode(), fmt.Sprintf("%s was not called: %s", registry.Quoted(out.Tool), decision.Rule)}
	}
	out.Answer, out.Found = res.Raw, !res.IsError && has(res, args)
	if c.Bool("json") {
		return e.print(out)
	}
	return e.sayVerified(c, out, res)
}

// verifies returns the verify setting of a tool, or nil, and the time limit of a call.
func verifies(files *catalog.Files, server, tool string) (*config.Verify, time.Duration, error) {
	cfg, err := config.Load(files.AllConfigs()...)
	if err != nil {
		return nil, 0, err
	}
	s, ok := cfg.Server(server)
	if !ok {
		return nil, 0, nil
	}
	for i := range s.Verify {
		if s.Verify[i].Tool == tool {
			return &s.Verify[i], cmp.Or(s.CallTimeout, config.DefaultCallTimeout), nil
		}
	}
	return nil, 0, nil
}

// reference returns the argument that identifies a call, as arguments for the tool that
// verifies it. It returns an error if another call of the run has the same.
func reference(r *record.Run, m *record.Made, name string) (json.RawMessage, error) {
	of := func(m *record.Made) (json.RawMessage, error) {
		raw, err := r.Value(m.Line().Args)
		if err != nil {
			return nil, err
		}
		var args map[string]json.RawMessage
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fmt.Errorf("reading its arguments: %w", err)
		}
		return args[name], nil
	}
	mine, err := of(m)
	if err != nil {
		return nil, err
	}
	if v := bytes.TrimSpace(mine); len(v) == 0 || !bytes.ContainsAny(v[:1], `"0123456789-`) || string(v) == `""` {
		return nil, fmt.Errorf("it has no text or number %q to identify it", name)
	}
	for _, other := range r.Calls {
		if other.Call == nil || other.N == m.N || other.Tool != m.Tool {
			continue
		}
		if its, err := of(other); err != nil || bytes.Equal(its, mine) {
			return nil, fmt.Errorf("call %d has the same %q, or none that is known", other.N, name)
		}
	}
	return json.Marshal(map[string]json.RawMessage{name: mine})
}

// has reports whether the reference is a value in an answer: in its structured part,
// or in a text that is JSON.
func has(res *backend.Result, args json.RawMessage) bool {
	var want map[string]any
	decode := func(raw []byte, v any) bool {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		return d.Decode(v) == nil
	}
	if !decode(args, &want) {
		return false
	}
	var in func(v any) bool
	in = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for _, x := range v {
				if in(x) {
					return true
				}
			}
		case []any:
			for _, x := range v {
				if in(x) {
					return true
				}
			}
		default:
			for _, w := range want {
				return v == w
			}
		}
		return false
	}
	for _, raw := range [][]byte{res.Structured, []byte(res.Text())} {
		var v any
		if len(raw) > 0 && decode(raw, &v) && in(v) {
			return true
		}
	}
	return false
}

// sayVerified prints the answer of a tool, verbatim, and an interpretation.
func (e *env) sayVerified(c *cli.Command, v *verified, res *backend.Result) error {
	answer := &present.Quote{Text: res.Text()}
	if res.Structured != nil {
		answer = &present.Quote{Text: string(res.Structured), JSON: true}
	}
	say := func(text string) *present.Paragraph {
		return &present.Paragraph{Text: present.Words(present.Plain, text)}
	}
	doc := present.Document{present.Facts{{Name: "asked", Value: present.Words(present.Tool, v.Tool)},
		{Name: "with", Value: present.Words(present.Mono, string(v.Args)), Wrap: true}}, say("answer:"), answer}
	settle := func(word ...string) *present.Command {
		return &present.Command{Line: lines(c)(append([]string{"runs", "settle", v.Run, strconv.Itoa(v.Call)}, word...)...)}
	}
	switch {
	case v.Found:
		doc = append(doc, say("The answer has the reference. If that is the call:"), settle("happened", "-result", "JSON"))
	case v.NotAfter == nil:
		doc = append(doc, say("The answer lacks the reference. The call may still have happened, or happen later."))
	case time.Now().Before(*v.NotAfter):
		doc = append(doc, say("The answer lacks the reference, which means nothing before "+v.NotAfter.Local().Format(time.DateTime)+"."))
	default:
		doc = append(doc, say("The answer lacks the reference. If the call did not happen:"), settle("not"))
	}
	return e.show(doc)
}
