package console

// runPages adds the page of a run.
func (c *Console) runPages(see func(pattern string, page func(*view) error)) {
	see("GET /runs/{id}", func(v *view) error {
		return v.show("run.html", &Page{Title: "Run", Nav: "runs"})
	})
}
