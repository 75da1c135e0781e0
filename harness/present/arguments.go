package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record"
)

// Limits of reading a call's arguments.
const (
	maxLeaves    = 200
	maxDepth     = 6
	maxArguments = 64 << 10 // bytes
	maxCompares  = 500      // compared calls of a place
)

// Leaf is a value in a JSON value.
type Leaf struct {
	Path string // where: a.b[0]
	JSON string // compact
}

// common returns the arguments, by path, that are equal in all calls, or in the first 500 calls. A
// single call has no common arguments.
func common(calls []*Bar) map[string]string {
	if len(calls) == 1 {
		return nil
	}
	calls = calls[:min(len(calls), maxCompares)]
	same, times := map[string]string{}, map[string]int{}
	for _, b := range calls {
		for _, l := range Leaves(b.Made.Line().Args.JSON) {
			if was, ok := same[l.Path]; !ok && times[l.Path] == 0 {
				same[l.Path] = l.JSON
			} else if was != l.JSON {
				delete(same, l.Path)
			}
			times[l.Path]++
		}
	}
	for path := range same {
		if times[path] != len(calls) {
			delete(same, path)
		}
	}
	return same
}

// Differs returns the arguments of a call that differ among the calls of the place, or all
// arguments of a single call: "id 7, filter.name \"x\"".
func (p *Place) Differs(b *Bar) string { return label(b.Made.Line().Args, p.common) }

// label returns the arguments that are not common.
func label(args record.Data, common map[string]string) string {
	return labelled(args, common, func(s string) string { return s })
}

// labelled returns the label with cut applied to each key and value.
func labelled(args record.Data, common map[string]string, cut func(string) string) string {
	if args.JSON == nil && !args.IsZero() {
		return absent(args)
	}
	var parts []string
	for _, l := range Leaves(args.JSON) {
		if value, ok := common[l.Path]; !ok || value != l.JSON {
			parts = append(parts, strings.TrimSpace(cut(l.Path)+" "+cut(l.JSON)))
		}
	}
	return strings.Join(parts, ", ")
}

// leastValue is the minimum length of a shortened value, in characters.
const leastValue = 12

// brief returns the label as one line of at most limit characters, safe to show. It shortens long
// values first, then omits the last arguments.
func brief(args record.Data, common map[string]string, limit int, ascii bool) string {
	out := label(args, common)
	for n := limit; utf8.RuneCountInString(out) > limit && n > leastValue; {
		n = max(n*7/8, leastValue)
		out = labelled(args, common, func(s string) string {
			if utf8.RuneCountInString(s) <= n {
				return s
			}
			return cutTo(s, n, "…", ascii)
		})
	}
	return Visible(out, limit, ascii)
}

// Leaves returns the values in a JSON value, in order. Values six levels deep and after the 200th
// leaf are not split. For more than 64 kB it returns one leaf with the size.
func Leaves(raw []byte) []Leaf {
	if len(raw) > maxArguments {
		return []Leaf{{"", fmt.Sprintf("(%s)", size(len(raw)))}}
	}
	var out []Leaf
	var walk func(path string, raw []byte, depth int)
	walk = func(path string, raw []byte, depth int) {
		d := json.NewDecoder(bytes.NewReader(raw))
		t, err := d.Token()
		open, nested := t.(json.Delim)
		if err != nil || !nested || !d.More() || depth == 0 || len(out) >= maxLeaves {
			if path != "" || !nested || err != nil { // {} has no arguments
				out = append(out, Leaf{path, compact(raw)})
			}
			return
		}
		for n := 0; d.More(); n++ {
			at := fmt.Sprintf("%s[%d]", path, n)
			if open == '{' {
				key, err := d.Token()
				if err != nil {
					return
				}
				at = join(path, key.(string)) // the key of an object
			}
			var v json.RawMessage
			if d.Decode(&v) != nil {
				return
			}
			walk(at, v, depth-1)
		}
	}
	if len(raw) > 0 {
		walk("", raw, maxDepth)
	}
	return out
}

// join returns the path of a key in the object at a path.
func join(path, key string) string {
	plain := key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80
	})
	if !plain {
		return fmt.Sprintf("%s[%q]", path, key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func compact(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// absent returns why a value is not shown.
func absent(d record.Data) string {
	if d.Redacted {
		return fmt.Sprintf("(%s, not kept)", size(d.Bytes))
	}
	return fmt.Sprintf("(%s)", size(d.Bytes))
}

// firstDifference returns the path where two JSON values first differ, with both values, or same. A
// missing value is nil. It compares structuredContent before other keys.
func firstDifference(path string, a, b []byte, depth int) (at string, inA, inB json.RawMessage, same bool) {
	if bytes.Equal(a, b) {
		return "", nil, nil, true
	}
	ka, va, oka := members(a)
	kb, vb, okb := members(b)
	if !oka || !okb || depth == 0 || (a[0] == '{') != (b[0] == '{') {
		if compact(a) == compact(b) {
			return "", nil, nil, true
		}
		return path, a, b, false
	}
	keys := append(slices.Clone(ka), kb...)
	slices.SortStableFunc(keys, func(x, y string) int { return rank(x) - rank(y) })
	seen := map[string]bool{}
	for _, k := range keys {
		if seen[k] {
			continue
		}
		seen[k] = true
		x, inX := va[k]
		y, inY := vb[k]
		next := path + k
		if a[0] == '{' {
			next = join(path, k)
		}
		if inX != inY {
			return next, x, y, false
		}
		if at, p, q, same := firstDifference(next, x, y, depth-1); !same {
			return at, p, q, false
		}
	}
	return "", nil, nil, true
}

func rank(key string) int {
	if key == "structuredContent" {
		return 0
	}
	return 1
}

// members returns the elements of an object or a list, by key or [index], and their order.
func members(raw []byte) (order []string, values map[string]json.RawMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	t, err := d.Token()
	open, nested := t.(json.Delim)
	if err != nil || !nested {
		return nil, nil, false
	}
	values = map[string]json.RawMessage{}
	for n := 0; d.More(); n++ {
		key := fmt.Sprintf("[%d]", n)
		if open == '{' {
			k, err := d.Token()
			if err != nil {
				return nil, nil, false
			}
			key = k.(string)
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil, nil, false
		}
		if _, twice := values[key]; !twice {
			order = append(order, key)
		}
		values[key] = v
	}
	if _, err := d.Token(); err != nil && err != io.EOF {
		return nil, nil, false
	}
	return order, values, true
}
