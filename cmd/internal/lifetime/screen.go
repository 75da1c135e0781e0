package lifetime

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"sync"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Screen returns a writer that is safe for untrusted text. If w is a terminal, it passes
// only text, colours and line ends, since a tool's text may contain other escape
// sequences that a terminal obeys. Files and pipes receive all bytes unchanged.
func Screen(w io.Writer) io.Writer {
	if f := Device(w); f != nil {
		return &screen{f: f}
	}
	return w
}

// screen is a terminal. It is safe for concurrent use.
type screen struct {
	f *os.File

	mu   sync.Mutex
	rest string // an incomplete UTF-8 sequence
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var complete string
	complete, s.rest = text.CompleteRunes(s.rest + string(b))
	if _, err := s.f.Write(shown([]byte(complete))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// colours matches the permitted escape sequences: none of them hides text.
var colours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[(?:(?:[0-4]|[39][0-7])(?:;(?:[0-4]|[39][0-7]))*)?m")
})

// shown returns the text that the terminal receives.
func shown(b []byte) []byte {
	out, at := make([]byte, 0, len(b)), 0
	add := func(b []byte) {
		// A carriage return at the end of a line does nothing.
		text := string(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")))
		out = append(out, registry.PrintableText(text, len(text))...)
	}
	for _, m := range colours().FindAllIndex(b, -1) {
		add(b[at:m[0]])
		out, at = append(out, b[m[0]:m[1]]...), m[1]
	}
	add(b[at:])
	return out
}

// Device returns the terminal that w writes to, or nil if w is not a terminal. A write to
// it is not filtered.
func Device(w io.Writer) *os.File {
	switch w := w.(type) {
	case *Output:
		return Device(w.w)
	case *screen:
		return w.f
	case *os.File:
		if info, err := w.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return w
		}
	}
	return nil
}
