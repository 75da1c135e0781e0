package present

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// tab is the displayed width of a tab.
const tab = 4

// Visible returns untrusted text as one line of at most limit characters that is safe to show. It
// escapes control characters and invisible characters; in ASCII, also all others beyond ASCII.
func Visible(text string, limit int, ascii bool) string {
	var b strings.Builder
	n, limit := 0, max(limit, 1)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		shown := escape(r, text[i:i+size], ascii)
		n += utf8.RuneCountInString(shown)
		if n > limit || n == limit && i+size < len(text) {
			return cutTo(b.String(), limit, "…", ascii)
		}
		b.WriteString(shown)
		i += size
	}
	return b.String()
}

// cutTo returns the beginning of a text, shortened to make room for a mark at its end.
func cutTo(s string, most int, mark string, ascii bool) string {
	if ascii {
		mark = strings.ReplaceAll(mark, "…", "...")
	}
	return text.First(s, most-utf8.RuneCountInString(mark)) + mark
}

// escape returns a character as it is shown.
func escape(r rune, raw string, ascii bool) string {
	switch {
	case r == utf8.RuneError && len(raw) <= 1:
		return fmt.Sprintf(`\x%02x`, raw)
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < ' ' || r == 0x7F:
		return fmt.Sprintf(`\x%02x`, r)
	case r < utf8.RuneSelf:
		return raw
	case ascii && r == '…':
		return "..."
	case ascii && r == '→':
		return "->"
	case ascii || registry.Invisible(r) || !unicode.IsPrint(r):
		if r > 0xFFFF {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	}
	return raw
}

// untabbed replaces tabs by spaces.
func untabbed(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for _, r := range line {
		n := 1
		if r == '\t' {
			n, r = tab-column%tab, ' '
			b.WriteString(strings.Repeat(" ", n-1))
		}
		b.WriteRune(r)
		column += n
	}
	return b.String()
}

// Duration formats a number of ms with its significant digits.
func Duration(ms float64) string {
	switch s := ms / 1000; {
	case ms < 9.95:
		return fmt.Sprintf("%.1f ms", max(ms, 0))
	case ms < 999.5:
		return fmt.Sprintf("%.0f ms", ms)
	case s < 9.995:
		return fmt.Sprintf("%.2f s", s)
	case s < 99.95:
		return fmt.Sprintf("%.1f s", s)
	case s < 600:
		return fmt.Sprintf("%d min %d s", int(s)/60, int(s)%60)
	case s < 60*60:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 48*60*60:
		return fmt.Sprintf("%d h %d min", int(s)/3600, int(s)/60%60)
	default:
		return fmt.Sprintf("%.0f days", s/86400)
	}
}

// size formats a number of bytes.
func size(n int) string {
	switch f := float64(n); {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case f < 99.95e3:
		return fmt.Sprintf("%.1f kB", f/1e3)
	case f < 999.5e3:
		return fmt.Sprintf("%.0f kB", f/1e3)
	case f < 999.5e6:
		return fmt.Sprintf("%.1f MB", f/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
