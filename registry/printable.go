package registry

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/usetools/usetools/registry/text"
)

// Limits of the shown texts of servers, in characters.
const (
	maxShownTitle = 200
	maxShownText  = 16 << 10 // a description, instructions
	maxShownError = 2000
)

// Invisible reports whether a character is not visible by itself: zero-width characters,
// variation selectors, tags. A text may hide words in them.
func Invisible(r rune) bool {
	return r > unicode.MaxASCII && !unicode.Is(unicode.Bidi_Control, r) &&
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// hostile reports whether a character must be replaced before it is shown: it is invisible,
// controls a terminal or changes the direction of text.
func hostile(r rune) bool { return Invisible(r) || r != ' ' && !unicode.IsPrint(r) }

// ShellWord returns text as one shell word, quoted if necessary. Names of tools and servers occur
// in commands that people copy.
func ShellWord(text string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_./:@+-", r)
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Command returns a function that writes a harness command: its arguments, then flags,
// quoted for a shell. With absolute paths in flags, the command runs from any folder.
func Command(flags ...string) func(args ...string) string {
	return func(args ...string) string {
		line := "harness"
		for _, word := range slices.Concat(args, flags) {
			line += " " + ShellWord(word)
		}
		return line
	}
}

// Printable returns text from a server or a file in a form that is safe on one line of a
// terminal: cut to limit characters, without invisible ones, and with U+FFFD for others that do
// not print or change the direction of text.
func Printable(text string, limit int) string {
	return printable(text, limit, func(rune) bool { return false })
}

// PrintableText is Printable for a text that may have several lines.
func PrintableText(text string, most int) string {
	return printable(text, most, func(r rune) bool { return r == '\n' || r == '\t' })
}

// isPlain reports whether a text has only printable ASCII characters and those that keep accepts.
func isPlain(text string, keep func(rune) bool) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && !keep(rune(c)) || c >= 0x7F {
			return false
		}
	}
	return true
}

func printable(s string, most int, keep func(rune) bool) string {
	if len(s) <= most && isPlain(s, keep) {
		return s // true of nearly all
	}
	if head := text.First(s, most); head != s {
		s = head + "…"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case keep(r) || !hostile(r):
			return r
		case Invisible(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return utf8.RuneError
	}, s)
}

// PrintableJSON returns raw with \u escapes for the characters that Printable would replace. The
// value is unchanged.
func PrintableJSON(raw []byte) []byte {
	return escaped(raw, func(b []byte, r rune) []byte {
		if r > 0xFFFF {
			high, low := utf16.EncodeRune(r)
			b, r = fmt.Appendf(b, `\u%04x`, high), low
		}
		return fmt.Appendf(b, `\u%04x`, r)
	})
}

// PrintableGo is PrintableJSON for Go source, which may have such characters in literals and
// comments.
func PrintableGo(source []byte) []byte {
	return escaped(source, func(b []byte, r rune) []byte {
		if r > 0xFFFF {
			return fmt.Appendf(b, `\U%08x`, r)
		}
		return fmt.Appendf(b, `\u%04x`, r)
	})
}

