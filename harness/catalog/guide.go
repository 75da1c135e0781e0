package catalog

import (
	"fmt"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// guideTokens bounds the text of Guide, in tokens.
const guideTokens = 300

// guideBytes is a size in bytes that fits into guideTokens. Names and lists of words need more
// tokens than sentences.
const guideBytes = 3 * guideTokens

// maxTried bounds the tools of a server that are tried as an example, maxExample its call in bytes.
const (
	// maxTried bounds the tools of a server that are tried as an example. maxExample bounds the
	// example's call, in bytes.
	maxTried   = 30
	maxExample = 150
)

// Guide returns a text for a system prompt: how to use the tool execute, the purpose of the
// servers, and their own instructions.
func (c *Catalog) Guide() (string, error) {
	view, err := c.View()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The tool execute runs a Go script that can call %s of %s. Call the functions, return only what "+
		"matters:\n",
		text.Count(len(c.Registry.Tools), "tool"), text.Count(len(c.Registry.Servers), "server"))
	b.WriteString(c.example(view) + "\n")
	b.WriteString("Do many calls in one script, side by side where they do not depend on each other. A script that " +
		"only calls UseTools(\"what you need in plain words\") answers with signatures; nothing runs before all of it " +
		"type-checks.\n")

	var kinds []string
	for _, k := range c.index.Categories(discovery.Query{}) {
		if k.Name != discovery.Other {
			kinds = append(kinds, fmt.Sprintf("%s %d", k.Name, k.Tools))
		}
	}
	appendList(&b, "By kind: ", kinds, b.Len()+150)
	var names []string
	for _, s := range view.Servers() {
		names = append(names, s.Package)
	}
	appendList(&b, "Packages: ", names, b.Len()+150)
	for _, s := range c.Registry.Servers {
		hint := firstSentence(s.Instructions, 140)
		p, ok := view.Server(s.Name)
		if !ok || hint == "" {
			continue
		}
		if line := fmt.Sprintf("%s says: %q\n", p.Package, hint); b.Len()+len(line) <= guideBytes {
			b.WriteString(line)
		}
	}
	return b.String(), nil
}

// example returns a script with one call of a read tool, preferably of a tool with required
// parameters. Without read tools, it returns a lookup.
func (c *Catalog) example(view *wrappers.View) string {
	for _, part := range []string{": ", "("} {
		for _, s := range view.Servers() {
			if reg, _ := c.Registry.Server(s.Name); reg.Error != nil || reg.Transport == config.Snapshot {
				continue // tools that cannot be called
			}
			for _, t := range s.Tools[:min(len(s.Tools), maxTried)] {
				if class, _ := c.Class(t.Tool); class != record.Read || t.Error != "" {
					continue
				}
				if call, result := t.Example(); strings.Contains(call, part) && len(call) <= maxExample {
					return fmt.Sprintf("r, err := %s; if err != nil { panic(err) }; Return(%s)", call, result)
				}
			}
		}
	}
	return `UseTools("show the commit history")`
}

// appendList writes a line with as many words as fit below a length.
func appendList(b *strings.Builder, head string, words []string, limit int) {
	if len(words) == 0 {
		return
	}
	b.WriteString(head)
	for i, w := range words {
		if b.Len()+len(w) > limit {
			fmt.Fprintf(b, ", and %d more", len(words)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(w)
	}
	b.WriteString("\n")
}

// firstSentence returns the first sentence of a text on one line. If it is longer than limit bytes,
// firstSentence returns "", because half a rule may be worse than no rule.
func firstSentence(text string, limit int) string {
	text = registry.Printable(text, 4096)
	text = strings.TrimLeft(strings.Join(strings.Fields(text), " "), "#*- ")
	end := len(text)
	for _, stop := range []string{". ", "! ", "? "} {
		if i := strings.Index(text, stop); i >= 0 {
			end = min(end, i+1)
		}
	}
	if end > limit {
		return ""
	}
	return text[:end]
}
