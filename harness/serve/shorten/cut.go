// Package shorten cuts JSON documents and texts to a number of characters. A cut
// document is still JSON: lists keep their first elements, objects their keys, and
// each says how much of it is missing. Shape tells what the whole consists of.
// ReplaceImages takes images out, which no cut can shorten.
package shorten

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// Node is a value in a JSON document.
type Node struct {
	raw   json.RawMessage // as it stands in the document
	start int             // where, in bytes
	chars int             // of raw
	keys  []string        // of an object, in its order, as many as items
	items []*Node         // of a list or an object: the first of its members
	Count int             // of all members
}

func (n *Node) isText() bool   { return n.raw[0] == '"' }
func (n *Node) isObject() bool { return n.raw[0] == '{' }
func (n *Node) isList() bool   { return n.raw[0] == '[' }

// text is the text of a string, "" of other values.
func (n *Node) text() string {
	var s string
	if n.isText() {
		json.Unmarshal(n.raw, &s)
	}
	return s
}

// inner is the object or list whose JSON the text of a string is, else nil.
func (n *Node) inner() *Node {
	doc := bytes.TrimSpace([]byte(n.text()))
	if len(doc) == 0 || doc[0] != '{' && doc[0] != '[' || !json.Valid(doc) {
		return nil
	}
	if in := Parse(doc); !in.isText() {
		return in
	}
	return nil
}

// Bounds of a value that is taken apart: its depth, deeper ones are text; and how
// many nodes there are of a list or an object, and in all. What is behind them is
// counted, not shown.
const (
	maxDepth   = 200
	maxMembers = 50_000
	maxNodes   = 200_000
)

// Parse reads a JSON document. One that is too deep, or none, becomes the
// text of a string.
func Parse(doc json.RawMessage) *Node {
	if json.Valid(doc) {
		r := &reader{doc: doc}
		if n := r.value(0); n != nil {
			return n
		}
	}
	raw := Quote(string(doc))
	return &Node{raw: raw, chars: utf8.RuneCount(raw)}
}

// reader reads a valid document and counts its characters.
type reader struct {
	doc   []byte
	at    int // bytes read
	chars int // characters read
	nodes int // made
}

// to reads on to a place.
func (r *reader) to(at int) {
	r.chars += utf8.RuneCount(r.doc[r.at:at])
	r.at = at
}

// space reads what stands before a value or an end: white space, a comma or a
// colon.
func (r *reader) space() {
	r.to(len(r.doc) - len(bytes.TrimLeft(r.doc[r.at:], " \t\r\n,:")))
}

// value reads a value; nil: it is too deep.
func (r *reader) value(depth int) *Node {
	if depth > maxDepth {
		return nil
	}
	r.space()
	r.nodes++
	n, before := &Node{start: r.at}, r.chars
	open := r.doc[r.at]
	if open != '{' && open != '[' {
		r.to(r.scalar())
	} else {
		r.to(r.at + 1)
		for r.space(); r.doc[r.at] != '}' && r.doc[r.at] != ']'; r.space() {
			if len(n.items) == maxMembers || r.nodes >= maxNodes {
				rest, end := countMembers(r.doc[r.at:])
				n.Count = len(n.items) + rest
				r.to(r.at + end)
				break
			}
			if open == '{' {
				var key string
				end := r.scalar()
				json.Unmarshal(r.doc[r.at:end], &key)
				n.keys = append(n.keys, key)
				r.to(end)
			}
			item := r.value(depth + 1)
			if item == nil {
				return nil
			}
			n.items = append(n.items, item)
			n.Count++
		}
		r.to(r.at + 1)
	}
	n.raw, n.chars = r.doc[n.start:r.at], r.chars-before
	return n
}

// scalar is the end of the string, number or word that is read next.
func (r *reader) scalar() int {
	if r.doc[r.at] == '"' {
		return r.at + textEnd(r.doc[r.at:])
	}
	if n := bytes.IndexAny(r.doc[r.at:], " \t\r\n,:]}"); n >= 0 {
		return r.at + n
	}
	return len(r.doc)
}

