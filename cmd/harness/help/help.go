// Package help has the guides: Markdown files, one for each goal. `harness help TOPIC` prints
// them, and the console serves the pages in html, which the package's test makes from them.
package help

import (
	"embed"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed *.md
var guides embed.FS

//go:embed html
var html embed.FS

// Pages has the guides as TOPIC.html, and their list as index.html.
var Pages, _ = fs.Sub(html, "html")

// Topics are the names of all guides, in reading order.
var Topics = []string{"quickstart", "scripts", "configuration", "finding-tools", "approvals", "policies", "history-and-replay",
	"console", "serve", "cluster", "security", "go-api", "performance", "troubleshooting"}

// Guide returns the text of a guide in Markdown, or "" if no guide has that name.
func Guide(topic string) string {
	b, err := guides.ReadFile(topic + ".md")
	if err != nil {
		return ""
	}
	return mark.ReplaceAllString(string(b), "")
}

// mark is where a table is generated.
var mark = regexp.MustCompile(`(?m)^<!-- .* -->\n\n?`)

// Title returns the heading of a guide.
func Title(topic string) string {
	first, _, _ := strings.Cut(Guide(topic), "\n")
	return strings.TrimPrefix(first, "# ")
}
