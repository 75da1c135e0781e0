package lifetime

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestATerminalIsShownTextAndColoursOnly(t *testing.T) {
	for in, want := range map[string]string{
		"é\t\x1b[1;36mgit\x1b[0m\x1b[m\r\nx": "é\t\x1b[1;36mgit\x1b[0m\x1b[m\nx",
		"\x1b]0;title\a\u009b31m\x9b2J":      "\ufffd]0;title\ufffd\ufffd31m\ufffd2J",
		"\x1b[8mhidden\x1b[2Kover\rwritten":  "\ufffd[8mhidden\ufffd[2Kover written",
		"a\u202eb\u200bc\x00":                "a\ufffdbc\ufffd",
	} {
		if got := string(shown([]byte(in))); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestCharactersMayComeInParts(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &screen{f: f}
	for _, b := range []byte("é€😀x\xe2\x82y\xf0\x9f") {
		if n, err := s.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "é€😀x\ufffd\ufffdy" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestFilesGetAllBytes(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if Screen(f) != f {
		t.Error("a file is taken for a terminal")
	}
	var b bytes.Buffer
	if Screen(&b) != &b {
		t.Error("a buffer is taken for a terminal")
	}
}
