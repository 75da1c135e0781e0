package present

import (
	"encoding/json"
	"slices"
	"time"
)

// Document is the content of a page, or of an answer to a person or a model: blocks in reading
// order. Each kind of fact (a run, a pending call, a list of tools) has one function that makes its
// Document; Terminal, Model and HTML write it.
//
// A Document may contain texts of scripts, models and servers anywhere. Each writer makes them safe
// for its medium: no text starts an escape sequence, an HTML element or a line that looks like
// ours.
type Document []Block

// Block is a part of a Document: Heading, Paragraph, Facts, List, Table, Callout, Code,
// Quote, Command, Contrast, UnifiedDiff or Timeline.
type Block interface {
	terminal(*page)
	model(*modelWriter)
	// Kind returns the name of the template that writes the block as HTML.
	Kind() string
}

// Text is a sequence of words, on one line or in one paragraph.
type Text []Span

// Span is a part of a Text with one style.
type Span struct {
	Text  string
	Style Style
	Href  string // an address in the console; only HTML has it
	// Time is a point in time that is written in place of Text: in local time for people, in UTC
	// for models.
	Time time.Time
}

// Style is the meaning of a text; each medium decides how it looks.
type Style string

// The styles.
const (
	Plain  Style = ""
	Strong Style = "strong"
	Dim    Style = "dim"
	Good   Style = "good"
	Warn   Style = "warn"
	Bad    Style = "bad"
	Accent Style = "accent"
	Mono   Style = "mono" // code, arguments, IDs
	Tool   Style = "tool" // the ID of a tool
)

// Words returns a Text in one style.
func Words(style Style, text string) Text { return Text{{Text: text, Style: style}} }

// Link returns a link to a place on a page. If page is empty, it returns plain words.
func Link(style Style, text, page, place string) Text {
	if page == "" {
		return Words(style, text)
	}
	return Text{{Text: text, Style: style, Href: page + place}}
}

// Add returns the Text followed by a span.
func (t Text) Add(style Style, text string) Text { return append(t, Span{Text: text, Style: style}) }

// TimeText returns a Text that shows a point in time.
func TimeText(t time.Time) Text { return Text{{Time: t}} }

// String returns the words without styles.
func (t Text) String() string {
	s := ""
	for _, x := range t.in(time.UTC, time.RFC3339) {
		s += x.Text
	}
	return s
}

// in returns the Text with its times replaced by words.
func (t Text) in(zone *time.Location, layout string) Text {
	out := slices.Clone(t)
	for i, x := range out {
		if !x.Time.IsZero() {
			out[i].Text, out[i].Time = x.Time.In(zone).Format(layout), time.Time{}
		}
	}
	return out
}

// Heading is the title of a document (level 1) or of a section (level 2).
type Heading struct {
	Level int
	Text  Text
}

// Paragraph is a text of the harness, wrapped to the width.
type Paragraph struct{ Text Text }

// Facts are names with values. A fact without a value is omitted.
type Facts []Fact

// Fact is a name with its value, on one line. Wrap wraps a long value instead of cutting it.
type Fact struct {
	Name  string
	Value Text
	Wrap  bool
}

// List is a list of short texts. If Most is positive, at most that many are shown, and the rest is
// counted with Noun: "and 12 more calls".
type List struct {
	Items []Text
	Most  int
	Noun  string // singular; "" is "item"
}

// Table has rows of cells. Columns are as wide as their cells; a terminal narrows the widest
// columns if the table does not fit.
type Table struct {
	Columns []Column
	Rows    []Row
	Header  bool // show the titles of the columns on a terminal
	Inset   bool // indent it on a terminal, as a part of its section
}

// Column is a column of a Table. Number aligns it at the right.
type Column struct {
	Title  string
	Number bool
	Wrap   bool // break long cells into several lines instead of cutting them
	Least  int  // the minimum width; it aligns tables of one row that follow each other
}

// Columns returns columns with these titles.
func Columns(titles ...string) []Column {
	out := make([]Column, len(titles))
	for i, title := range titles {
		out[i].Title = title
	}
	return out
}

// Cells returns a row of cells without style.
func Cells(cells ...string) Row {
	out := Row{Cells: make([]Text, len(cells))}
	for i, cell := range cells {
		out.Cells[i] = Words(Plain, cell)
	}
	return out
}

// Row is a row of a Table. Below are texts under it; Quote is JSON under it, from a script.
type Row struct {
	Cells []Text
	Below []Text
	Quote json.RawMessage
}

// Callout is a warning, an error or a remark, depending on its style.
type Callout struct {
	Style Style
	Title string
	Text  Text
}

// Code is a part of a script, numbered from First. Mark is the number of the marked line, or 0.
type Code struct {
	First int
	Lines []string
	Mark  int
}

// Quote is a complete text of a script, a model or a server, set apart from text of the harness.
type Quote struct {
	Text string
	JSON bool // indented for people, compact for models
}

// Command is a command to paste.
type Command struct{ Line string }

// Contrast is a value that differs between two runs, A and B.
type Contrast struct {
	Name string
	A, B string
}

// UnifiedDiff is a difference of two texts in unified format.
type UnifiedDiff struct{ Text string }

// Kind returns the name of the block's template, see html.tmpl.
func (*Heading) Kind() string     { return "heading" }
func (*Paragraph) Kind() string   { return "paragraph" }
func (Facts) Kind() string        { return "facts" }
func (*List) Kind() string        { return "list" }
func (*Table) Kind() string       { return "table" }
func (*Callout) Kind() string     { return "callout" }
func (*Code) Kind() string        { return "code" }
func (*Quote) Kind() string       { return "quote" }
func (*Command) Kind() string     { return "command" }
func (*Contrast) Kind() string    { return "contrast" }
func (*UnifiedDiff) Kind() string { return "diff" }
