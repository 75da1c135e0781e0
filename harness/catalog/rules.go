package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

// Right is a right that the config gives to a token.
type Right string

// The rights.
const (
	// Approve is the right to approve and reject calls that need approval.
	Approve Right = "approve"
	// Operate is the right to see and do everything in the console that the operator may.
	Operate Right = "operate"
)

// rights has all rights.
var rights = []Right{Approve, Operate}

// May reports whether the config gives a right to the token with a name.
func (c *Catalog) May(token string, right Right) bool { return slices.Contains(c.Rights[token], right) }

// maxRules bounds the rules of a config.
const maxRules = 1000

// checkRules returns an error if the rules or labels of a config cannot be read.
func checkRules(cfg *config.Config) error {
	_, _, err := Rules(cfg)
	if err == nil {
		_, err = ReadLabels(cfg)
	}
	return err
}

// Rules reads "approve" and "tokens" in the "usetools" at the top of the files of a config: the
// rules for calls, and the rights of tokens by name. The rules of all files are combined. An error
// names the file, the mistake and the correction. It is an error if two files have different rules
// for the same pattern, or different rights for the same token.
func Rules(cfg *config.Config) (rules []policy.Rule, rights map[string][]Right, err error) {
	type definition struct{ text, file string }
	known := map[string]definition{} // by place
	rights = map[string][]Right{}
	for i, value := range cfg.UseTools {
		file := cfg.UseToolsFiles[i]
		var r ruleReader
		if err := r.file(value); err != nil {
			return nil, nil, fmt.Errorf("config %s: %w", file, err)
		}
		for _, e := range r.entries {
			before, again := known[e.place]
			switch {
			case again && before.text != e.text:
				return nil, nil, fmt.Errorf("%s differs between %s and %s; keep one of them", e.place, before.file, file)
			case again:
				continue
			case e.may != nil:
				rights[e.token] = e.may
			}
			known[e.place] = definition{e.text, file}
			rules = append(rules, e.rules...)
		}
	}
	if len(rules) > maxRules {
		return nil, nil, fmt.Errorf("the config has %d rules in usetools.approve; the limit is %d", len(rules), maxRules)
	}
	return rules, rights, nil
}

// ruleReader reads the rules and rights of one file.
type ruleReader struct{ entries []entry }

// entry is the value of one key: the rules for a pattern, or the rights of a token.
type entry struct {
	place string // usetools.approve "crm.*"
	text  string // its content, to compare
	rules []policy.Rule
	token string
	may   []Right
}

// each calls do for the keys and values of an object, in order. want is added to the error if raw
// is not an object.
func each(place string, raw []byte, want string, do func(key string, value []byte) error) error {
	keys, values, err := config.Object(raw)
	if err != nil {
		return fmt.Errorf("%s: %w%s", place, err, want)
	}
	for _, key := range keys {
		if err := do(key, values[key]); err != nil {
			return err
		}
	}
	return nil
}

// file reads the value of "usetools".
func (r *ruleReader) file(value []byte) error {
	return each("usetools", value, "", func(key string, value []byte) error {
		meant, is := config.Ruling(key)
		switch {
		case is && key != meant:
			return fmt.Errorf("usetools.%s is not known; did you mean %q?", key, meant)
		case key == keyApprove:
			return r.approve("", "usetools.approve", value)
		case key == keyTokens:
			return r.tokens("usetools.tokens", value)
		}
		return nil
	})
}

func (r *ruleReader) tokens(place string, raw []byte) error {
	const want = `{"approve": {…}, "may": ["approve"]}`
	return each(place, raw, `; want {"NAME": `+want+"}", func(name string, value []byte) error {
		if strings.TrimSpace(name) == "" {
			return fmt.Errorf("%s has a token without a name", place)
		}
		at := place + "." + name
		return each(at, value, "; want "+want, func(key string, value []byte) error {
			switch key {
			case "approve":
				return r.approve(name, at+".approve", value)
			case "may":
				return r.may(name, at+".may", value)
			}
			return fmt.Errorf(`%s has the key %.40q, want "approve" or "may"`, at, key)
		})
	})
}

