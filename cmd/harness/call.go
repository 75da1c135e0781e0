package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

func (e *env) callCommand() *cli.Command {
	return &cli.Command{
		Name:      "call",
		Usage:     "call one tool, without a script",
		ArgsUsage: "TOOL [KEY=VALUE…]",
		Description: `A TOOL is named as for describe. A VALUE is text for an argument of type string, else
JSON; the KEY of a list may be repeated. The answer of the tool is printed: its
structured value as JSON, else its text; with -json the MCP result. The call is
checked against the policy and counted like a call of a script. At a terminal, a call
that needs approval asks. Elsewhere, with -state, it waits like a run: harness
approvals answers, harness resume makes the call.

Exit codes: 0 ok; 1 the tool failed; 2 there is no such tool, or the arguments
are wrong; 4 denied; 64 usage; 70 the harness failed; 75 it waits for approval; 130
canceled.

  harness call git.git_log max_count=3
  harness call git.Log -table max_count=3
  echo '{"max_count": 3}' | harness call git.git_log -args -`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "args", Usage: "the arguments as a `JSON` object, - for stdin; KEY=VALUE overrides"},
			&cli.StringFlag{Name: "record", Usage: "keep a record of the call in `DIR`"},
			stateFlag("keep a record of the call in `DIR`, where harness runs looks for it"),
			&cli.DurationFlag{Name: "timeout", Usage: "time limit of the call (default: that of the server's entry)", HideDefault: true,
				Validator: positive},
		}, slices.Concat(e.policyFlags(), valueFlags())...),
		Action: e.call,
	}
}

// policyFlags returns the flags that allow and deny tools.
func (e *env) policyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "allow",
			Usage: "allow only these tools: a server, an ID or a `PATTERN` such as git.*_log; may be repeated"},
		&cli.StringSliceFlag{Name: "deny", Usage: "deny these tools (`PATTERN`); may be repeated"},
		&cli.BoolFlag{Name: "read-only", Usage: "deny tools that are not marked as read-only"},
		choice(e, "approve", "`WHICH` tools need approval: none, marked (as destructive), destructive (marked or not declared), writes",
			policy.ApproveNone, policy.Approvals...),
		&cli.StringSliceFlag{Name: "approved", Usage: "approve these tools now (`PATTERN`); may be repeated"},
	}
}

// policyOf returns the policy from policyFlags.
func policyOf(c *cli.Command) *policy.Policy {
	return &policy.Policy{
		Allow: c.StringSlice("allow"), Deny: c.StringSlice("deny"), ReadOnly: c.Bool("read-only"),
		Approve: policy.Approval(c.String("approve")), Approved: c.StringSlice("approved"),
	}
}

func (e *env) call(ctx context.Context, c *cli.Command) error {
	show, err := e.shower(c)
	if err != nil {
		return err
	}
	rules := policyOf(c)
	if err := rules.Validate(); err != nil {
		return usageError{err.Error()}
	}
	given, err := e.givenArguments(c)
	if err != nil {
		return err
	}
	files := e.files(c)
	cat, id, err := e.toolToCall(ctx, files, c.Args().First())
	e.endLine()
	if err != nil {
		return err
	}
	args, err := arguments(cat, id, given, c.Args().Tail())
	if err != nil {
		return notFound("%s: %v", id, err)
	}
	if d := c.Duration("timeout"); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	records, _, err := recordsOf(c, files)
	if err != nil {
		return err
	}
	h := e.harness(c, &harness.Options{Records: records})
	script := &harness.Script{Policy: rules}
	res, decision, err := h.CallTool(ctx, cat, id, args, script, false)
	question := fmt.Sprintf("call %s with %s? %s",
		registry.Quoted(id), registry.Quoted(string(args)), decision.Rule)
	if err == nil && res == nil && decision.Verdict == policy.NeedsApproval && e.typed() && e.agreed(ctx, question) {
		res, decision, err = h.CallTool(ctx, cat, id, args, script, true)
	}
	var wrong *catalog.ArgumentsError
	switch {
	case err == nil && res == nil && decision.Verdict == policy.NeedsApproval && records != nil:
		script, err := callScript(cat, id, args)
		if err != nil {
			return err
		}
		script.Policy, script.Limits.Timeout = rules, c.Duration("timeout")
		return e.runScript(ctx, c, files, script, show)
	case errors.As(err, &wrong):
		return notFound("%s: %v", id, wrong)
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		return failure{1, fmt.Sprintf("%s: no answer within %v", id, c.Duration("timeout"))}
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failure{1, fmt.Sprintf("%s: %v", id, err)}
	case res == nil:
		why := fmt.Sprintf("denied: %s: %s; nothing was called", id, decision.Rule)
		if decision.Verdict == policy.NeedsApproval {
			why += fmt.Sprintf("\nhint: with -state DIR the call waits for approval; -approved %s approves it now", id)
		}
		return failure{outcome.Denied.ExitCode(), why}
	case c.Bool("json"):
		if err := e.print(res.Raw); err != nil {
			return err
		}
	case !res.IsError:
		return show.result(res)
	}
	if res.IsError {
		return failure{1, id + ": " + res.Text()}
	}
	return nil
}

