package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// node is a JSON value with the order of its keys.
type node struct {
	scalar   json.RawMessage // set: neither array nor object
	text     string          // of a string
	isText   bool
	isObject bool
	keys     []string
	items    []*node
}

// maxDepth bounds the depth of a value that is taken apart; deeper ones are
// text.
const maxDepth = 200

// parseNode reads a JSON document; nil for one that is too deep or none.
func parseNode(raw json.RawMessage) *node {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := readNode(d, 0)
	if err != nil {
		return nil
	}
	return n
}

func readNode(d *json.Decoder, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n := &node{isObject: t == '{'}
		for d.More() {
			if n.isObject {
				k, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, k.(string))
			}
			item, err := readNode(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		_, err = d.Token() // the closing one
		return n, err
	case string:
		return &node{text: t, isText: true}, nil
	case json.Number:
		return &node{scalar: json.RawMessage(t.String())}, nil
	case bool:
		return &node{scalar: json.RawMessage(fmt.Sprint(t))}, nil
	}
	return &node{scalar: json.RawMessage("null")}, nil
}

// cutJSON shortens a JSON document to at most limit characters, so that it stays
// JSON: long strings and long arrays end with how much is missing, objects get
// a key "…" that says so, what is too deep becomes a string. ok is false when
// nothing had to be shortened.
func cutJSON(raw json.RawMessage, limit int) (out json.RawMessage, ok bool) {
	if utf8.RuneCount(raw) <= limit {
		return raw, false
	}
	n := parseNode(raw)
	if n == nil {
		n = &node{text: string(raw), isText: true}
	}
	// The widest shape that fits: each step halves what an array, an object
	// and a string may have.
	for text, items := limit, limit/4+1; ; text, items = text/2, items/2 {
		c := &cutter{text: max(text, 8), items: max(items, 1), depth: maxDepth, left: limit}
		if text < 64 { // wide enough is not enough: cut deep ones as well
			c.depth = max(text/4, 0)
		}
		c.write(n, 0)
		if c.left >= 0 {
			return c.b.Bytes(), true
		}
		if c.depth == 0 {
			return quote(fmt.Sprintf("(%d characters of JSON)", utf8.RuneCount(raw))), true
		}
	}
}

// cutter writes a node within limits.
type cutter struct {
	b                  bytes.Buffer
	text, items, depth int
	left               int // characters
}

func (c *cutter) raw(s string) {
	c.left -= utf8.RuneCountInString(s)
	if c.left >= 0 {
		c.b.WriteString(s)
	}
}

func (c *cutter) write(n *node, depth int) {
	switch {
	case c.left < 0:
	case n.isText:
		c.raw(string(quote(cutText(n.text, c.text))))
	case n.scalar != nil:
		c.raw(string(n.scalar))
	case depth >= c.depth && len(n.items) > 0:
		what := "items"
		if n.isObject {
			what = "keys"
		}
		c.raw(string(quote(fmt.Sprintf("(%d %s)", len(n.items), what))))
	default:
		c.list(n, depth)
	}
}

func (c *cutter) list(n *node, depth int) {
	shown := min(len(n.items), c.items)
	open, end := "[", "]"
	if n.isObject {
		open, end = "{", "}"
		shown = min(len(n.items), max(c.items, 4))
	}
	c.raw(open)
	for i, item := range n.items[:shown] {
		if c.left < 0 {
			return
		}
		if i > 0 {
			c.raw(",")
		}
		if n.isObject {
			c.raw(string(quote(n.keys[i])) + ":")
		}
		c.write(item, depth+1)
	}
	if more := len(n.items) - shown; more > 0 {
		if n.isObject {
			c.raw(fmt.Sprintf(`,"…":"%d more keys"`, more))
		} else {
			c.raw(fmt.Sprintf(`,"… %d more of %d"`, more, len(n.items)))
		}
	}
	c.raw(end)
}

// cutText keeps the first limit characters of a text and says what is missing.
func cutText(s string, limit int) string {
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s
	}
	i := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return fmt.Sprintf("%s… (%d more characters)", s[:i], n-limit)
}

// headAndTail keeps the beginning and the end of a text, whole lines where
// they are short, and says what is missing between.
func headAndTail(s string, limit int) (string, bool) {
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s, false
	}
	keep := max(limit-60, 20)
	r := []rune(s)
	head, tail := string(r[:keep*2/3]), string(r[n-keep/3:])
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

// quote is a string as JSON, without escapes that only HTML needs.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