func escaped(text []byte, escape func([]byte, rune) []byte) []byte {
	bad := func(r rune) bool { return r >= 0x7F && hostile(r) && r != utf8.RuneError }
	at := plainBytes(text)
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		if bad(r) {
			break
		}
		at += n
		at += plainBytes(text[at:])
	}
	if at == len(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if bad(r) {
			out = escape(out, r)
		} else {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

// plainBytes returns how many bytes at the beginning of a text are below 0x7F.
func plainBytes(text []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	at := 0
	// Eight bytes at a time: the top bit of a byte is set if it is above 0x7F, and adding 1 sets
	// it for 0x7F.
	for ; len(text)-at >= 8; at += 8 {
		if x := binary.LittleEndian.Uint64(text[at:]); (x|(x+ones))&tops != 0 {
			break
		}
	}
	for at < len(text) && text[at] < 0x7F {
		at++
	}
	return at
}

// Quoted returns text with "| " before each line after the first, so that no line looks like one
// of this program.
func Quoted(text string) string { return strings.ReplaceAll(text, "\n", "\n| ") }

// Printable returns the registry for showing: its texts are bounded and have no unprintable
// characters. It returns r if nothing changes. Save r, not the result, because hashes cover what
// servers sent.
func (r *Registry) Printable() *Registry {
	out := *r
	out.Tools, out.Servers = nil, nil
	for i, t := range r.printableTools() {
		if t == nil {
			continue
		}
		if out.Tools == nil {
			out.Tools = append(out.Tools, r.Tools...)
		}
		out.Tools[i] = *t
	}
	for i := range r.Servers {
		if s := r.Servers[i].printable(); s != nil {
			if out.Servers == nil {
				out.Servers = append(out.Servers, r.Servers...)
			}
			out.Servers[i] = *s
		}
	}
	if out.Tools == nil && out.Servers == nil {
		return r
	}
	if out.Tools == nil {
		out.Tools = r.Tools
	}
	if out.Servers == nil {
		out.Servers = r.Servers
	}
	return &out
}

// printableTools returns the result of printable for each tool, on all processors.
func (r *Registry) printableTools() []*Tool {
	shown := make([]*Tool, len(r.Tools))
	var group errgroup.Group
	share := max(64, len(r.Tools)/runtime.GOMAXPROCS(0)+1)
	for from := 0; from < len(r.Tools); from += share {
		group.Go(func() error {
			for i := from; i < min(from+share, len(r.Tools)); i++ {
				shown[i] = r.Tools[i].printable()
			}
			return nil
		})
	}
	_ = group.Wait()
	return shown
}

// isPlain reports whether printable would change nothing, as is true of nearly all tools.
func (t *Tool) isPlain() bool {
	never, inText := func(rune) bool { return false }, func(r rune) bool { return r == '\n' || r == '\t' }
	return len(t.Title) <= maxShownTitle && isPlain(t.Title, never) &&
		len(t.Category) <= maxShownTitle && isPlain(t.Category, never) &&
		len(t.Description) <= maxShownText && isPlain(t.Description, inText) &&
		len(t.Error) <= maxShownError && isPlain(t.Error, inText) &&
		plainBytes(t.Input) == len(t.Input) && plainBytes(t.Output) == len(t.Output) &&
		(t.Annotations == nil || len(t.Annotations.Title) <= maxShownTitle && isPlain(t.Annotations.Title, never)) &&
		len(t.Examples) == 0
}

// printable returns the tool for showing, or nil if nothing changes.
func (t *Tool) printable() *Tool {
	if t.isPlain() {
		return nil
	}
	c := *t
	c.Title, c.Category = Printable(t.Title, maxShownTitle), Printable(t.Category, maxShownTitle)
	c.Description, c.Error = PrintableText(t.Description, maxShownText), PrintableText(t.Error, maxShownError)
	c.Input, c.Output = PrintableJSON(t.Input), PrintableJSON(t.Output)
	changed := c.Title != t.Title || c.Category != t.Category || c.Description != t.Description || c.Error != t.Error ||
		len(c.Input) != len(t.Input) || len(c.Output) != len(t.Output)
	if t.Annotations != nil {
		if title := Printable(t.Annotations.Title, maxShownTitle); title != t.Annotations.Title {
			a := *t.Annotations
			a.Title, c.Annotations, changed = title, &a, true
		}
	}
	c.Examples = nil
	for _, e := range t.Examples {
		p := PrintableJSON(e)
		changed = changed || len(p) != len(e)
		c.Examples = append(c.Examples, p)
	}
	if !changed {
		return nil
	}
	return &c
}

func (s *Server) printable() *Server {
	c := *s
	c.Title, c.Version = Printable(s.Title, maxShownTitle), Printable(s.Version, maxShownTitle)
	c.Instructions = PrintableText(s.Instructions, maxShownText)
	changed := c.Title != s.Title || c.Version != s.Version || c.Instructions != s.Instructions
	if s.Error != nil {
		if text := PrintableText(*s.Error, maxShownError); text != *s.Error {
			c.Error, changed = &text, true
		}
	}
	c.Problems = nil
	for _, p := range s.Problems {
		text := Printable(p, maxShownError)
		changed = changed || text != p
		c.Problems = append(c.Problems, text)
	}
	c.Skills = nil
	for _, k := range s.Skills {
		shown := k.printable()
		changed = changed || shown != k
		c.Skills = append(c.Skills, shown)
	}
	if !changed {
		return nil
	}
	return &c
}
