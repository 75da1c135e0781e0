package runtime

import "reflect"

// nextEntry takes the next entry of a map that is ranged over.
func nextEntry(entries *reflect.MapIter) (key, value any, ok bool) {
	if !entries.Next() {
		return nil, nil, false
	}
	return entries.Key().Interface(), entries.Value().Interface(), true
}
