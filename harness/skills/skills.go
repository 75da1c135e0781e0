// Package skills makes the skills that harness serve offers: how to use execute, and how to run
// each saved script. A [Set] has those of one client. It writes a skill when it is asked for,
// from the catalog and the saved scripts as they are then.
package skills

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/skill"
	"github.com/usetools/usetools/wrappers"
)

// GuideURI is the URI of the skill that explains execute.
const GuideURI = "skill://usetools/" + skill.FileName

// Scripts is how the URIs of the skills of saved scripts begin.
const Scripts = "skill://scripts/"

// scriptFile is the file with the source of a saved script.
const scriptFile = "script.go"

// GuideAbout is the description of the skill that explains execute.
const GuideAbout = "How to write scripts for the tool execute: find tools, call many of them in one script, " +
	"read results, handle errors and approvals, save scripts. Read it before the first script."

// ErrNotFound is returned for a URI that is not of a skill, or of a file of one.
var ErrNotFound = errors.New("no such skill")

// Skill is a skill with its files.
type Skill struct {
	skill.Skill
	Saved string // the name of the saved script; empty for the guide
	Files []File // SKILL.md first
}

// File is a file of a skill.
type File struct{ URI, MIMEType, Text string }

// Set has the skills of a client.
type Set struct {
	guide string
	cat   *catalog.Catalog
	rules *policy.Policy
	names map[string]string // names of saved scripts by the URIs of their skills
	uris  []string
}

// New returns the skills for a catalog and a policy, which may be nil. The file skill.md among
// the guides explains execute. Without it, the set lacks that skill.
func New(cat *catalog.Catalog, rules *policy.Policy, guides fs.FS) (*Set, error) {
	s := &Set{cat: cat, rules: rules}
	if guides != nil {
		guide, err := fs.ReadFile(guides, "skill.md")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		s.guide = string(guide)
	}
	var saved []string
	if cat.Scripts != nil {
		var err error
		if saved, err = cat.Scripts.Names(); err != nil {
			return nil, err
		}
	}
	s.names = named(saved)
	s.uris = slices.Sorted(maps.Keys(s.names))
	if s.guide != "" {
		s.uris = slices.Insert(s.uris, 0, GuideURI)
	}
	return s, nil
}

// named returns the names of saved scripts by the URIs of their skills. A name that breaks the
// rules for skills is changed, and gets a part of its digest if another script has that name.
func named(saved []string) map[string]string {
	out := map[string]string{}
	var changed []string
	for _, name := range saved {
		if skill.ValidName(name) {
			out[uriOf(name)] = name
		} else {
			changed = append(changed, name)
		}
	}
	for _, name := range changed {
		fit := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' }), "-")
		digest := strings.TrimPrefix(skill.Digest([]byte(name)), "sha256:")
		for n := 6; out[uriOf(fit)] != ""; n++ {
			fit = strings.TrimRight(fit[:min(len(fit), skill.MaxName-n-1)], "-") + "-" + digest[:n]
		}
		out[uriOf(fit)] = name
	}
	return out
}

func uriOf(name string) string { return Scripts + name + "/" + skill.FileName }

// URIs returns the URIs of the skills, that of the guide first, then by name. Scripts among
// them may be broken.
func (s *Set) URIs() []string { return s.uris }

// Skill returns the skill with a URI, or ErrNotFound. A script that does not compile has none.
func (s *Set) Skill(uri string) (*Skill, error) {
	if uri == GuideURI && s.guide != "" {
		return made(uri, GuideAbout, s.Guide())
	}
	name, ok := s.names[uri]
	if !ok {
		return nil, ErrNotFound
	}
	script, err := s.cat.Scripts.Load(name)
	if err != nil || script.Broken != "" {
		return nil, ErrNotFound // it was deleted, or is damaged
	}
	out, err := made(uri, scriptAbout(script), s.scriptText(script),
		File{strings.TrimSuffix(uri, skill.FileName) + scriptFile, "text/x-go", script.Source})
	if err == nil {
		out.Saved = name
	}
	return out, err
}

