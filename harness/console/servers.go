package console

// serverPages adds the page of servers.
func (c *Console) serverPages(see func(pattern string, page func(*view) error)) {
	see("GET /servers", func(v *view) error {
		return v.show("servers.html", &Page{Title: "Servers", Nav: "servers"})
	})
}
