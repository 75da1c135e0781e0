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

// Right is what the config lets the holder of a token do.
type Right string

// What the holder of a token may be allowed.
const (
	// Approve is the right to say yes or no to calls that need approval.
	Approve Right = "approve"
	// Operate is the right to see in the console what the operator sees, and to do
	// there what the operator may.
	Operate Right = "operate"
)

// rights are all of them.
var rights = []Right{Approve, Operate}

// May reports whether the config gives the holder of a token, by its name, a right.
func (c *Catalog) May(token string, right Right) bool { return slices.Contains(c.Rights[token], right) }

// maxRules bounds the rules of a config.
const maxRules = 1000

// checkRules returns an error for a config whose rules cannot be read.
func checkRules(cfg *config.Config) error {
	_, _, err := Rules(cfg)
	return err
}

// Rules reads "approve" and "tokens" in the "usetools" at the top of the files of
// a config: the rules of calls, and the rights of tokens by their names. The rules
// of all files count. An error names the file, what is wrong, and what would be
// right; it is one too that two files say different things of the same tools, or of
// the rights of the same token.
func Rules(cfg *config.Config) (rules []policy.Rule, rights map[string][]Right, err error) {
	type key struct{ token, pattern string }
	said := map[key]int{} // by which file
	granted := map[string]int{}
	for i, value := range cfg.UseTools {
		r := ruleReader{rights: map[string][]Right{}}
		if err := r.file(value); err != nil {
			return nil, nil, fmt.Errorf("config %s: %w", cfg.UseToolsFiles[i], err)
		}
		other := func(first int, what string) error {
			return fmt.Errorf("usetools.%s is in %s and, differently, in %s; keep one of them", what,
				cfg.UseToolsFiles[first], cfg.UseToolsFiles[i])
		}
		for _, rule := range r.rules {
			k := key{rule.Token, rule.Pattern}
			first, again := said[k]
			if again && first != i {
				if !slices.Equal(sentences(rules, k.token, k.pattern), sentences(r.rules, k.token, k.pattern)) {
					return nil, nil, other(first, fmt.Sprintf("approve %q", rule.Pattern))
				}
				continue
			}
			said[k] = i
			rules = append(rules, rule)
		}
		for token, may := range r.rights {
			if first, again := granted[token]; again && !slices.Equal(rights[token], may) {
				return nil, nil, other(first, "tokens."+token+".may")
			}
			if rights == nil {
				rights = map[string][]Right{}
			}
			granted[token], rights[token] = i, may
		}
	}
	if len(rules) > maxRules {
		return nil, nil, fmt.Errorf("the config has %d rules in usetools.approve, at most %d may be", len(rules), maxRules)
	}
	return rules, rights, nil
}

// sentences are the rules of a token for a pattern, in words.
func sentences(rules []policy.Rule, token, pattern string) (out []string) {
	for i := range rules {
		if r := &rules[i]; r.Token == token && r.Pattern == pattern {
			out = append(out, r.String())
		}
	}
	return out
}

// ruleReader reads the rules of one file.
type ruleReader struct {
	rules  []policy.Rule
	rights map[string][]Right
}