// File returns a file of a skill, or ErrNotFound.
func (s *Set) File(uri string) (*File, error) {
	dir, _ := path.Split(uri)
	of, err := s.Skill(dir + skill.FileName)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(of.Files, func(f File) bool { return f.URI == uri }); i >= 0 {
		return &of.Files[i], nil
	}
	return nil, ErrNotFound
}

// made returns the skill of a text, with more files.
func made(uri, about, body string, more ...File) (*Skill, error) {
	name := path.Base(path.Dir(uri))
	quoted, err := json.Marshal(about) // is YAML, too
	if err != nil {
		return nil, err
	}
	text := "---\nname: \"" + name + "\"\ndescription: " + string(quoted) + "\n---\n\n" + body
	out := &Skill{Skill: skill.Skill{URI: uri}, Files: append([]File{{uri, skill.MIMEType, text}}, more...)}
	for _, f := range out.Files {
		out.Resources = append(out.Resources, skill.File{URI: f.URI, Digest: skill.Digest([]byte(f.Text)), Size: int64(len(f.Text))})
	}
	if out.Frontmatter, _, err = skill.Parse([]byte(text)); err == nil {
		err = out.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("the skill %s: %w", uri, err)
	}
	return out, nil
}

// line returns a text in one line, with characters that print.
func line(s string) string {
	return strings.Join(strings.Fields(registry.PrintableText(s, len(s))), " ")
}

func scriptAbout(s *library.Script) string {
	about := cmp.Or(line(s.About), "Runs the saved script "+s.Name)
	if !strings.HasSuffix(about, ".") {
		about += "."
	}
	return fmt.Sprintf("%s RunScript(%q, inputs) in a script for execute does it: run that instead of writing it.", about, s.Name)
}

// scriptText writes how to run a saved script.
func (s *Set) scriptText(script *library.Script) string {
	var args []string
	list := ""
	for _, in := range library.Inputs(script.Source) {
		if value := cmp.Or(in.Else, literals[in.Kind]); value != "" && len(args) < 8 {
			args = append(args, fmt.Sprintf("%q: %s", in.Name, value))
		}
		list += fmt.Sprintf("- %q: %s", in.Name, cmp.Or(in.Kind, "any JSON value"))
		if in.Else != "" {
			list += "; if it is not sent, " + in.Else
		}
		list += "\n"
	}
	call := "nil"
	if len(args) > 0 {
		call = "map[string]any{" + strings.Join(args, ", ") + "}"
	}
	out := fmt.Sprintf("# %s\n\n%s\n\nRun it with this script for `execute`:\n\n```go\nv, err := RunScript(%q, %s)\nif err != nil {\n\tpanic(err)\n}\nReturn(v)\n```\n\n",
		script.Name, cmp.Or(line(script.About), "This is a saved script."), script.Name, call)
	out += "## Inputs\n\n" + cmp.Or(list, "It has none.\n") + "\n## Tools\n\n"
	effects := false
	for _, t := range script.Tools {
		words := "it no longer exists"
		if now, ok := s.cat.Registry.Tool(t.ID); ok {
			class, _ := s.cat.Class(now)
			words = "read calls"
			if class != record.Read {
				words, effects = "effect calls, which may change something", true
			}
		}
		out += "- `" + t.ID + "`: " + words + "\n"
	}
	if len(script.Tools) == 0 {
		out += "It calls none.\n"
	}
	if effects {
		out += "\nWith `dry_run: true` effect calls are listed and not sent. Calls may need approval: the status of the run is then `waiting`.\n"
	}
	return out + "\nIts source is in [" + scriptFile + "](" + scriptFile + ").\n"
}

// literals are examples of inputs by their types.
var literals = map[string]string{"int": "1", "float64": "1.5", "string": `"x"`, "bool": "true", "[]string": `[]string{"x"}`, "[]int": "[]int{1}"}

// examplesMark is where the guide has the examples.
const examplesMark = "<!-- examples -->\n"

