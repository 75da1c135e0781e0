package present

import (
	"encoding/json"
	"slices"
	"time"
)

// Document is what a command, an answer to a model or a page shows: blocks in reading
// order. Each kind of fact (a run, a pending call, a list of tools) has one function that
// makes its Document; Terminal, Model and HTML write it.
//
// Texts of scripts, models and servers may stand anywhere in a Document. Each writer makes
// them safe for its medium: no text starts an escape sequence, an HTML element or a line
// that looks like one of ours.
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
	Href  string // an address of the console, for HTML; the other writers omit it
	// Time is a point in time that stands for the Text. People get it as local time, models
	// as UTC.
	Time time.Time
}

// Style says what a text is; each medium decides how it looks.
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

// Link returns words that lead to a place on a page. If page is empty, they are plain words.
func Link(style Style, text, page, place string) Text {
	if page == "" {
		return Words(style, text)
	}
	return Text{{Text: text, Style: style, Href: page + place}}
}

// Add returns the Text followed by another span.
func (t Text) Add(style Style, text string) Text { return append(t, Span{Text: text, Style: style}) }

// TimeText returns a Text that is a point in time.
func TimeText(t time.Time) Text { return Text{{Time: t}} }

// String returns the words without their styles.
func (t Text) String() string {
	s := ""
	for _, x := range t.in(time.UTC, time.RFC3339) {
		s += x.Text
	}
	return s
}

// in returns the Text with its times as words.
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

// Paragraph is a text of our own, wrapped to the width.
type Paragraph struct{ Text Text }

// Facts are names with values. A fact without a value is left out.
type Facts []Fact

// Fact is a name with its value, on one line. Whole wraps a long value instead of cutting it.
type Fact struct {
	Name  string
	Value Text
	Whole bool
}

// List is a list of short texts. At most Most are shown if it is positive; the writer counts
// the others, as Noun: "and 12 more calls".
type List struct {
	Items []Text
	Most  int
	Noun  string // singular; "" is "item"
}

// Table has rows of cells. Columns are as wide as their cells; where they do not fit, a
// terminal narrows the widest.
type Table struct {
	Columns []Column
	Rows    []Row
	Header  bool // show the titles of the columns on a terminal
	Inset   bool // indent it on a terminal, as a part of its section
}

// Column is a column of a Table. Numbers are aligned at the right.
type Column struct {
	Title  string
	Number bool
	Wrap   bool // break long cells into several lines instead of cutting them
	Least  int  // width at least, for tables of one row that stand below one another
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

// Row is a row of a Table. Below are texts under it; Quote is JSON of a script under it.
type Row struct {
	Cells []Text
	Below []Text
	Quote json.RawMessage
}

// Callout is a warning, an error or a remark, by its style.
type Callout struct {
	Style Style
	Title string
	Text  Text
}

// Code are lines of a script, numbered from First. Mark is the number of the line that is
// meant; 0 marks none.
type Code struct {
	First int
	Lines []string
	Mark  int
}

// Quote is a text of a script, a model or a server: all of it, set apart from our own words.
type Quote struct {
	Text string
	JSON bool // people see it indented, models compact
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

// Names of the templates of the blocks, see html.tmpl.
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
