package console

// runsPages adds the page of the list of runs.
func (c *Console) runsPages(see func(pattern string, page func(*view) error)) {
	see("GET /runs", func(v *view) error {
		return v.show("runs.html", &Page{Title: "Runs", Nav: "runs"})
	})
}
