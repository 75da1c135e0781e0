package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// Find returns tools as discovery.Index.Search does, with their Go names.
// Query.Server may also be a Go package.
func (c *Catalog) Find(q discovery.Query) (discovery.Page, error) {
	view, err := c.View()
	if err != nil {
		return discovery.Page{}, err
	}
	if _, ok := c.Registry.Server(q.Server); !ok {
		if s, ok := view.Package(q.Server); ok {
			q.Server = s.Name
		}
	}
	page, err := c.index.Search(q)
	for i := range page.Results {
		c.complete(view, &page.Results[i].Entry, q.Detail)
	}
	return page, err
}

// Resolve returns the tool of a phrase as discovery.Index.ResolveContext does. The phrase may also
// be a Go name, such as git.Log. A tool name that its server does not have is NotFound, even if
// other tools are similar.
func (c *Catalog) Resolve(ctx context.Context, phrase string, opts *discovery.ResolveOptions) (discovery.Resolution,
	error) {
	view, err := c.View()
	if err != nil {
		return discovery.Resolution{}, err
	}
	name := strings.TrimSpace(phrase)
	if _, isID := view.Tool(name); isID {
		return c.index.ResolveContext(ctx, phrase, opts)
	}
	t, ok := goName(view, name)
	if !ok {
		s, wanted, named := namedOn(view, name)
		if !named {
			return c.index.ResolveContext(ctx, phrase, opts)
		}
		if t, ok = nearName(s, wanted); !ok {
			return noSuchTool(ctx, c.index, s, phrase, wanted, opts)
		}
	}
	r, err := c.index.ResolveContext(ctx, t.ID, opts)
	r.Phrase = phrase
	return r, err
}

// Explain returns the scores behind the answer of Resolve. If the phrase is a name, the verdict,
// tool and reason say so.
func (c *Catalog) Explain(ctx context.Context, phrase string, opts *discovery.ResolveOptions) (discovery.Explanation,
	error) {
	view, err := c.View()
	if err != nil {
		return discovery.Explanation{}, err
	}
	x, err := c.index.Explain(ctx, phrase, opts)
	if err != nil {
		return x, err
	}
	res, err := c.Resolve(ctx, phrase, opts)
	if err != nil || res.Verdict == x.Verdict && res.By == x.By && res.Tool == x.Tool && res.Note == x.Note {
		return x, err
	}
	x.Verdict, x.By, x.Tool, x.Confidence, x.Note = res.Verdict, res.By, res.Tool, res.Confidence, res.Note
	x.Reason = cmp.Or(res.Note, "the phrase is the Go name of "+res.Tool)
	if t, ok := view.Tool(res.Tool); ok && res.Note == "" && t.Go() != strings.TrimSpace(phrase) {
		x.Reason = "the phrase names " + res.Tool + " except for case, underscores and hyphens"
	}
	return x, nil
}

// namedOn splits a phrase that names a tool on a server: git.git_log, git/git_log or
// mcp__git__git_log. The server exists; the tool may not.
func namedOn(view *wrappers.View, phrase string) (s *wrappers.Server, tool string, ok bool) {
	for _, separator := range []string{".", "/", "__"} {
		server, tool, ok := strings.Cut(strings.TrimPrefix(phrase, "mcp__"), separator)
		if !ok || tool == "" || strings.ContainsFunc(tool, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./:", r)
		}) {
			continue
		}
		if s, ok := view.NearPackage(server); ok && len(s.Tools) > 0 {
			return s, tool, true
		}
	}
	return nil, "", false
}

// nearName returns the only tool of a server whose name matches, ignoring case, underscores and
// hyphens.
func nearName(s *wrappers.Server, name string) (*wrappers.Tool, bool) {
	var found *wrappers.Tool
	for _, t := range s.Tools {
		if f := wrappers.Fold(name); wrappers.Fold(t.Func) == f || wrappers.Fold(t.Name) == f {
			if found != nil {
				return nil, false
			}
			found = t
		}
	}
	return found, found != nil
}

