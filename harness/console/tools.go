package console

// toolPages adds the page of tools.
func (c *Console) toolPages(see func(pattern string, page func(*view) error)) {
	see("GET /tools", func(v *view) error {
		return v.show("tools.html", &Page{Title: "Tools", Nav: "tools"})
	})
}