// textEnd is where the string ends that a document begins with.
func textEnd(doc []byte) int {
	for i := 1; ; i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// countMembers counts the members of a list or an object, from one of them on, and
// says where it ends.
func countMembers(doc []byte) (n, end int) {
	n = 1
	for depth := 0; ; end++ {
		switch doc[end] {
		case '"':
			end += textEnd(doc[end:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return n, end
			}
			depth--
		case ',':
			if depth == 0 {
				n++
			}
		}
	}
}

// Fields calls f with the fields of an object in their order, without copies,
// until that returns false. A document that is none is not ok.
func Fields(doc json.RawMessage, f func(name string, value json.RawMessage) bool) (ok bool) {
	if !json.Valid(doc) {
		return false
	}
	r := &reader{doc: doc}
	if r.space(); r.doc[r.at] != '{' {
		return false
	}
	r.at++
	for r.space(); r.doc[r.at] != '}'; r.space() {
		var name string
		end := r.scalar()
		json.Unmarshal(r.doc[r.at:end], &name)
		r.at = end
		r.space()
		if end = r.scalar(); r.doc[r.at] == '{' || r.doc[r.at] == '[' {
			_, n := countMembers(r.doc[r.at+1:])
			end = r.at + 1 + n + 1
		}
		if !f(name, r.doc[r.at:end]) {
			return true
		}
		r.at = end
	}
	return true
}

// JSON shortens a JSON document that is longer than limit characters (60 or
// more), as Node.Cut does.
func JSON(doc json.RawMessage, limit int) json.RawMessage {
	if utf8.RuneCount(doc) <= limit {
		return doc
	}
	var b bytes.Buffer
	if json.Compact(&b, doc) == nil {
		doc = b.Bytes()
	}
	return Parse(doc).Cut(limit)
}

// Cut shortens a document to at most limit characters (60 or more) so that it
// stays JSON. Lists keep their first elements, whole where that is possible,
// and end with how many are missing; objects keep their keys as long as there
// is something to tell of each, and large members share the room fairly. A
// document that is one string keeps the beginning and the end of its text; if
// the text is JSON, it is shortened as JSON.
func (n *Node) Cut(limit int) json.RawMessage {
	if !n.isText() || n.chars <= limit {
		return json.RawMessage(n.short(limit))
	}
	text, in := n.text(), n.inner()
	return json.RawMessage(fit(limit, func(keep int) string {
		if in != nil {
			return in.short(keep)
		}
		s, _ := HeadAndTail(text, keep)
		return s
	}))
}

// nothing stands for what there is no room for.
const nothing = `"…"`

// short writes a value in at most limit characters, 3 or more.
func (n *Node) short(limit int) string {
	switch {
	case n.chars <= limit:
		return string(n.raw)
	case n.isText():
		text := n.text()
		return fit(limit, func(keep int) string { return Text(text, keep) })
	case n.Count > 0:
		return n.members(limit)
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
	// leastValue is how many characters each value of an object can have, or
	// keys are left out.
	leastValue = 40
	// maxShortened is how many elements are shortened where they do not fit
	// whole, if each can have leastElement characters: else fewer.
	maxShortened = 4
	leastElement = 200
)

// members writes a list or an object that does not fit in limit characters.
func (n *Node) members(limit int) string {
	names, fixed, sizes := make([]string, len(n.items)), make([]int, len(n.items)), make([]int, len(n.items))
	all := 0
	for i, item := range n.items {
		if n.keys != nil {
			names[i] = string(Quote(n.keys[i])) + ":"
		}
		fixed[i], sizes[i] = utf8.RuneCountInString(names[i])+1, item.chars // with a comma
		all += fixed[i]
	}
	// Members up to whole stay as they are, the others up to shown may have
	// each characters.
	whole, shown, each := 0, len(n.items), 0
	if n.isObject() && n.Count == len(n.items) {
		each = Level(sizes, limit-2-all)
	}
	if each < leastValue {
		left := limit - 2 - utf8.RuneCountInString(n.more(n.Count))
		room := left
		for whole < len(n.items) && left >= fixed[whole]+sizes[whole] {
			left -= fixed[whole] + sizes[whole]
			whole++
		}
		shown, each = whole, 0
		if left > room/2 {
			shown = min(whole+maxShortened, len(n.items))
		}
		for ; shown > whole; shown-- {
			rest := left
			for _, size := range fixed[whole:shown] {
				rest -= size
			}
			each = Level(sizes[whole:shown], rest)
			if each >= leastElement || shown == whole+1 && each >= utf8.RuneCountInString(nothing) {
				break
			}
		}
	}
	var parts []string
	spare := 0 // of what members could have had
	for i, item := range n.items[:shown] {
		s := string(item.raw)
		if i >= whole && item.chars > each {
			s = item.short(each + spare)
			spare += each - utf8.RuneCountInString(s)
		}
		parts = append(parts, names[i]+s)
	}
	if missing := n.Count - shown; missing > 0 {
		parts = append(parts, n.more(missing))
	}
	s := string(n.raw[:1]) + strings.Join(parts, ",") + string(n.raw[len(n.raw)-1:])
	if utf8.RuneCountInString(s) > limit {
		return nothing
	}
	return s
}

// more says how many members are missing.
func (n *Node) more(missing int) string {
	if n.isObject() {
		return fmt.Sprintf(`"…":"%d more keys"`, missing)
	}
	return fmt.Sprintf(`"… %d more of %d"`, missing, n.Count)
}

// Level is the most that each of several may have if all together have at
// most budget: who needs less leaves the rest to the others.
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

// Text keeps the first limit characters of a text and says what is missing.
func Text(s string, limit int) string {
	head := text.First(s, limit)
	if head == s {
		return s
	}
	return fmt.Sprintf("%s… (%d more characters)", head, utf8.RuneCountInString(s[len(head):]))
}

// HeadAndTail keeps the beginning and the end of a text, whole lines where
// they are short, and says what is missing between.
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

// Quote is a string as JSON, without escapes that only HTML needs.
func Quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