// callScript returns a script that makes one call and prints its result as call does.
func callScript(cat *catalog.Catalog, id string, args json.RawMessage) (*harness.Script, error) {
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	t, _ := view.Tool(id)
	given, params := "", ""
	if name := t.ParamsType(); name != "" {
		given, params = fmt.Sprintf("var p %s.%s\nif err := Input(\"args\", &p); err != nil { panic(err) }\n", t.Package().Package, name), "p"
	}
	source := fmt.Sprintf(`%sr, err := %s(%s)
if err != nil { panic(err) }
var v json.RawMessage
if r.JSON(&v) == nil { Return(v) } else { fmt.Print(r.Text()) }
`, given, t.Go(), params)
	return &harness.Script{Source: source, Origin: harness.Origin{Name: "call " + id}, Inputs: map[string]json.RawMessage{"args": args}}, nil
}

// toolToCall returns the catalog and the ID of the named tool. Before it reports that a
// tool is not found, it asks the servers that failed earlier again.
func (e *env) toolToCall(ctx context.Context, files *catalog.Files, name string) (*catalog.Catalog, string, error) {
	for again := false; ; again = true {
		cat, err := catalogFor(ctx, files, name)
		if err != nil {
			return nil, "", err
		}
		d, err := cat.Describe([]string{name}, discovery.NameOnly)
		if err != nil {
			return nil, "", err
		}
		switch {
		case len(d.Tools) == 1:
			return cat, d.Tools[0].ID, nil
		case len(d.Tools) > 1:
			var ids []string
			for _, t := range d.Tools {
				ids = append(ids, t.ID)
			}
			return nil, "", notFound("%q is the name of several tools; use one ID: %s", name, strings.Join(ids, ", "))
		case !again && files.Again(ctx):
			continue
		}
		return nil, "", noTool(cat, name)
	}
}

// catalogFor returns the catalog as soon as it has the tools of the server that a tool's
// name begins with: git.git_log, git/git_log, mcp__git__git_log.
func catalogFor(ctx context.Context, files *catalog.Files, tool string) (*catalog.Catalog, error) {
	cat, err := files.Early(ctx)
	if err != nil || cat.Asking == nil {
		return cat, err
	}
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	for _, separator := range []string{".", "/", "__"} {
		name, _, ok := strings.Cut(strings.TrimPrefix(tool, "mcp__"), separator)
		if !ok {
			continue
		}
		if s, ok := view.NearPackage(name); ok {
			return cat.Asking.More(ctx, []string{s.Name}, false)
		}
	}
	return cat.Asking.More(ctx, cat.Asking.Servers, false) // any server may have the tool
}

// maxArguments is the largest size of a call's arguments in bytes.
const maxArguments = 16 << 20

// givenArguments returns the value of -args.
func (e *env) givenArguments(c *cli.Command) (map[string]json.RawMessage, error) {
	text := c.String("args")
	if text == "-" {
		e.notifyTyping("reading the arguments from this terminal; Ctrl-D ends them")
		b, err := io.ReadAll(io.LimitReader(e.stdin, maxArguments+1))
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	if len(text) > maxArguments {
		return nil, usageError{fmt.Sprintf("-args: more than %d bytes", maxArguments)}
	}
	out := map[string]json.RawMessage{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, usageError{`-args: not a JSON object; want {"name": value, …}`}
	}
	return out, nil
}

// arguments adds the KEY=VALUE arguments of the command line to those of -args.
func arguments(cat *catalog.Catalog, id string, given map[string]json.RawMessage, words []string) (json.RawMessage, error) {
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	tool, typed := view.Tool(id)
	t, ok := cat.Registry.Tool(id)
	if !ok || !typed {
		return nil, &harness.UnknownToolError{ID: id}
	}
	var names []string
	fields := map[string]*wrappers.Field{}
	for _, f := range tool.Fields() {
		names, fields[f.Name] = append(names, f.Name), f
	}
	lists := map[string][]json.RawMessage{}
	for _, w := range words {
		key, text, ok := strings.Cut(w, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q: want KEY=VALUE", w)
		}
		f := cmp.Or(fields[key], &wrappers.Field{})
		if f.Kind != "list" || strings.HasPrefix(strings.TrimSpace(text), "[") {
			given[key] = valueOf(text, f.Kind)
			continue
		}
		lists[key] = append(lists[key], valueOf(text, f.Elem))
		if given[key], err = json.Marshal(lists[key]); err != nil {
			return nil, err
		}
	}
	var schema struct {
		More json.RawMessage `json:"additionalProperties"`
	}
	if json.Unmarshal(t.Input, &schema) == nil && (schema.More == nil || string(schema.More) == "false") && len(names) > 0 {
		for key := range given {
			if fields[key] == nil {
				slices.Sort(names)
				return nil, fmt.Errorf("unknown argument %q; the tool has: %s", key, strings.Join(names, ", "))
			}
		}
	}
	return json.Marshal(given)
}

// valueOf returns a word as JSON. If kind is string, or the word is not JSON, it is a JSON string.
func valueOf(text, kind string) json.RawMessage {
	if kind != "string" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string
	return quoted
}
