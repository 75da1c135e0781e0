package help_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/usetools/usetools/cmd/harness/help"
)

var update = flag.Bool("update", false, "write the pages")

// elsewhere is a link that the pages of the console do not have: they load and name no other host.
var elsewhere = regexp.MustCompile(`<a href="https?:[^"]*">([^<]*)</a>`)

var linkToGuide = regexp.MustCompile(`href="([a-z-]+)\.md`)

// skillPart is a part of a guide that the skill of harness serve has, too, below a heading.
var skillPart = regexp.MustCompile(`(?ms)^<!-- skill: ([^>]+) -->\n\n(.*?)^<!-- end skill -->$`)

// TestSkill makes html/skill.md, the text of the skill that explains execute: parts of the guides
// in reading order, those with the same heading together.
func TestSkill(t *testing.T) {
	var headings []string
	parts := map[string]string{}
	for _, topic := range help.Topics {
		guide, err := os.ReadFile(topic + ".md")
		if err != nil {
			t.Fatal(err)
		}
		found := skillPart.FindAllStringSubmatch(string(guide), -1)
		if begun := bytes.Count(guide, []byte("<!-- skill")); len(found) != begun {
			t.Errorf("%s.md: %d parts begin, %d have an end", topic, begun, len(found))
		}
		for _, m := range found {
			if parts[m[1]] == "" {
				headings = append(headings, m[1])
			}
			parts[m[1]] += m[2]
		}
	}
	text := "# Write scripts for execute\n\nThe tool `execute` runs a Go script that calls tools of MCP servers.\n\n"
	for _, h := range headings {
		text += "## " + h + "\n\n" + parts[h]
	}
	text = strings.TrimRight(text, "\n") + "\n"
	if *update {
		if err := os.WriteFile("html/skill.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := fs.ReadFile(help.Pages, "skill.md"); err != nil || string(got) != text {
		t.Errorf("html/skill.md is not what the guides say; run go test ./cmd/harness/help -update (%v)", err)
	}
}

// TestPages makes the page of each guide and compares it with the file in html.
func TestPages(t *testing.T) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	var topics []string
	for _, file := range files {
		topics = append(topics, strings.TrimSuffix(file, ".md"))
	}
	if diff := cmp.Diff(topics, slices.Sorted(slices.Values(help.Topics))); diff != "" {
		t.Error("files and Topics:", diff)
	}
	guides, index := map[string]string{}, "# Guides\n\n"
	for _, topic := range help.Topics {
		guides[topic] = help.Guide(topic)
		index += "- [" + help.Title(topic) + "](" + topic + ".md)\n"
	}
	guides["index"] = index
	for topic, text := range guides {
		var page bytes.Buffer
		if err := markdown.Convert([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		html := elsewhere.ReplaceAllString(linkToGuide.ReplaceAllString(page.String(), `href="/help/$1`), "$1")
		for _, m := range linkToGuide.FindAllStringSubmatch(page.String(), -1) {
			if help.Guide(m[1]) == "" {
				t.Errorf("%s links to %s.md, which does not exist", topic, m[1])
			}
		}
		file := filepath.Join("html", topic+".html")
		if *update {
			if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := fs.ReadFile(help.Pages, topic+".html")
		if err != nil || string(got) != html {
			t.Errorf("%s is not the page of %s.md; run go test ./cmd/harness/help -update (%v)", file, topic, err)
		}
	}
}
