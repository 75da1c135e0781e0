package console

import (
	"net/url"

	"github.com/usetools/usetools/wrappers"
)

// signature is how a tool is called, and what a call of it does.
type signature struct {
	toolRow
	// Lines are its Go declaration.
	Lines [][]span
	// ClassWhy says why its class is known.
	ClassWhy string
	// Verdict and Rule are what the viewer's policy says of it.
	Verdict, Rule string
	// Editor is the address of a script that calls it, in the editor.
	Editor string
}

func (k *known) signature(t *wrappers.Tool) *signature {
	category := ""
	if d, err := k.index.Describe([]string{t.ID}, ""); err == nil && len(d.Tools) > 0 {
		category = d.Tools[0].Category
	}
	s := &signature{toolRow: k.row(t, category), Lines: highlight(t.Doc(), k.hueOfPackage)}
	_, s.ClassWhy = k.cat.Class(t.Tool)
	d := k.decide(t.Tool)
	s.Verdict, s.Rule = string(d.Verdict), d.Rule
	s.Editor = "/editor?" + url.Values{"tool": {t.ID}}.Encode()
	return s
}
