package console

import (
	"cmp"
	"html/template"
	"io/fs"
)

// helpPages adds the pages of the guides.
func (c *Console) helpPages(see func(pattern string, page func(*view) error)) {
	if c.opts.Guides != nil {
		see("GET /help", (*view).guide)
		see("GET /help/{topic}", (*view).guide)
	}
}

// guide shows one guide, or the list of them.
func (v *view) guide() error {
	topic := v.r.PathValue("topic")
	page, err := fs.ReadFile(v.c.opts.Guides, cmp.Or(topic, "index")+".html")
	if err != nil {
		return notFound("There is no guide of this name.")
	}
	return v.show("guide.html", &Page{Title: cmp.Or(topic, "Help"), Nav: "help", Class: "guide", Data: template.HTML(page)})
}
