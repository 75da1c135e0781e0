// Package shorten cuts JSON documents and texts to a number of characters. A cut document is still
// JSON: lists keep their first elements, objects their keys, and each says how much is missing.
// Shape describes the structure of the whole document. ReplaceImages removes images, which cannot
// be cut.
package shorten

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/registry/text"
)

// limits bound the parsed documents: deeper ones become text, and members beyond the limits are
// counted but not shown.
var limits = jsontree.Limits{Depth: 200, Members: 50_000, Values: 200_000}

// Parse reads a document for Cut and Shape. One that is not JSON, or is nested too deeply,
// becomes the text of a string.
func Parse(doc json.RawMessage) *jsontree.Value {
	v, err := jsontree.Parse(doc, limits)
	if err != nil {
		v = jsontree.NewString(string(doc))
		v.Raw = Quote(string(doc))
	}
	return v
}

// chars returns the number of characters of a value in its document.
func chars(v *jsontree.Value) int { return utf8.RuneCount(v.Raw) }

// inner returns the object or list that the text of a string contains as JSON, or nil.
func inner(v *jsontree.Value) *jsontree.Value {
	text := strings.TrimSpace(v.Text)
	if v.Kind != jsontree.String || text == "" || text[0] != '{' && text[0] != '[' {
		return nil
	}
	if in := Parse(json.RawMessage(text)); in.Kind != jsontree.String {
		return in
	}
	return nil
}

// JSON shortens a JSON document that is longer than limit characters (60 or
// more), as Cut does.
func JSON(doc json.RawMessage, limit int) json.RawMessage {
	if utf8.RuneCount(doc) <= limit {
		return doc
	}
	var b bytes.Buffer
	if json.Compact(&b, doc) == nil {
		doc = b.Bytes()
	}
	return Cut(Parse(doc), limit)
}

// Cut shortens a document to at most limit characters (60 or more) so that it stays JSON. Lists
// keep their first elements, complete if possible, and end with the number of missing ones. Objects
// keep their keys as long as each value has some room, and large members share the room fairly. A
// document that is one string keeps the beginning and the end of its text; if the text is JSON, it
// is shortened as JSON.
func Cut(v *jsontree.Value, limit int) json.RawMessage {
	if v.Kind != jsontree.String || chars(v) <= limit {
		return json.RawMessage(short(v, limit))
	}
	in := inner(v)
	return json.RawMessage(fit(limit, func(keep int) string {
		if in != nil {
			return short(in, keep)
		}
		s, _ := HeadAndTail(v.Text, keep)
		return s
	}))
}

// nothing replaces values that do not fit.
const nothing = `"…"`

// short writes a value in at most limit characters, 3 or more.
func short(v *jsontree.Value, limit int) string {
	switch {
	case chars(v) <= limit:
		return string(v.Raw)
	case v.Kind == jsontree.String:
		return fit(limit, func(keep int) string { return Text(v.Text, keep) })
	case v.Count > 0:
		return members(v, limit)
	}
	return nothing // a very long number
}

// fit quotes as much of a text as has at most limit characters when quoted.
func fit(limit int, shorten func(keep int) string) string {
	for keep := limit; keep > 0; {
		q := string(Quote(shorten(keep)))
		size := utf8.RuneCountInString(q)
		if size <= limit {
			return q
		}
		keep = min(keep*limit/size, keep-1)
	}
	return nothing
}

const (
	// leastValue is the minimum number of characters of each value of an object; otherwise keys are
	// omitted.
	leastValue = 40
	// maxShortened is how many elements that do not fit completely are shortened, if each can have
	// leastElement characters.
	maxShortened = 4
	leastElement = 200
)

// members writes a list or an object that does not fit in limit characters.
func members(n *jsontree.Value, limit int) string {
	names, fixed, sizes := make([]string, len(n.Items)), make([]int, len(n.Items)), make([]int, len(n.Items))
	all := 0
	for i, item := range n.Items {
		if n.Keys != nil {
			names[i] = string(Quote(n.Keys[i])) + ":"
		}
		fixed[i], sizes[i] = utf8.RuneCountInString(names[i])+1, chars(item) // with a comma
		all += fixed[i]
	}
	// Members up to complete stay unchanged; those up to shown may have each characters.
	complete, shown, each := 0, len(n.Items), 0
	if n.Kind == jsontree.Object && n.Count == len(n.Items) {
		each = Level(sizes, limit-2-all)
	}
	if each < leastValue {
		left := limit - 2 - utf8.RuneCountInString(more(n, n.Count))
		room := left
		for complete < len(n.Items) && left >= fixed[complete]+sizes[complete] {
			left -= fixed[complete] + sizes[complete]
			complete++
		}
		shown, each = complete, 0
		if left > room/2 {
			shown = min(complete+maxShortened, len(n.Items))
		}
		for ; shown > complete; shown-- {
			rest := left
			for _, size := range fixed[complete:shown] {
				rest -= size
			}
			each = Level(sizes[complete:shown], rest)
			if each >= leastElement || shown == complete+1 && each >= utf8.RuneCountInString(nothing) {
				break
			}
		}
	}
	var parts []string
	spare := 0 // unused characters of earlier members
	for i, item := range n.Items[:shown] {
		s := string(item.Raw)
		if i >= complete && chars(item) > each {
			s = short(item, each+spare)
			spare += each - utf8.RuneCountInString(s)
		}
		parts = append(parts, names[i]+s)
	}
	if missing := n.Count - shown; missing > 0 {
		parts = append(parts, more(n, missing))
	}
	s := string(n.Raw[:1]) + strings.Join(parts, ",") + string(n.Raw[len(n.Raw)-1:])
	if utf8.RuneCountInString(s) > limit {
		return nothing
	}
	return s
}

// more returns the note about missing members.
func more(n *jsontree.Value, missing int) string {
	if n.Kind == jsontree.Object {
		return fmt.Sprintf(`"…":"%d more keys"`, missing)
	}
	return fmt.Sprintf(`"… %d more of %d"`, missing, n.Count)
}

// Level returns the maximum size of each of several items that share a budget. Items below their
// share leave the rest to the others.
func Level(sizes []int, budget int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	for i, size := range sizes {
		share := budget / (len(sizes) - i)
		if size > share {
			return share
		}
		budget -= size
	}
	return math.MaxInt
}

// Text keeps the first limit characters of a text and adds how many are missing.
func Text(s string, limit int) string {
	head := text.First(s, limit)
	if head == s {
		return s
	}
	return fmt.Sprintf("%s… (%d more characters)", head, utf8.RuneCountInString(s[len(head):]))
}

// HeadAndTail keeps the beginning and the end of a text, as complete lines if they are short, and
// says between them how much is missing.
func HeadAndTail(s string, limit int) (string, bool) {
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s, false
	}
	keep := max(limit-60, 20)
	head := text.First(s, keep*2/3)
	tail := s[len(text.First(s, n-keep/3)):]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	missing := n - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return fmt.Sprintf("%s… %d characters left out …\n%s", head, missing, tail), true
}

// Quote returns a string as JSON, without escapes that only HTML needs.
func Quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