// noSuchTool answers a phrase that names a tool which the server does not have. It offers other
// tools of the server and selects none. It keeps a selection by a person or an earlier run.
func noSuchTool(ctx context.Context, ix *discovery.Index, s *wrappers.Server, phrase, name string,
	opts *discovery.ResolveOptions) (discovery.Resolution, error) {
	o := discovery.ResolveOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Server == "" {
		o.Server = s.Name
	}
	r, err := ix.ResolveContext(ctx, phrase, &o)
	if err != nil || r.Verdict == discovery.Unavailable || r.By == discovery.ByExact || r.By == discovery.ByMemory {
		return r, err
	}
	r.Verdict, r.By, r.Tool, r.Confidence = discovery.NotFound, "", "", 0
	r.Note, r.NoTool, r.Reason = noToolNote(s, name), true, ""
	return r, nil
}

func noToolNote(s *wrappers.Server, name string) string {
	return fmt.Sprintf("server %q has no tool %.100q", s.Name, name)
}

// Misnamed reports whether the note of a resolution says that its phrase names a tool which its
// server does not have.
func (c *Catalog) Misnamed(phrase, note string) bool {
	view, err := c.View()
	if err != nil {
		return false
	}
	s, name, ok := namedOn(view, strings.TrimSpace(phrase))
	return ok && note == noToolNote(s, name)
}

// Describe returns tools as discovery.Index.Describe does, with their Go names. A name may also be
// a Go name, such as git.Log. A tool with several of the names is returned once.
func (c *Catalog) Describe(names []string, d discovery.Detail) (discovery.Description, error) {
	answer := discovery.Description{Tools: []discovery.Entry{}, NotFound: []string{}}
	view, err := c.View()
	if err != nil {
		return answer, err
	}
	for _, name := range names {
		ask := name
		if t, ok := goName(view, name); ok {
			ask = t.ID
		}
		found, err := c.index.Describe([]string{ask}, d)
		if err != nil {
			return answer, err
		}
		if len(found.Tools) == 0 {
			answer.NotFound = append(answer.NotFound, name)
		}
		for _, e := range found.Tools {
			if !slices.ContainsFunc(answer.Tools, func(x discovery.Entry) bool { return x.ID == e.ID }) {
				c.complete(view, &e, d)
				answer.Tools = append(answer.Tools, e)
			}
		}
	}
	return answer, nil
}

// Nearest returns the IDs of up to three tools that an unknown name most likely means.
func (c *Catalog) Nearest(name string) []string {
	if c.Load() != nil {
		return nil
	}
	page, err := c.index.Search(discovery.Query{Text: name, Limit: 3, Detail: discovery.NameOnly})
	if err != nil {
		return nil
	}
	var ids []string
	for _, h := range page.Results {
		ids = append(ids, h.ID)
	}
	return ids
}

// Tree returns all tools by server, or by category, with their Go names.
func (c *Catalog) Tree(byCategory bool, d discovery.Detail) ([]discovery.Branch, error) {
	view, err := c.View()
	if err != nil {
		return nil, err
	}
	tree := c.index.Tree
	if byCategory {
		tree = c.index.TreeByCategory
	}
	branches, err := tree(d)
	for i := range branches {
		for j := range branches[i].Tools {
			c.complete(view, &branches[i].Tools[j], d)
		}
	}
	return branches, err
}

// complete adds a tool's Go name, its declaration if the detail includes it, its class,
// and the verdict of the catalog's rules.
func (c *Catalog) complete(view *wrappers.View, e *discovery.Entry, d discovery.Detail) {
	t, ok := view.Tool(e.ID)
	if !ok {
		return
	}
	e.Go = t.Go()
	if d == discovery.Go {
		e.Signature = t.Doc()
	}
	if d != discovery.NameOnly {
		class, why := c.Class(t.Tool)
		e.Class = string(class)
		if d == discovery.Go || d == discovery.FullSchema {
			e.ClassWhy = why
		}
		if v := c.Decide(nil, t.Tool, nil); v.Verdict != policy.IsAllowed {
			e.Verdict = string(v.Verdict)
			if d == discovery.Go || d == discovery.FullSchema {
				e.Rule = text.Cut(v.Rule, maxRule)
			}
		}
	}
	e.Weigh()
}

// maxRule bounds the shown text of a rule, in characters.
const maxRule = 300

// goName finds a tool by its Go name.
func goName(view *wrappers.View, name string) (*wrappers.Tool, bool) {
	pkg, fn, ok := strings.Cut(name, ".")
	if !ok {
		return nil, false
	}
	s, ok := view.Package(pkg)
	if !ok {
		return nil, false
	}
	return s.Func(fn)
}
