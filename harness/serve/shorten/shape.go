package shorten

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of a shape.
const (
	maxShape   = 400  // characters
	shapeDepth = 3    // objects in objects
	shapeKeys  = 12   // of each
	shapeItems = 50   // elements of a list that are inspected
	longKey    = 40   // characters; longer ones are cut
	longText   = 1000 // characters; a longer text is shown with its length
)

// Shape returns the structure of a value on one line:
//
//	{commits: [64]{hash, message: text(12345), stat: {files, lines}}, totalCount}
//
// It merges the elements of a list: it shows the keys that any of the first elements has.
func Shape(v *jsontree.Value) string {
	if v.Kind == jsontree.String {
		if in := inner(v); in != nil {
			return "text of " + Shape(in)
		}
		return "text"
	}
	var s string
	for depth := shapeDepth; depth > 0; depth-- {
		if s = shapeOf([]*jsontree.Value{v}, depth); utf8.RuneCountInString(s) <= maxShape {
			return s
		}
	}
	return text.Cut(s, maxShape)
}

// shapeOf returns the common shape of values, "" for scalars.
func shapeOf(nodes []*jsontree.Value, depth int) string {
	var lists, items, objects []*jsontree.Value
	long := 0
	for _, n := range nodes {
		switch {
		case n.Kind == jsontree.Object:
			objects = append(objects, n)
		case n.Kind == jsontree.List:
			lists = append(lists, n)
			items = append(items, n.Items[:min(len(n.Items), shapeItems-len(items))]...)
		case n.Kind == jsontree.String:
			long = max(long, chars(n)-2) // without quotes
		}
	}
	switch {
	case len(objects) > 0:
		return shapeOfObjects(objects, depth)
	case len(lists) == 1:
		return fmt.Sprintf("[%d]%s", lists[0].Count, shapeOf(items, depth))
	case len(lists) > 1:
		return "[]" + shapeOf(items, depth)
	case long >= longText && len(nodes) == 1:
		return fmt.Sprintf("text(%d)", long)
	case long >= longText:
		return fmt.Sprintf("text(up to %d)", long)
	}
	return ""
}

func shapeOfObjects(objects []*jsontree.Value, depth int) string {
	values := map[string][]*jsontree.Value{}
	var keys []string
	behind := 0 // further members
	for _, o := range objects {
		behind += o.Count - len(o.Items)
		for i, k := range o.Keys {
			if values[k] == nil {
				keys = append(keys, k)
			}
			values[k] = append(values[k], o.Items[i])
		}
	}
	if depth == 0 && len(keys) > 0 {
		return "{…}"
	}
	var parts []string
	for i, k := range keys {
		if i == shapeKeys {
			parts = append(parts, fmt.Sprintf("… %d more", len(keys)+behind-i))
			break
		}
		part := shapeKey(k)
		if s := shapeOf(values[k], depth-1); s != "" {
			part += ": " + s
		}
		parts = append(parts, part)
	}
	if len(keys) <= shapeKeys && behind > 0 {
		parts = append(parts, fmt.Sprintf("… %d more", behind))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// shapeKey returns a key of a shape, in quotes unless it is a plain word.
func shapeKey(k string) string {
	if s := text.First(k, longKey); s != k {
		k = s + "…"
	}
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.…", r)
	}
	if k == "" || strings.ContainsFunc(k, odd) {
		return string(Quote(k))
	}
	return k
}