// file reads the value of "usetools".
func (r *ruleReader) file(value []byte) error {
	keys, values, err := config.Object(value)
	if err != nil {
		return fmt.Errorf("usetools: %w", err)
	}
	for _, key := range keys {
		meant, is := config.Ruling(key)
		switch {
		case is && key != meant:
			return fmt.Errorf("usetools.%s is not known; did you mean %q?", key, meant)
		case key == "approve":
			err = r.approve("", "usetools.approve", values[key])
		case key == "tokens":
			err = r.tokens(values[key])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *ruleReader) tokens(raw []byte) error {
	const where = "usetools.tokens"
	names, values, err := config.Object(raw)
	if err != nil {
		return fmt.Errorf(`%s: %w; want {"NAME": {"approve": {…}, "may": ["approve"]}}`, where, err)
	}
	for _, name := range names {
		at := where + "." + name
		if strings.TrimSpace(name) == "" {
			return fmt.Errorf("%s has a token without a name", where)
		}
		keys, of, err := config.Object(values[name])
		if err != nil {
			return fmt.Errorf(`%s: %w; want {"approve": {…}, "may": ["approve"]}`, at, err)
		}
		for _, key := range keys {
			switch key {
			case "approve":
				err = r.approve(name, at+".approve", of[key])
			case "may":
				err = r.may(name, at+".may", of[key])
			default:
				err = fmt.Errorf(`%s has the key %.40q, want "approve" or "may"`, at, key)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *ruleReader) may(token, where string, raw []byte) error {
	var list []Right
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return fmt.Errorf(`%s is no list of rights, want such of %q as it has`, where, rights)
	}
	for _, right := range list {
		if !slices.Contains(rights, right) {
			return fmt.Errorf("%s has the right %.40q, there are %q", where, right, rights)
		}
	}
	slices.Sort(list)
	r.rights[token] = slices.Compact(list)
	return nil
}

// verdicts are what a rule may say.
var verdicts = map[string]policy.Verdict{
	"ask": policy.NeedsApproval, "deny": policy.IsDenied, "allow": policy.IsAllowed,
}

// wantRule is what a rule may look like.
const wantRule = `want "ask", "deny", "allow", or {"ask": "a condition"}`

// approve reads rules by classes and patterns of tools.
func (r *ruleReader) approve(token, where string, raw []byte) error {
	patterns, values, err := config.Object(raw)
	if err != nil {
		return fmt.Errorf(`%s: %w; want {"effect": "ask", "crm.delete_*": "deny"}`, where, err)
	}
	for _, pattern := range patterns {
		if err := checkPattern(pattern); err != nil {
			return fmt.Errorf("%s has %.60q, %w", where, pattern, err)
		}
		at := fmt.Sprintf("%s %q", where, pattern)
		rule := policy.Rule{Token: token, Pattern: pattern}
		value := values[pattern]
		var word string
		if json.Unmarshal(value, &word) == nil && string(value) != "null" {
			then, ok := verdicts[word]
			if !ok {
				return fmt.Errorf("%s is %.40q, %s", at, word, wantRule)
			}
			rule.Then = then
			r.rules = append(r.rules, rule)
			continue
		}
		if err := r.conditions(rule, at, value); err != nil {
			return err
		}
	}
	return nil
}

// checkPattern returns what is wrong with the key of a rule, where it is none.
func checkPattern(pattern string) error {
	const want = "want a class (read, again, effect), a server (crm), a tool (crm.get_order) or wildcards (crm.delete_*)"
	if !registry.IsPattern(pattern) {
		return errors.New("which is no pattern of tools: " + want)
	}
	for _, class := range policy.Classes {
		word := strings.TrimSuffix(strings.ToLower(pattern), "s")
		if pattern != string(class) && word == string(class) {
			return fmt.Errorf("did you mean the class %q? A server of that name is written %q", class, pattern+".*")
		}
	}
	if slices.Contains(policy.Approvals, policy.Approval(pattern)) {
		return fmt.Errorf("which is a value of -approve and no class: %s; a server of that name is written %q", want,
			pattern+".*")
	}
	return nil
}

// conditions reads a rule with a condition, or with more to say of its question.
func (r *ruleReader) conditions(rule policy.Rule, at string, raw []byte) error {
	keys, values, err := config.Object(raw)
	if err != nil {
		return fmt.Errorf("%s: %w; %s", at, err, wantRule)
	}
	var whole bool
	var wait time.Duration
	var rules []policy.Rule
	for _, key := range keys {
		switch key {
		case "whole":
			if string(values[key]) != "true" && string(values[key]) != "false" {
				return fmt.Errorf("%s has %q that is neither true nor false", at, key)
			}
			whole = string(values[key]) == "true"
		case "for":
			var s string
			err := json.Unmarshal(values[key], &s)
			if err == nil {
				wait, err = config.Duration(s)
			} else {
				_, err = config.Duration("")
			}
			if err != nil {
				return fmt.Errorf("%s has %q that is no time, %w", at, key, err)
			}
		default:
			then, ok := verdicts[key]
			if !ok {
				return fmt.Errorf(`%s has the key %.40q, want "ask", "deny" or "allow" with a condition, "whole", "for"`, at,
					key)
			}
			next := rule
			next.Then = then
			if next.If, err = condition(values[key]); err != nil {
				return fmt.Errorf("%s: %q: %w", at, key, err)
			}
			rules = append(rules, next)
		}
	}
	asks := false
	for i := range rules {
		if rules[i].Then == policy.NeedsApproval {
			asks = true
			rules[i].Whole, rules[i].For = whole, wait
		}
	}
	switch {
	case len(rules) == 0:
		return fmt.Errorf(`%s has none of "ask", "deny" and "allow", %s`, at, wantRule)
	case !asks && (whole || wait > 0):
		return fmt.Errorf(`%s has "whole" or "for", which are for "ask"`, at)
	}
	r.rules = append(r.rules, rules...)
	return nil
}

// condition reads a condition; nil for true, which stands for all calls.
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

// RuleTools is a rule and the IDs of the tools that it is for, in the order of the
// registry.
type RuleTools struct {
	Rule  policy.Rule
	Tools []string
}

// RuleTools returns the rules of the catalog with the tools that each is for,
// whatever other rules say of those.
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

// RuleDoubts returns a sentence for each rule that is for no tool, and for each
// argument in a condition that no tool has for which the rule is.
func (c *Catalog) RuleDoubts() []string {
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
			if !slices.Contains(policy.Classes, record.Class(r.Pattern)) && !c.mayCome(r.Pattern) {
				say("usetools.approve names %q, which is no tool", r.Pattern)
			}
			continue
		}
		if r.If == nil {
			continue
		}
		known := map[string]bool{}
		open := false // some tool does not say which arguments it has
		for _, id := range rt.Tools {
			t, _ := reg.Tool(id)
			names, all := arguments(t)
			open = open || !all
			for _, name := range names {
				known[name] = true
			}
		}
		for _, name := range r.If.Arguments() {
			if !open && !known[name] {
				say("usetools.approve %q looks at %s, which is no argument of %s: it is nil", r.Pattern, name,
					text.List(rt.Tools, 3))
			}
		}
	}
	return out
}

// mayCome reports whether a pattern may be one of tools that are not known yet: those
// of a server without tools.
func (c *Catalog) mayCome(pattern string) bool {
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

// arguments are the names that a tool's input schema gives its arguments; all says
// that it gives some.
func arguments(t *registry.Tool) (names []string, all bool) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if t == nil || json.Unmarshal(t.Input, &s) != nil || len(s.Properties) == 0 {
		return nil, false
	}
	for name := range s.Properties {
		names = append(names, name)
	}
	return names, true
}
