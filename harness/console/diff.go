package console

// diffPages adds the page that compares two runs.
func (c *Console) diffPages(see func(pattern string, page func(*view) error)) {
}
