package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/serve/shorten"
	"github.com/usetools/usetools/harness/serve/transport"
)

// Answer is the structured content of execute: the Result, and counts of the parts that were cut.
type Answer struct {
	outcome.Result
	// Cut has, for value and stdout if they were cut, how many characters they have, and the ID by
	// which a later script reads them with Stored.
	Cut map[string]CutPart `json:"cut,omitempty"`
	// MoreCalls counts the calls omitted from Calls, by tool.
	MoreCalls map[string]CallCount `json:"more_calls,omitempty"`
	// MoreLedger counts the calls omitted from Ledger, by tool.
	MoreLedger map[string]int `json:"more_ledger,omitempty"`
	// Images is the number of images that follow as content, in the order of the notes that replace
	// them in the value.
	Images int `json:"images,omitempty"`
}

// CutPart is one part of a Result that was cut.
type CutPart struct {
	Characters int `json:"characters"`
	// Shape is the structure of the whole value, as in {commits: [64]{hash, author}, totalCount}.
	// It is empty for stdout.
	Shape  string `json:"shape,omitempty"`
	Stored string `json:"stored,omitempty"` // empty if it could not be kept
}

// CallCount counts the calls of a tool.
type CallCount struct {
	Calls  int `json:"calls"`
	Failed int `json:"failed,omitempty"`
}

// Bounds of an answer's calls, and of the text of each error.
const (
	maxCalls      = 20
	maxToolCounts = 20 // tools; the others are counted together
	maxCallError  = 500
	maxStopped    = 100 // pending calls, and unresolved ones
	otherTools    = "(other tools)"
)

// shorten keeps the first calls and counts the others. It cuts the arguments of pending and
// unresolved calls.
func (a *Answer) shorten() {
	a.Waiting = slices.Clone(a.Waiting[:min(len(a.Waiting), maxStopped)])
	for i := range a.Waiting {
		w := &a.Waiting[i]
		w.Args, w.Question = shorten.JSON(w.Args, maxCallError), shorten.JSON(w.Question, maxCallError)
	}
	a.Unknown = slices.Clone(a.Unknown[:min(len(a.Unknown), maxStopped)])
	for i := range a.Unknown {
		a.Unknown[i].Args = shorten.JSON(a.Unknown[i].Args, maxCallError)
	}
	all := a.Calls
	a.Calls = slices.Clone(all[:min(len(all), maxCalls)])
	for i := range a.Calls {
		if c := &a.Calls[i]; c.Error != nil {
			short := shorten.Text(*c.Error, maxCallError)
			c.Error = &short
		}
	}
	for _, c := range all[len(a.Calls):] {
		if a.MoreCalls == nil {
			a.MoreCalls = map[string]CallCount{}
		}
		tool := counted(a.MoreCalls, c.Tool)
		n := a.MoreCalls[tool]
		n.Calls++
		if c.Error != nil {
			n.Failed++
		}
		a.MoreCalls[tool] = n
	}
}

// counted returns the name that a tool is counted by.
func counted[V any](counts map[string]V, tool string) string {
	if _, ok := counts[tool]; !ok && len(counts) >= maxToolCounts {
		return otherTools
	}
	return tool
}

// ledgerLine is about how many characters a call in a ledger has without its arguments. leastArgs
// is the smallest share of its arguments.
const (
	ledgerLine = 150
	leastArgs  = 60
)

// shortenLedger cuts a dry run's ledger to about limit characters, and each call's arguments to
// their share. It returns the ledger in words.
func (a *Answer) shortenLedger(limit int) string {
	all := a.Ledger
	n := min(len(all), max(limit/(ledgerLine+leastArgs), 1))
	a.Ledger = slices.Clone(all[:n])
	sizes := make([]int, n)
	for i, u := range a.Ledger {
		sizes[i] = utf8.RuneCount(u.Args)
	}
	each := max(shorten.Level(sizes, limit-n*ledgerLine), leastArgs)
	for i := range a.Ledger {
		u := &a.Ledger[i]
		if sizes[i] > each {
			u.Args, u.Bytes = shorten.JSON(u.Args, each), len(u.Args)
		}
	}
	text := a.LedgerText()
	if n == len(all) {
		return text
	}
	a.MoreLedger = map[string]int{}
	for _, u := range all[n:] {
		a.MoreLedger[counted(a.MoreLedger, u.Tool)]++
	}
	var more []string
	for _, tool := range slices.Sorted(maps.Keys(a.MoreLedger)) {
		more = append(more, fmt.Sprintf("%s %d", tool, a.MoreLedger[tool]))
	}
	return text + fmt.Sprintf("  … and %d more: %s\n", len(all)-n, strings.Join(more, ", "))
}

// Bounds of the images of an answer.
const (
	maxImages     = 16
	maxImageBytes = 8 << 20
)