// Guide returns how to use execute, with examples that call tools of the catalog. It is empty
// without a guide.
func (s *Set) Guide() string {
	return strings.Replace(s.guide, examplesMark, s.examples(), 1)
}

// Examples prefer tools whose functions begin with these words, the first words most.
var (
	findVerbs   = []string{"List", "Search", "Find", "Query", "Read", "Get", "Show", "Log"}
	eachVerbs   = []string{"Get", "Read", "Fetch", "Show", "Describe"}
	changeVerbs = []string{"Add", "Create", "Comment", "Send", "Update", "Set", "Write"}
)

// oneArgument matches the call of a tool with one required parameter.
var oneArgument = regexp.MustCompile(`^(\S+\{\w+: )("x"|1)(\}\))$`)

// examples writes up to three scripts that call tools of the catalog. They depend on the
// registry, the config and the policy alone, so that the digest of the guide stays while
// these do. They contain no text of servers except the names of tools and fields.
func (s *Set) examples() string {
	var reads, effects []*wrappers.Tool
	for _, srv := range wrappers.NewView(s.cat.Registry).Servers() {
		for _, t := range srv.Tools {
			if t.Held || s.cat.Decide(s.rules, t.Tool, nil).Verdict == policy.IsDenied {
				continue
			}
			if class, _ := s.cat.Class(t.Tool); class == record.Read {
				reads = append(reads, t)
			} else if a := t.Annotations; a == nil || a.Destructive == nil || !*a.Destructive {
				effects = append(effects, t)
			}
		}
	}
	out, asked := "", slices.Concat(reads, effects) // servers may not say which tools only read
	if _, call, result := pick(asked, findVerbs, func(call string) bool { return call != "" }); call != "" {
		out += fmt.Sprintf("One call:\n\n```go\nr, err := %s\nif err != nil {\n\tpanic(err)\n}\nReturn(%s)\n```\n\n", call, result)
	}
	if t, call, result := pick(asked, eachVerbs, oneArgument.MatchString); call != "" {
		kind := "string"
		if strings.Contains(call, ": 1}") {
			kind = "int"
			if slices.ContainsFunc(t.Fields(), func(f *wrappers.Field) bool { return f.Required && f.Kind == "number" }) {
				kind = "float64"
			}
		}
		out += fmt.Sprintf(manyCalls, kind, oneArgument.ReplaceAllString(call, "${1}v${3}"), result)
	}
	if _, call, _ := pick(effects, changeVerbs, func(call string) bool { return call != "" }); call != "" {
		out += fmt.Sprintf(oneEffect, call)
	}
	return out
}

// manyCalls is a format. Its arguments are the type of the values, the call for one and its result.
const manyCalls = `Many calls side by side, for values that were sent as the input "values". It continues when one fails:

` + "```go" + `
var values []%s
if err := Input("values", &values); err != nil {
	panic(err)
}
results := make([]any, len(values))
var wg sync.WaitGroup
for i, v := range values {
	wg.Go(func() {
		r, err := %s
		if err != nil {
			fmt.Println(v, "failed:", err)
			return
		}
		results[i] = %s
	})
}
wg.Wait()
Return(results)
` + "```\n\n"

const oneEffect = `An effect call. The script distinguishes the tool's own failure from a call that was not sent:

` + "```go" + `
_, err := %s
var failed *ToolError
if errors.As(err, &failed) {
	fmt.Println("the tool failed:", failed.Message)
} else if err != nil {
	panic(err)
}
` + "```\n\n"

// pick returns the first of some tools whose name begins with the first verb possible, and
// whose example fits.
func pick(tools []*wrappers.Tool, verbs []string, fits func(call string) bool) (t *wrappers.Tool, call, result string) {
	for _, verb := range verbs {
		for _, t := range tools {
			if !strings.HasPrefix(t.Func, verb) {
				continue
			}
			if call, result := t.Example(); fits(call) {
				return t, call, result
			}
		}
	}
	return nil, "", ""
}
