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

// Screen returns w, or where that is a terminal a writer that lets text,
// colours and the ends of lines through to it and nothing else that a terminal
// obeys: a tool's text, as a script prints it, may be meant for that. Files
// and pipes get all bytes as they are.
func Screen(w io.Writer) io.Writer {
	if f := Device(w); f != nil {
		return &screen{f: f}
	}
	return w
}

// screen is a terminal. Safe for concurrent use.
type screen struct {
	f *os.File

	mu   sync.Mutex
	rest string // the beginning of a character
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var whole string
	whole, s.rest = text.Whole(s.rest + string(b))
	if _, err := s.f.Write(shown([]byte(whole))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// colours are the escape sequences that are let through: none of them hides.
var colours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[(?:(?:[0-4]|[39][0-7])(?:;(?:[0-4]|[39][0-7]))*)?m")
})

// shown returns text as a terminal gets it.
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

// Device returns the terminal that w writes to, nil where it is none. What is
// written to it directly, the terminal obeys.
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
