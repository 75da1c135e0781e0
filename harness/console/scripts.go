package console

// scriptPages adds the page of saved scripts.
func (c *Console) scriptPages(see func(pattern string, page func(*view) error)) {
	see("GET /scripts", func(v *view) error {
		return v.show("scripts.html", &Page{Title: "Scripts", Nav: "tools"})
	})
}
