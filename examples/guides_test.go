package examples_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/examples/internal/built"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

// TestGuides runs the steps of each guide in its own folder, in order:
//
//   - a code block with a file name behind its language ("```go order.go") is written to that file;
//   - each line "$ COMMAND" of a console block is run by sh, with the lines "> …" below it; the
//     other lines are the expected output, in which "…" stands for any text;
//   - a command that ends with "&" runs until the guide ends; the next one starts after its output.
//
// IDs of runs in a guide stand for the IDs of the real runs, its addresses for those of the test.
func TestGuides(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the guides use sh")
	}
	guides, err := filepath.Glob("../cmd/harness/help/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatal("no guides", err)
	}
	for _, guide := range guides {
		t.Run(strings.TrimSuffix(filepath.Base(guide), ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(guide)
			if err != nil {
				t.Fatal(err)
			}
			newGuideRun(t).run(string(text))
		})
	}
}

// guideRun is one guide under test.
type guideRun struct {
	t       *testing.T
	dir     string
	env     []string
	ids     map[string]string // real run IDs by the IDs in the guide
	url     string            // of the server, for guideAddress
	cluster string            // URL of a NATS server, once a guide needs guideCluster
}

const (
	guideAddress = "127.0.0.1:7337"
	guideCluster = "nats://127.0.0.1:4222"
)

var (
	runID         = regexp.MustCompile(`\b[0-9][a-z][0-9a-z]{8}\b`)
	exampleServer = regexp.MustCompile(`go run \./(examples/servers/\w+)`)
	exampleJSON   = regexp.MustCompile(`"go", "args": \["run", "\./(examples/servers/\w+)"(?:, )?`)
)

func newGuideRun(t *testing.T) *guideRun {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g := &guideRun{t: t, dir: t.TempDir(), ids: map[string]string{}, url: l.Addr().String()}
	home := t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "USETOOLS_") && !strings.HasPrefix(name, "XDG_") && name != "HOME" {
			g.env = append(g.env, v)
		}
	}
	bin := filepath.Join(home, "bin")
	for _, folder := range []string{bin, filepath.Join(g.dir, ".git")} { // as at the top of a repository
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"harness", "build-registry"} {
		if err := os.Symlink(built.Program(t, "cmd/"+program), filepath.Join(bin, program)); err != nil {
			t.Fatal(err)
		}
	}
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	workspace := filepath.Join(home, "go.work") // programs of guides import this module
	if err := os.WriteFile(workspace, []byte("go 1.26.0\nuse "+repository+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output() // they are in the real home
	if err != nil {
		t.Fatal(err)
	}
	cache := strings.Fields(string(caches))
	g.env = append(g.env, "GOCACHE="+cache[0], "GOMODCACHE="+cache[1], "GOWORK="+workspace, "HOME="+home, "PWD="+g.dir, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return g
}

// run takes the steps of a guide.
func (g *guideRun) run(guide string) {
	lines := strings.Split(guide, "\n")
	for i := 0; i < len(lines); i++ {
		fence, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		from := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		language, file, hasFile := strings.Cut(fence, " ")
		switch {
		case hasFile:
			g.write(file, strings.Join(lines[from:i], "\n")+"\n")
		case language == "console":
			g.console(from, lines[from:i])
		}
	}
}

func (g *guideRun) write(file, text string) {
	path := filepath.Join(g.dir, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		g.t.Fatal(err)
	}
	text = exampleJSON.ReplaceAllStringFunc(text, func(s string) string {
		return `"` + built.Program(g.t, exampleJSON.FindStringSubmatch(s)[1]) + `", "args": [`
	})
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, guideAddress, g.url)), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// console runs the commands of a block that begins at a line of the guide.
func (g *guideRun) console(line int, lines []string) {
	for i := 0; i < len(lines); {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			g.t.Fatalf("line %d: output without a command", line+i+1)
		}
		at := line + i + 1
		for i++; i < len(lines) && strings.HasPrefix(lines[i], "> "); i++ {
			command += "\n" + lines[i][2:]
		}
		from := i
		for ; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
		}
		g.step(at, command, strings.Join(lines[from:i], "\n"))
	}
}

func (g *guideRun) step(line int, command, want string) {
	for id, real := range g.ids {
		command = strings.ReplaceAll(command, id, real)
	}
	command = exampleServer.ReplaceAllStringFunc(command, func(s string) string {
		return built.Program(g.t, exampleServer.FindStringSubmatch(s)[1])
	})
	if strings.Contains(command, guideCluster) {
		if g.cluster == "" {
			g.cluster = clustertest.Server(g.t)
		}
		command = strings.ReplaceAll(command, guideCluster, g.cluster)
	}
	command, background := strings.CutSuffix(strings.ReplaceAll(command, guideAddress, g.url), " &")
	if background {
		command = "exec " + command // so that the signal reaches it
	}
	cmd := exec.CommandContext(g.t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = g.dir, g.env
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	if !background {
		_ = cmd.Wait() // the guide shows a failure by its output
		if !g.matches(want, out.String()) {
			g.t.Errorf("line %d: %s\nwant:\n%s\ngot:\n%s", line, command, want, out.String())
		}
		return
	}
	g.t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	for ; !g.matches(want, out.String()); out.wait(g.t) {
	}
}

// matches compares the output of a command with that in the guide, and learns run IDs from it.
func (g *guideRun) matches(want, got string) bool {
	want, got = strings.TrimSpace(strings.ReplaceAll(want, guideAddress, g.url)), strings.TrimSpace(got)
	if want == "" {
		return true
	}
	pattern := regexp.QuoteMeta(want)
	ids := runID.FindAllString(pattern, -1)
	pattern = runID.ReplaceAllString(pattern, `([0-9a-z]{10})`)
	pattern = strings.ReplaceAll(pattern, "…", "(?s:.*?)")
	m := regexp.MustCompile(`^` + pattern + `$`).FindStringSubmatch(got)
	if m == nil {
		return false
	}
	for i, id := range ids {
		g.ids[id] = m[i+1]
	}
	return true
}

// lockedBuffer keeps what a command in the background has written.
type lockedBuffer struct {
	mu    sync.Mutex
	b     bytes.Buffer
	wrote chan struct{} // closed by the next write
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wrote != nil {
		close(b.wrote)
		b.wrote = nil
	}
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// wait returns when more was written.
func (b *lockedBuffer) wait(t *testing.T) {
	b.mu.Lock()
	if b.wrote == nil {
		b.wrote = make(chan struct{})
	}
	wrote := b.wrote
	b.mu.Unlock()
	select {
	case <-wrote:
	case <-time.After(time.Minute):
		t.Fatalf("no more output after:\n%s", b.String())
	}
}
