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