func (r *ruleReader) may(token, place string, raw []byte) error {
	var list []Right
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return fmt.Errorf(`%s is not a list of rights; want some of %q`, place, rights)
	}
	for _, right := range list {
		if !slices.Contains(rights, right) {
			return fmt.Errorf("%s has the unknown right %.40q; want some of %q", place, right, rights)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	r.entries = append(r.entries, entry{place: place, text: fmt.Sprint(list), token: token, may: list})
	return nil
}

// verdicts are the verdicts of rules.
var verdicts = map[string]policy.Verdict{
	"ask": policy.NeedsApproval, "deny": policy.IsDenied, "allow": policy.IsAllowed,
}

// wantRule describes a rule.
const wantRule = `want "ask", "deny", "allow", or {"ask": "a condition"}`

// approve reads rules by classes and patterns of tools.
func (r *ruleReader) approve(token, where string, raw []byte) error {
	return each(where, raw, `; want {"effect": "ask", "crm.delete_*": "deny"}`, func(pattern string, value []byte) error {
		if err := checkPattern(pattern); err != nil {
			return fmt.Errorf("%s has %.60q, %w", where, pattern, err)
		}
		e := entry{place: fmt.Sprintf("%s %q", where, pattern)}
		rule := policy.Rule{Token: token, Pattern: pattern}
		var word string
		if json.Unmarshal(value, &word) == nil && string(value) != "null" {
			var ok bool
			if rule.Then, ok = verdicts[word]; !ok {
				return fmt.Errorf("%s is %.40q, %s", e.place, word, wantRule)
			}
			e.rules = []policy.Rule{rule}
		} else {
			var err error
			if e.rules, err = conditions(rule, e.place, value); err != nil {
				return err
			}
		}
		for i := range e.rules {
			e.text += e.rules[i].String() + "\n"
		}
		r.entries = append(r.entries, e)
		return nil
	})
}

// checkPattern returns an error if the key of a rule is not a pattern of tools or a class.
func checkPattern(pattern string) error {
	const want = "want a class (read, again, effect), a server (crm), a tool (crm.get_order) or wildcards (crm.delete_*)"
	if !registry.IsPattern(pattern) {
		return errors.New("which is not a pattern of tools: " + want)
	}
	for _, class := range policy.Classes {
		word := strings.TrimSuffix(strings.ToLower(pattern), "s")
		if pattern != string(class) && word == string(class) {
			return fmt.Errorf("did you mean the class %q? A server of that name is written %q", class, pattern+".*")
		}
	}
	if slices.Contains(policy.Approvals, policy.Approval(pattern)) {
		return fmt.Errorf("which is a value of -approve and not a class: %s; a server of that name is written %q", want,
			pattern+".*")
	}
	return nil
}

// conditions reads a rule with conditions, or with options for its approval.
func conditions(rule policy.Rule, at string, raw []byte) (rules []policy.Rule, err error) {
	var allCalls, asks bool
	var wait time.Duration
	err = each(at, raw, "; "+wantRule, func(key string, value []byte) (err error) {
		switch key {
		case "whole":
			if allCalls = string(value) == "true"; !allCalls && string(value) != "false" {
				return fmt.Errorf("%s has %q that is neither true nor false", at, key)
			}
		case "for":
			var s string
			_ = json.Unmarshal(value, &s) // if it fails, s is empty, which is refused below
			if wait, err = config.Duration(s); err != nil {
				return fmt.Errorf("%s has %q, which is not a time: %w", at, key, err)
			}
		default:
			then, ok := verdicts[key]
			if !ok {
				return fmt.Errorf(`%s has the key %.40q, want "ask", "deny" or "allow" with a condition, "whole", "for"`, at,
					key)
			}
			next := rule
			next.Then = then
			if next.If, err = condition(value); err != nil {
				return fmt.Errorf("%s: %q: %w", at, key, err)
			}
			rules = append(rules, next)
		}
		return nil
	})
	for i := range rules {
		if rules[i].Then == policy.NeedsApproval {
			asks = true
			rules[i].AllCalls, rules[i].For = allCalls, wait
		}
	}
	switch {
	case err != nil:
	case len(rules) == 0:
		err = fmt.Errorf(`%s has none of "ask", "deny" and "allow", %s`, at, wantRule)
	case !asks && (allCalls || wait > 0):
		err = fmt.Errorf(`%s has "whole" or "for", which are for "ask"`, at)
	}
	return rules, err
}

// condition reads a condition. It returns nil for true, which matches all calls.
func condition(raw []byte) (*policy.Condition, error) {
	if string(raw) == "true" {
		return nil, nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil || string(raw) == "null" {
		return nil, errors.New(`want a condition in quotes ("amount > 100"), or true for all calls`)
	}
	return policy.ParseCondition(s)
}

// RuleTools is a rule with the IDs of its tools, in the order of the registry.
type RuleTools struct {
	Rule  policy.Rule
	Tools []string
}

// RuleTools returns the rules of the catalog with the tools that each matches, regardless of the
// other rules.
func (c *Catalog) RuleTools() []RuleTools {
	out := make([]RuleTools, len(c.Rules))
	for i := range c.Rules {
		out[i].Rule = c.Rules[i]
		for j := range c.Registry.Tools {
			t := &c.Registry.Tools[j]
			if class, _ := c.Class(t); c.Rules[i].Matches(t, class) {
				out[i].Tools = append(out[i].Tools, t.ID)
			}
		}
	}
	return out
}

// RuleWarnings returns a sentence for each rule that matches no tool, and for each argument in a
// condition that no tool of the rule has.
func (c *Catalog) RuleWarnings() []string {
	reg := c.Registry
	var out []string
	say := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, rt := range c.RuleTools() {
		r := rt.Rule
		if len(rt.Tools) == 0 {
			if !slices.Contains(policy.Classes, record.Class(r.Pattern)) && !c.mayMatchLater(r.Pattern) {
				say("usetools.approve names %q, which is not a tool", r.Pattern)
			}
			continue
		}
		if r.If == nil {
			continue
		}
		for _, name := range r.If.Arguments() {
			if !slices.ContainsFunc(rt.Tools, func(id string) bool { t, _ := reg.Tool(id); return mayHaveArgument(t, name) }) {
				say("usetools.approve %q uses %s, which is not an argument of %s: it is nil", r.Pattern, name,
					text.List(rt.Tools, 3))
			}
		}
	}
	return out
}

// mayMatchLater reports whether a pattern may match tools of a server that has not listed its tools yet.
func (c *Catalog) mayMatchLater(pattern string) bool {
	for i := range c.Registry.Servers {
		s := &c.Registry.Servers[i]
		if s.Tools > 0 {
			continue
		}
		prefix, _, _ := strings.Cut(pattern, ".")
		if registry.Match(prefix, s.Name) || strings.ContainsAny(prefix, `*?[\`) {
			return true
		}
	}
	return false
}

// mayHaveArgument reports whether a tool has an argument with a name, or a schema that names no arguments.
func mayHaveArgument(t *registry.Tool, argument string) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.Input, &s) != nil || len(s.Properties) == 0 {
		return true
	}
	_, ok := s.Properties[argument]
	return ok
}