// answer converts a Result for a client. The first block of its content is the harness's, without
// text of the script. It ends with a line that announces the next block, which is the script's, so
// that a script cannot imitate a warning or a hint.
func (c *session) answer(res *outcome.Result) *mcp.CallToolResult {
	res.Lowered = ""
	a := &Answer{Result: *res}
	ledger := a.shortenLedger(c.s.opts.Answer / 2)
	value, images := takeImages(res.Value)
	a.Images = len(images)
	notes := c.cut(a, value, c.s.opts.Answer-utf8.RuneCountInString(ledger))
	out := &mcp.CallToolResult{IsError: failed(res), StructuredContent: a}
	output := a.Output()
	words := a.Words() + strings.Join(notes, "")
	// Errors and warnings are bounded one by one; this is for all of them.
	words, _ = shorten.HeadAndTail(words, max(c.s.opts.Answer-utf8.RuneCountInString(output), 0)+2000)
	words = ledger + words
	ok := res.Status == outcome.OK && !res.LookUp
	switch {
	case ok && output == "":
		words = "ok: the script returned and printed nothing\n" + words
	case ok:
		words += "ok; the script's output is the next block:\n"
	case output != "":
		words += "the script's output is the next block:\n"
	}
	a.shorten()
	for _, text := range []string{words, output} {
		if text != "" {
			out.Content = append(out.Content, &mcp.TextContent{Text: withoutControls(text)})
		}
	}
	for _, img := range images {
		out.Content = append(out.Content, img)
	}
	return out
}

// wantsUncut reports whether a request asks for the uncut Result.
func wantsUncut(req *mcp.CallToolRequest) bool {
	uncut, _ := req.Params.Meta[transport.WholeKey].(bool)
	return uncut
}

// uncut returns an uncut Result, see transport.WholeKey.
func uncut(res *outcome.Result) *mcp.CallToolResult {
	res.Lowered = ""
	shown := ""
	if res.LookUp {
		shown = res.Shown()
	}
	return &mcp.CallToolResult{
		IsError: failed(res), StructuredContent: res,
		Content: []mcp.Content{&mcp.TextContent{Text: shown}, &mcp.TextContent{Text: res.Problems(true, false)}},
	}
}

// withoutControls returns text as UTF-8 with escapes (\u001b) for characters that control a
// terminal or change the direction of text.
func withoutControls(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.ContainsFunc(text, controls) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		if controls(r) && !strings.HasPrefix(text[i:], "\r\n") {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func controls(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// failed reports whether a result is an error for a client. A pending run is not.
func failed(res *outcome.Result) bool {
	return res.Status != outcome.OK && res.Status != outcome.Waiting
}

// cut shortens the value and the output to a budget of characters, keeps the full texts, and
// returns notes about them.
func (c *session) cut(a *Answer, value json.RawMessage, budget int) (notes []string) {
	res := &a.Result
	if res.Status == outcome.OutputLimit { // an endless loop: its beginning and end suffice
		budget /= 10
	}
	complete := map[string]json.RawMessage{}
	if n := utf8.RuneCountInString(res.Stderr); n > budget/10 {
		res.Stderr, _ = shorten.HeadAndTail(res.Stderr, budget/10)
	}
	printed, have := utf8.RuneCountInString(res.Stdout), utf8.RuneCount(value)
	forValue := budget - min(printed, budget/4)
	a.Cut = map[string]CutPart{}
	if have > forValue {
		n := shorten.Parse(value)
		complete["value"], a.Cut["value"] = value, CutPart{Characters: have, Shape: shorten.Shape(n)}
		value = shorten.Cut(n, forValue)
	}
	full := res.Stdout
	var cut bool
	if res.Stdout, cut = shorten.HeadAndTail(full, budget-min(utf8.RuneCount(value), forValue)); cut {
		complete["stdout"], a.Cut["stdout"] = shorten.Quote(strings.ToValidUTF8(full, "\uFFFD")), CutPart{Characters: printed}
	}
	res.Value = value
	if len(complete) == 0 {
		a.Cut = nil
		return nil
	}
	for _, part := range []string{"value", "stdout"} {
		all, ok := complete[part]
		if !ok {
			continue
		}
		p := a.Cut[part]
		p.Stored = c.s.kept.keep(c.tenant(), c.keptFor(), all)
		how := "too large to keep: return less"
		if p.Stored != "" {
			how = fmt.Sprintf("a later script can read all of it: Stored(%q, &v)", p.Stored)
		}
		what := part + " cut"
		if p.Shape != "" {
			what += ": " + p.Shape
		}
		notes = append(notes, fmt.Sprintf("(%s; %d characters in all; %s)\n", what, p.Characters, how))
		a.Cut[part] = p
	}
	return notes
}

// takeImages replaces the images in a value by notes and returns them. An image is a block of MCP
// content with base64.
func takeImages(value json.RawMessage) (json.RawMessage, []*mcp.ImageContent) {
	var images []*mcp.ImageContent
	size := 0
	value = shorten.ReplaceImages(value, func(mimeType string, data []byte) string {
		if len(images) < maxImages && size+len(data) <= maxImageBytes {
			images = append(images, &mcp.ImageContent{MIMEType: mimeType, Data: data})
			size += len(data)
			return fmt.Sprintf("(image %d: %s, %d bytes)", len(images), mimeType, len(data))
		}
		return fmt.Sprintf("(image left out: %s, %d bytes)", mimeType, len(data))
	})
	return value, images
}
