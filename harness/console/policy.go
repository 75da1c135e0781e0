package console

// policyPages adds the page of policy and use.
func (c *Console) policyPages(see func(pattern string, page func(*view) error)) {
	see("GET /policy", func(v *view) error {
		return v.show("policy.html", &Page{Title: "Policy", Nav: "policy"})
	})
}
