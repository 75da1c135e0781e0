package console

// overviewPages adds the page of how all is.
func (c *Console) overviewPages(see func(pattern string, page func(*view) error)) {
	see("GET /{$}", func(v *view) error {
		return v.show("overview.html", &Page{Title: "Overview", Nav: "overview"})
	})
}
