package console

import (
	"cmp"
	"html/template"
	"io/fs"
)

// guide shows one guide, or the list of guides.
func (v *view) guide() error {
	topic := v.r.PathValue("topic")
	if v.c.opts.Guides == nil {
		return notFound("This server has no guides.")
	}
	page, err := fs.ReadFile(v.c.opts.Guides, cmp.Or(topic, "index")+".html")
	if err != nil {
		return notFound("No guide has this name.")
	}
	return v.show("guide.html", &Page{Title: cmp.Or(topic, "Help"), Nav: "help", Class: "guide", Data: template.HTML(page)})
}
