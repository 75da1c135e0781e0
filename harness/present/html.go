package present

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"
	"sync"
	"time"
)

//go:embed html.tmpl
var htmlSource string

// HTMLOptions say how a Document becomes HTML. One goroutine may use them for many Documents.
type HTMLOptions struct {
	// Hue returns the class of the colour of a tool's server. If nil, tools have no colour.
	Hue func(tool string) string

	templates *template.Template // with Hue
}

var htmlTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"visible":     func(s string) string { return Visible(s, math.MaxInt, false) },
		"lines":       visibleLines,
		"visibleLine": visibleLine,
		"json": func(raw any) string { // a string or a json.RawMessage
			return strings.Join(visibleLines(Indented(fmt.Appendf(nil, "%s", raw))), "\n")
		},
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"local": func(t time.Time) string { return t.Local().Format(time.DateTime) },
		"sign": func(line string) string { // the class of a line of a unified difference
			switch {
			case strings.HasPrefix(line, "-"):
				return "dm"
			case strings.HasPrefix(line, "+"):
				return "dp"
			}
			return "d0"
		},
		"add": func(a, b int) int { return a + b },
		"hue": func(string) string { return "" },
	}).Parse(htmlSource))
})

// visibleLines returns the lines of a text, safe to show.
func visibleLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = visibleLine(l)
	}
	return lines
}

// visibleLine returns a line with tabs replaced by spaces, safe to show.
func visibleLine(s string) string { return Visible(untabbed(s), math.MaxInt, false) }

// HTML returns a Document as HTML. It uses the classes of the console's style sheet.
func (d Document) HTML(o *HTMLOptions) (template.HTML, error) {
	if o == nil {
		o = &HTMLOptions{}
	}
	if o.templates == nil {
		t, err := htmlTemplates().Clone()
		if err != nil {
			return "", err
		}
		if o.Hue != nil {
			t.Funcs(template.FuncMap{"hue": o.Hue})
		}
		o.templates = t
	}
	var all strings.Builder
	for _, b := range d {
		if err := o.templates.ExecuteTemplate(&all, b.Kind(), b); err != nil {
			return "", err
		}
	}
	return template.HTML(all.String()), nil
}
