package manifest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/registry/backend"
)

// verifyTimeout bounds one verify command, which only prints a version.
const verifyTimeout = 10 * time.Second

// program identifies a tool's program on this machine.
type program struct {
	path       string // of the executable
	verify     string
	minVersion string
}

// verify locates all programs and runs each verify command once. It returns reasons in the order
// of the tools, nil for those that can be called.
func (m *manifest) verify(ctx context.Context, tools []tool) []error {
	reasons := make([]error, len(tools))
	slots := make(chan struct{}, verifying)
	var wg sync.WaitGroup
	for i, t := range tools {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, reasons[i] = m.find(ctx, t, true)
		})
	}
	wg.Wait()
	return reasons
}

// find returns the path of a tool's program, or the reason why it is unusable. It repeats an
// earlier successful verification only if again is true.
func (m *manifest) find(ctx context.Context, t tool, again bool) (string, error) {
	path, err := m.locate(t)
	if err != nil {
		return "", err
	}
	p := program{path, t.Verify, t.MinVersion}
	m.mu.Lock()
	good := m.verified[p]
	m.mu.Unlock()
	if good && !again {
		return path, nil
	}
	if err := m.check(ctx, t); err != nil {
		return "", err
	}
	m.mu.Lock()
	m.verified[p] = true
	m.mu.Unlock()
	return path, nil
}

// locate returns the executable of a tool: its command, otherwise its id, otherwise the program
// that prints the version.
func (m *manifest) locate(t tool) (string, error) {
	names := []string{t.ID}
	if verify, err := split(t.Verify); err == nil && len(verify) == 2 {
		names = append(names, verify[0])
	}
	if t.Command != "" {
		names = []string{t.Command}
	}
	for _, name := range names {
		if path, err := m.look(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("the program %q is not installed; install it, or name it as \"command\" in the manifest",
		names[0])
}

// look finds an executable in PATH, or relative to the manifest if the name has a slash.
func (m *manifest) look(name string) (string, error) {
	if strings.ContainsAny(name, `/`+string(filepath.Separator)) && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(m.server.Path), filepath.FromSlash(name))
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// check runs the verify command and compares the version that it prints.
func (m *manifest) check(ctx context.Context, t tool) error {
	if t.Verify == "" {
		if t.MinVersion != "" {
			return fmt.Errorf("it requires version %s, but has no verify command to check that", t.MinVersion)
		}
		return nil
	}
	words, err := split(t.Verify)
	if err != nil {
		return fmt.Errorf("verify %q: %w", t.Verify, err)
	}
	path, err := m.look(words[0])
	if err != nil {
		return fmt.Errorf("verify %q: the program %q is not installed", t.Verify, words[0])
	}
	dir, err := m.folder("")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	out, err := run(ctx, nil, path, words[1:], "", dir)
	switch {
	case err != nil:
		return fmt.Errorf("verify %q: %w", t.Verify, err)
	case out.ExitCode != 0:
		return fmt.Errorf("verify %q exited with %d: %.200s", t.Verify, out.ExitCode, strings.TrimSpace(out.Stderr))
	case t.MinVersion == "":
		return nil
	}
	got := version(out.Stdout)
	if got == "" {
		got = version(out.Stderr)
	}
	if got == "" {
		return fmt.Errorf("verify %q printed no version, want at least %s", t.Verify, t.MinVersion)
	}
	if older(got, t.MinVersion) {
		return fmt.Errorf("its version is %s, want at least %s", got, t.MinVersion)
	}
	return nil
}

// unavailable returns the error of a call for a reason.
func (m *manifest) unavailable(tool string, reason error) error {
	return fmt.Errorf("server %q: calling %q: %w: %w", m.server.Name, tool, backend.ErrUnavailable, reason)
}

// split splits a command line into words at spaces outside of quotes. It knows no other syntax,
// because no shell reads it.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is never closed", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("no words")
	}
	return words, nil
}

// version returns the first dotted number in a text, or the first number.
func version(text string) string {
	first := ""
	for i := 0; i < len(text); i++ {
		if !digit(text[i]) {
			continue
		}
		n := i
		for n < len(text) && (digit(text[n]) || text[n] == '.' && n+1 < len(text) && digit(text[n+1])) {
			n++
		}
		if strings.Contains(text[i:n], ".") {
			return text[i:n]
		}
		if first == "" {
			first = text[i:n]
		}
		i = n
	}
	return first
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// older reports whether version a is before version b, number by number. A missing part counts as
// 0, and text after the numbers of b is ignored.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(version(b), ".")
	for i := range max(len(as), len(bs)) {
		x, y := part(as, i), part(bs, i)
		if x != y {
			return x < y
		}
	}
	return false
}

func part(parts []string, i int) uint64 {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.ParseUint(parts[i], 10, 64) // a part that is too long is the largest number
	return n
}
