package console

// approvalPages adds the page of what waits for a person.
func (c *Console) approvalPages(see func(pattern string, page func(*view) error)) {
	see("GET /approvals", func(v *view) error {
		return v.show("approvals.html", &Page{Title: "Approvals", Nav: "approvals"})
	})
}
