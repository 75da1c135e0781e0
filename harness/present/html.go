package present

import (
	_ "embed"
	"html/template"
	"math"
	"strings"
	"sync"
)

//go:embed html.tmpl
var htmlSource string

// HTMLOptions say how a Document becomes HTML.
type HTMLOptions struct {
	// Hue returns the class of the colour of a tool's server. If nil, tools have no colour.
	Hue func(tool string) string
}

var htmlTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"visible": func(s string) string { return Visible(s, math.MaxInt, false) },
		"lines": func(s string) []string {
			lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
			for i, l := range lines {
				lines[i] = Visible(untabbed(l), math.MaxInt, false)
			}
			return lines
		},
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

// HTML returns a Document as HTML. It uses the classes of the console's style sheet.
func (d Document) HTML(o *HTMLOptions) (template.HTML, error) {
	t, err := htmlTemplates().Clone()
	if err != nil {
		return "", err
	}
	t.Funcs(template.FuncMap{"hue": func(tool string) string {
		if o == nil || o.Hue == nil {
			return ""
		}
		return o.Hue(tool)
	}})
	var all strings.Builder
	for _, b := range d {
		if err := t.ExecuteTemplate(&all, b.Kind(), b); err != nil {
			return "", err
		}
	}
	return template.HTML(all.String()), nil
}
