package check

// What a script may use of the harness besides tools.
const (
	OwnDiscovery = "discovery" // the package
	OwnScripts   = "RunScript"
)

// Own returns which of these the script uses, found by syntax alone: it may
// have named something of its own so.
func (s *Script) Own() []string {
	var out []string
	search := false
	for _, f := range s.files {
		for _, spec := range f.Imports {
			search = search || importedPath(spec) == discoveryPath
		}
	}
	for _, r := range s.refs {
		search = search || r.x.Name == discoveryPath
	}
	if search {
		out = append(out, OwnDiscovery)
	}
	for _, f := range s.files {
		for _, id := range f.Unresolved {
			if id.Name == OwnScripts {
				return append(out, OwnScripts)
			}
		}
	}
	return out
}
