package console

// editorPages adds the page of the editor.
func (c *Console) editorPages(see func(pattern string, page func(*view) error)) {
	see("GET /editor", func(v *view) error {
		return v.show("editor.html", &Page{Title: "Editor", Nav: "editor"})
	})
}
