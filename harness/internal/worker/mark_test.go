package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// heard is what a Printed was told.
type heard struct {
	mu    sync.Mutex
	lines []int
	texts []string
}

func (h *heard) print(at time.Time, line int, text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.lines); n > 0 && h.lines[n-1] == line {
		h.texts[n-1] += string(text)
		return
	}
	h.lines, h.texts = append(h.lines, line), append(h.texts, string(text))
}

func (h *heard) String() string {
	var b strings.Builder
	for i, line := range h.lines {
		fmt.Fprintf(&b, "%d %q\n", line, h.texts[i])
	}
	return b.String()
}

func TestPrintedTextHasItsLine(t *testing.T) {
	script := `n := 2
fmt.Println("one", n)
fmt.Print("a")
fmt.Printf("b%d\n", n)
fmt.Fprintln(os.Stdout, "c")
io.WriteString(os.Stdout, "d\n")
os.Stdout.WriteString("e\n")
os.Stdout.Write([]byte("f\n"))
w := bufio.NewWriter(os.Stdout)
fmt.Fprintln(w, "g")
w.Flush()
json.NewEncoder(os.Stdout).Encode(1)
log.New(os.Stdout, "h: ", 0).Printf("%d", n)
say := fmt.Println
for range 2 {
	say("i")
}
func() { defer fmt.Println("j") }()
var wg sync.WaitGroup
wg.Go(func() {
	fmt.Println("k")
})
wg.Wait()
fmt.Print()
os.Stdout = os.Stderr
fmt.Println("l")
println("m", n)
print("n\n")
log.SetFlags(0)
log.Println("o")
log.Print("p")
fmt.Fprint(os.Stderr, "q\n")
fmt.Fprint(io.Discard, "r\n")
Return(fmt.Sprint(fmt.Println("s")))
log.Fatal("t")
`
	var out, errs heard
	o, err := Run(t.Context(), &Script{Source: script}, &shop{}, &Options{Stdout: out.print, Stderr: errs.print})
	if err != nil || o.Exit != 1 || string(o.Value) != `"2 <nil>"` {
		t.Fatal(o, err)
	}
	want := `2 "one 2\n"
3 "a"
4 "b2\n"
5 "c\n"
6 "d\n"
7 "e\n"
8 "f\n"
0 "g\n1\n"
13 "h: 2\n"
14 "i\ni\n"
18 "j\n"
21 "k\n"
`
	wantErrs := `26 "l\n"
27 "m 2\n"
28 "n\n"
30 "o\n"
31 "p\n"
32 "q\n"
34 "s\n"
35 "t\n"
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("stdout: %s", d)
	}
	if d := cmp.Diff(wantErrs, errs.String()); d != "" {
		t.Errorf("stderr: %s", d)
	}
	if o.Stdout != strings.Join(out.texts, "") || o.Stderr != strings.Join(errs.texts, "") {
		t.Errorf("%q and %q", o.Stdout, o.Stderr)
	}
	plain, err := Run(t.Context(), &Script{Source: script}, &shop{}, nil)
	if err != nil || plain.Stdout != o.Stdout || plain.Stderr != o.Stderr {
		t.Errorf("%q and %q where nobody wants to know lines, %v", plain.Stdout, plain.Stderr, err)
	}
}

var testMark = []byte("\x00mark!")

func head(line, size int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(bytes.Clone(testMark), uint64(line)), uint64(size))
}

func marked(line int, text string) string { return string(head(line, len(text))) + text }

// heardOf is what a stream of these parts, of a script of 100 lines, comes to.
func heardOf(parts []string, most int) (*heard, *capture, error) {
	h := &heard{}
	c := &capture{left: newAllowance(most), also: h.print, onCut: func() {}, mark: testMark, lines: 100}
	for _, p := range parts {
		if err := c.add([]byte(p)); err != nil {
			return h, c, err
		}
	}
	c.rest()
	return h, c, nil
}

// A worker may write what it likes into its streams.
func TestMarksAreNotBelieved(t *testing.T) {
	huge := string(binary.AppendUvarint(binary.AppendUvarint(bytes.Clone(testMark), 1<<60), 1<<60))
	for name, c := range map[string]struct{ stream, want string }{
		"text":                       {"one\ntwo", `0 "one\ntwo"`},
		"lines":                      {marked(3, "a") + marked(100, "b"), `3 "a"|100 "b"`},
		"a line twice":               {marked(3, "a") + marked(3, "b"), `3 "ab"`},
		"between text":               {"x" + marked(3, "a") + "y", `0 "x"|3 "a"|0 "y"`},
		"a line that is not there":   {marked(101, "a") + marked(1<<30, "b"), `0 "ab"`},
		"numbers out of range":       {huge + "a", fmt.Sprintf("0 %q", huge+"a")},
		"not a text":                 {string(head(3, 0)) + "a 0123456789", fmt.Sprintf("0 %q", string(head(3, 0))+"a 0123456789")},
		"less text than it says":     {string(head(3, 1000)) + "a", `3 "a"`},
		"a mark in text":             {marked(3, "a"+marked(4, "b")), fmt.Sprintf("3 %q", "a"+marked(4, "b"))},
		"the end in a head":          {"a" + string(head(3, 5)[:7]), `0 "a"`},
		"the beginning of a mark":    {"a\x00ma b\x00", `0 "a\x00ma b\x00"`},
		"the end in a mark":          {"a\x00ma", `0 "a\x00ma"`},
		"beginnings of marks":        {"\x00\x00\x00mark?\x00" + marked(7, "z"), `0 "\x00\x00\x00mark?\x00"|7 "z"`},
		"a mark and what is no head": {string(testMark) + strings.Repeat("\xff", 20), fmt.Sprintf("0 %q", string(testMark)+strings.Repeat("\xff", 20))},
	} {
		want := strings.ReplaceAll(c.want, "|", "\n") + "\n"
		for n := 1; n <= len(c.stream); n++ { // however it is cut
			var parts []string
			for rest := c.stream; rest != ""; {
				k := min(n, len(rest))
				parts, rest = append(parts, rest[:k]), rest[k:]
			}
			h, _, err := heardOf(parts, 1<<20)
			if err != nil || h.String() != want {
				t.Errorf("%s, in parts of %d bytes: got %s, want %s, %v", name, n, h, want, err)
				break
			}
		}
	}
}

func TestMarksDoNotCountAsOutput(t *testing.T) {
	_, c, err := heardOf([]string{marked(1, "12345"), marked(2, "67890")}, 10)
	if err != nil || c.String() != "1234567890" || c.cut {
		t.Errorf("%q, %v", c.String(), err)
	}
	h, c, err := heardOf([]string{marked(1, "12345") + marked(2, "678901")}, 10)
	if !errors.Is(err, errOutputLimit) || c.String() != "1234567890" || h.String() != "1 \"12345\"\n2 \"67890\"\n" {
		t.Errorf("%q, %s, %v", c.String(), h, err)
	}
}

// FuzzMarks gives streams to the parent, cut in some way: what is told is what is kept,
// and lines are the script's. What has no mark stays as it is.
func FuzzMarks(f *testing.F) {
	f.Add([]byte("a"+marked(3, "b")+"c"), 1)
	f.Add(head(3, 100), 2)
	f.Add([]byte("\x00\x00mark"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, n int) {
		cut := rand.New(rand.NewSource(int64(n)))
		var parts []string
		for rest := string(stream); rest != ""; {
			k := 1 + cut.Intn(len(rest))
			parts, rest = append(parts, rest[:k]), rest[k:]
		}
		h, c, err := heardOf(parts, 1000)
		if told := strings.Join(h.texts, ""); told != c.text.String() || len(told) > 1000 {
			t.Errorf("told %q, kept %q", told, c.text.String())
		}
		for _, line := range h.lines {
			if line < 0 || line > 100 {
				t.Errorf("line %d", line)
			}
		}
		whole, _, _ := heardOf([]string{string(stream)}, 1000)
		if whole.String() != h.String() && err == nil {
			t.Errorf("in parts %s, whole %s", h, whole)
		}
		if err == nil && !bytes.Contains(stream, testMark) && strings.Join(h.texts, "") != string(stream) {
			t.Errorf("%q came out as %q", stream, h.texts)
		}
	})
}
