package openapi

import (
	"html"
	"regexp"
	"strings"
	"sync"
)

var (
	// tags matches HTML tags of descriptions. Other text between < and > is kept, because it may
	// be a placeholder.
	tags = pattern(`(?is)<!--.*?-->|<(/?)(a|abbr|article|aside|b|blockquote|br|caption|center|cite|code|col|dd|` +
		`del|details|div|dl|dt|em|figure|font|footer|h[1-6]|header|hr|i|img|ins|kbd|li|mark|nav|ol|p|pre|q|s|samp|section|` +
		`small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)(?:\s[^<>]*)?/?>`)
	// alert is the mark of a Markdown alert, in its line: > [!NOTE]
	alert  = pattern(`(?im)^[ \t]*>[ \t]*\[!\w+\][ \t]*`)
	quoted = pattern(`(?m)^[ \t]*>[ \t]?`)
	blanks = pattern(`[ \t]+\n`)
	lines  = pattern(`\n{3,}`)
)

// pattern returns a function that compiles the expression on the first call.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// plainText returns a description without the tags and entities of HTML and without the marks of
// Markdown's alerts. It does not change code in backticks.
func plainText(s string) string {
	if strings.Contains(s, "[!") && alert().MatchString(s) {
		s = quoted().ReplaceAllString(alert().ReplaceAllString(s, ""), "")
	}
	if !strings.ContainsAny(s, "<&") {
		return strings.TrimSpace(s)
	}
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 { // the odd ones are code
		parts[i] = html.UnescapeString(tags().ReplaceAllStringFunc(parts[i], instead))
	}
	s = strings.Join(parts, "`")
	return strings.TrimSpace(lines().ReplaceAllString(blanks().ReplaceAllString(s, "\n"), "\n\n"))
}

// instead returns the replacement of a tag.
func instead(tag string) string {
	m := tags().FindStringSubmatch(tag)
	switch name, ends := strings.ToLower(m[2]), m[1] != ""; name {
	case "code", "kbd", "samp", "tt":
		return "`"
	case "br", "hr", "tr", "dd", "dt":
		return "\n"
	case "td", "th":
		return " "
	case "li":
		if ends {
			return ""
		}
		return "\n- "
	case "p", "div", "ul", "ol", "table", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "section", "details",
		"dl":
		return "\n"
	}
	return ""
}

// isRedundant reports whether a sentence says no more than the beginning of another.
func isRedundant(short, long string) bool {
	fold := func(s string) string {
		return strings.ToLower(strings.Join(strings.Fields(strings.TrimRight(s, ". \n")), " "))
	}
	short, long = fold(short), fold(long)
	rest, ok := strings.CutPrefix(long, short)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " .,:;(-"))
}
