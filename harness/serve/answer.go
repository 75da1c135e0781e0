package serve

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
)

// Answer is the structured content of execute: the Result, and what was cut
// from it.
type Answer struct {
	*harness.Result
	// Cut says for each of value and stdout that was cut how many characters
	// it has, and by which ID a later script reads it with Stored.
	Cut map[string]CutPart `json:"cut,omitempty"`
	// Images is how many images stand beside this as content, in the order of
	// the notes that replace them in the value.
	Images int `json:"images,omitempty"`
}

// CutPart is one part of a Result that was cut.
type CutPart struct {
	Characters int    `json:"characters"`
	Stored     string `json:"stored,omitempty"` // "": it could not be kept
}

// Bounds of the images of an answer.
const (
	maxImages     = 16
	maxImageBytes = 8 << 20
)

// answer is a Result as a client gets it.
func (c *session) answer(res *harness.Result) *mcp.CallToolResult {
	res.Lowered = ""
	a := &Answer{Result: res}
	nothing := res.Status == harness.OK && res.Value == nil && res.Stdout == "" && res.Stderr == "" && !slices.ContainsFunc(res.Tools, func(u harness.ToolUse) bool { return u.Signature != "" })
	value, images := takeImages(res.Value)
	a.Images = len(images)
	notes := c.cut(a, value)
	out := &mcp.CallToolResult{IsError: res.Status != harness.OK, StructuredContent: a}
	text := res.Text()
	for _, n := range notes {
		text += n + "\n"
	}
	// Errors and warnings are bounded one by one; this is for all of them.
	text, _ = headAndTail(text, c.s.opts.Answer+2000)
	if nothing { // what follows are warnings
		text = "ok: the script returned and printed nothing\n" + strings.TrimPrefix(text, "\n")
	}
	out.Content = append(out.Content, &mcp.TextContent{Text: strings.ToValidUTF8(text, "\uFFFD")})
	for _, img := range images {
		out.Content = append(out.Content, img)
	}
	return out
}

// cut shortens the value and what was printed to the budget, keeps what was
// shortened, and says so.
func (c *session) cut(a *Answer, value json.RawMessage) (notes []string) {
	res, budget := a.Result, c.s.opts.Answer
	if res.Status == harness.OutputLimit { // a loop that printed without end: its beginning and end tell enough
		budget /= 10
	}
	whole := map[string]json.RawMessage{}
	if n := utf8.RuneCountInString(res.Stderr); n > budget/10 {
		res.Stderr, _ = headAndTail(res.Stderr, budget/10)
	}
	printed, have := utf8.RuneCountInString(res.Stdout), utf8.RuneCount(value)
	forValue := budget - min(printed, budget/4)
	a.Cut = map[string]CutPart{}
	if short, cut := cutJSON(value, forValue); cut {
		whole["value"], a.Cut["value"] = value, CutPart{Characters: have}
		value = short
	}
	full := res.Stdout
	var cut bool
	if res.Stdout, cut = headAndTail(full, budget-min(utf8.RuneCount(value), forValue)); cut {
		whole["stdout"], a.Cut["stdout"] = quote(strings.ToValidUTF8(full, "\uFFFD")), CutPart{Characters: printed}
	}
	res.Value = value
	// Indented it may be larger than allowed; compact it fits.
	if len(value) > 0 && utf8.RuneCount(value)*2 > budget {
		var b bytes.Buffer
		if json.Compact(&b, value) == nil {
			res.Value = b.Bytes()
		}
	}
	if len(whole) == 0 {
		a.Cut = nil
		return nil
	}
	for _, part := range []string{"value", "stdout"} {
		all, ok := whole[part]
		if !ok {
			continue
		}
		p := a.Cut[part]
		if c.keeps {
			p.Stored = c.s.kept.keep(c.id, all)[0]
		}
		switch {
		case p.Stored != "":
			notes = append(notes, fmt.Sprintf("(%s cut, %d characters in all; a later script reads it whole: Stored(%q, &v))", part, p.Characters, p.Stored))
		case !c.keeps:
			notes = append(notes, fmt.Sprintf("(%s cut, %d characters in all; without a session nothing can be kept for Stored: return less)", part, p.Characters))
		default:
			notes = append(notes, fmt.Sprintf("(%s cut, %d characters in all; too large to keep: return less)", part, p.Characters))
		}
		a.Cut[part] = p
	}
	return notes
}

// takeImages takes the images out of a value: each block of MCP content with
// base64 in it is replaced by a note and becomes content of the answer.
func takeImages(value json.RawMessage) (json.RawMessage, []*mcp.ImageContent) {
	if !bytes.Contains(value, []byte(`"image"`)) || !bytes.Contains(value, []byte(`"mimeType"`)) {
		return value, nil
	}
	root := parseNode(value)
	if root == nil {
		return value, nil
	}
	var images []*mcp.ImageContent
	size := 0
	var walk func(n *node)
	walk = func(n *node) {
		if img := imageOf(n); img != nil {
			if len(images) < maxImages && size+len(img.Data) <= maxImageBytes {
				images = append(images, img)
				size += len(img.Data)
				*n = node{isText: true, text: fmt.Sprintf("(image %d: %s, %d bytes)", len(images), img.MIMEType, len(img.Data))}
			} else {
				*n = node{isText: true, text: fmt.Sprintf("(image left out: %s, %d bytes)", img.MIMEType, len(img.Data))}
			}
			return
		}
		for _, item := range n.items {
			walk(item)
		}
	}
	walk(root)
	if len(images) == 0 {
		return value, nil
	}
	c := &cutter{text: len(value), items: len(value), depth: maxDepth + 1, left: 2 * len(value)}
	c.write(root, 0)
	return c.b.Bytes(), images
}

// imageOf reads {"type": "image", "mimeType": …, "data": base64}.
func imageOf(n *node) *mcp.ImageContent {
	if !n.isObject {
		return nil
	}
	field := map[string]string{}
	for i, k := range n.keys {
		if n.items[i].isText {
			field[k] = n.items[i].text
		}
	}
	if field["type"] != "image" || !strings.HasPrefix(field["mimeType"], "image/") {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(field["data"])
	if err != nil || len(data) == 0 {
		return nil
	}
	return &mcp.ImageContent{MIMEType: field["mimeType"], Data: data}
}
