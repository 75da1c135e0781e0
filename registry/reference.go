package registry

import (
	"encoding/json"
	"strings"
)

// Referred returns what a reference of a JSON Schema, "#/$defs/item", leads to within
// the document root; nil: nothing.
func Referred(ref string, root json.RawMessage) json.RawMessage {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	for part := range strings.SplitSeq(path, "/") {
		var object map[string]json.RawMessage
		if json.Unmarshal(root, &object) != nil {
			return nil
		}
		root = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return root
}
