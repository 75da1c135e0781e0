package manifest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
	"github.com/usetools/usetools/registry/config"
)

// TestMain makes the test binary a program to call: "as-tool WHAT …".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as-tool" {
		asTool(os.Args[2], os.Args[3:])
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each program sleeps a second before it exits
	os.Exit(m.Run())
}

func asTool(what string, args []string) {
	switch what {
	case "--version":
		if args[0] != "none" {
			fmt.Println("say (test tools)", args[0], "built 2026")
		}
	case "say":
		fmt.Println(strings.Join(args, "|"))
	case "cat":
		io.Copy(os.Stdout, os.Stdin)
	case "touch":
		os.WriteFile("touched", nil, 0o600)
		if len(args) > 0 {
			<-time.After(time.Hour)
		}
	case "pwd":
		dir, _ := os.Getwd()
		fmt.Print(dir)
	case "exit":
		fmt.Fprint(os.Stderr, "not today")
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case "flood":
		n, _ := strconv.Atoi(args[0])
		w := bufio.NewWriter(os.Stdout)
		for range n {
			w.WriteByte('x')
		}
		w.Flush()
		os.Exit(4)
	case "hang":
		<-time.After(time.Hour)
	case "parent": // its child holds stdout
		exe, _ := os.Executable()
		cmd := exec.Command(exe, "as-tool", "hang")
		cmd.Stdout = os.Stdout
		cmd.Start()
		fmt.Println("started")
		<-time.After(time.Hour)
	}
	os.Exit(0)
}

// open returns the backend of testdata/tools.json, in a workspace of its own.
func open(t testing.TB) (backend.Backend, config.Server) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, ".codex", "tools.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(exe)
	name := strings.Trim(string(quoted), `"`)
	text := strings.ReplaceAll(string(data), `"PROGRAM"`, `"`+name+`"`)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "PROGRAM", "'"+name+"'")), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Servers[0]
	b, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, s
}

// call calls the tool "say" as the program what with args.
func call(t testing.TB, b backend.Backend, a arguments, what ...string) output {
	t.Helper()
	a.Args = append([]string{"as-tool"}, what...)
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Call(t.Context(), &backend.Request{Tool: "say", Args: registry.ReadArgs(raw)})
	if err != nil {
		t.Fatal(err)
	}
	var out output
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	if r.Text() != out.Stdout || r.IsError || !json.Valid(r.Raw) {
		t.Errorf("text %q, stdout %q, isError %v", r.Text(), out.Stdout, r.IsError)
	}
	return out
}

func TestToolsAreListedWithTheReasonsWhySomeCannotWork(t *testing.T) {
	t.Setenv("USETOOLS_TEST_KEY", "hunter2")
	b, s := open(t)
	l, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{
		"say": "", "old": "its version is 2.10.0, want at least 3", "gone": `the program "gone" is not installed`,
		"broken": "exited with 3: not today", "mute": "printed no version", "unverified": "no verify command",
	}
	for _, tool := range l.Tools {
		want, ok := reasons[tool.Name]
		delete(reasons, tool.Name)
		if !ok || !strings.Contains(tool.Error, want) || tool.Stale != (want != "") || (tool.Error == "") != (want == "") {
			t.Errorf("%s: stale %v, error %q, want %q in it", tool.Name, tool.Stale, tool.Error, want)
		}
		if tool.Name == "say" {
			want := "Repeats its arguments.\nUsage: say WORD…\nCapabilities: echo, print\nMinimum version: 2.9.1"
			if tool.Description != want || tool.Title != "Say" || len(tool.Output) == 0 {
				t.Errorf("description %q, want %q", tool.Description, want)
			}
		}
	}
	if len(reasons) > 0 {
		t.Errorf("not listed: %v", reasons)
	}
	problems := strings.Join(l.Server.Problems, "\n")
	for _, want := range []string{"no id", "tool 8", "listed twice", `"USETOOLS_NO_KEY" is required and not set`,
		`tool "gone" cannot be called`} {
		if !strings.Contains(problems, want) {
			t.Errorf("problems lack %q:\n%s", want, problems)
		}
	}
	all, _ := json.Marshal(l)
	if strings.Contains(string(all), "hunter2") || !strings.Contains(l.Server.Instructions, "USETOOLS_TEST_KEY (set)") ||
		!strings.Contains(l.Server.Instructions, "search_tools") {
		t.Errorf("instructions %q", l.Server.Instructions)
	}
	if l.Server.Name != s.Name || l.Server.Transport != "manifest" {
		t.Errorf("server %+v", l.Server)
	}
	r := &registry.Registry{Tools: l.Tools}
	r.Normalize()
	if _, err := r.Encode(); err != nil {
		t.Error(err)
	}
}

func TestCallReturnsWhatTheProgramDid(t *testing.T) {
	t.Parallel()
	b, s := open(t)
	// What a shell would read is only text.
	if got := call(t, b, arguments{}, "say", "a b", "$HOME", "; rm -rf x",
		"*"); got.Stdout != "a b|$HOME|; rm -rf x|*\n" || got.ExitCode != 0 {
		t.Errorf("got %+v", got)
	}
	if got := call(t, b, arguments{Stdin: "<html> é\n"}, "cat"); got.Stdout != "<html> é\n" {
		t.Errorf("stdin came back as %q", got.Stdout)
	}
	if got := call(t, b, arguments{}, "cat"); got.Stdout != "" {
		t.Errorf("no stdin came back as %q", got.Stdout)
	}
	if got := call(t, b, arguments{}, "exit", "7"); got != (output{Stderr: "not today", ExitCode: 7}) {
		t.Errorf("got %+v", got)
	}
	if got := call(t, b, arguments{}, "flood", strconv.Itoa(MaxOutput+1)); len(got.Stdout) != MaxOutput ||
		!got.Truncated || got.ExitCode != 4 {
		t.Errorf("%d bytes, truncated %v, exit code %d", len(got.Stdout), got.Truncated, got.ExitCode)
	}
	root, err := filepath.EvalSymlinks(s.Cwd)
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, b, arguments{}, "pwd"); got.Stdout != root {
		t.Errorf("ran in %q, want the workspace %q", got.Stdout, root)
	}
}

func TestWorkingFolderStaysInsideTheWorkspace(t *testing.T) {
	b, s := open(t)
	outside := t.TempDir()
	if err := os.Mkdir(filepath.Join(s.Cwd, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.Cwd, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	root, _ := filepath.EvalSymlinks(s.Cwd)
	for _, cwd := range []string{"sub", "./sub/../sub", filepath.Join(s.Cwd, "sub")} {
		if got := call(t, b, arguments{Cwd: cwd}, "pwd"); got.Stdout != filepath.Join(root, "sub") {
			t.Errorf("cwd %q: ran in %q", cwd, got.Stdout)
		}
	}
	for _, cwd := range []string{"..", "link", "/", outside, "sub/../..", "nowhere"} {
		raw, _ := json.Marshal(arguments{Args: []string{"as-tool", "pwd"}, Cwd: cwd})
		var refused *backend.RefusedError
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "say", Args: registry.ReadArgs(raw)}); !errors.As(err, &refused) ||
			!strings.Contains(refused.Message, "the workspace") {
			t.Errorf("cwd %q: error %v, want a RefusedError about the workspace", cwd, err)
		}
	}
}

func TestCallsThatCannotBeSayWhy(t *testing.T) {
	b, _ := open(t)
	for _, tc := range []struct {
		tool, args string
		is         error
		want       string
	}{
		{"gone", `{}`, backend.ErrUnavailable, `"gone" is not installed; install it`},
		{"old", `{}`, backend.ErrUnavailable, "want at least 3"},
		{"nope", `{}`, nil, "unknown tool"},
		{"say", `{"args": "x"}`, nil, "want args (a list of strings)"},
		{"say", `{"arg": ["x"]}`, nil, `unknown field "arg"`},
		{"say", `[]`, nil, "not a JSON object"},
		{"say", `{"args": ["a\u0000b"]}`, nil, "running"},
	} {
		_, err := b.Call(t.Context(), &backend.Request{Tool: tc.tool, Args: registry.ReadArgs([]byte(tc.args))})
		if err == nil || !strings.Contains(err.Error(), tc.want) || tc.is != nil && !errors.Is(err, tc.is) {
			t.Errorf("%s %s: error %v, want %q in it", tc.tool, tc.args, err, tc.want)
		}
	}
}

func TestDeadlineAndCloseEndWhatWasStarted(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	s.CallTimeout = time.Second
	for _, what := range []string{"hang", "parent"} {
		b, err := Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "say", Args: registry.ReadArgs([]byte(`{"args": ["as-tool", "` + what + `"]}`))}); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("%s: error %v, want DeadlineExceeded", what, err)
		}
		b.Close()
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "say"}); !errors.Is(err, backend.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b, _ := open(t)
	if _, err := b.Call(ctx, &backend.Request{Tool: "say"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// A call leaves when its program starts.
func TestWhatBecomesOfACall(t *testing.T) {
	no := errors.New("disk full")
	for _, tc := range []struct {
		name    string
		refuse  error
		lost    bool // the working folder is
		hangs   bool
		want    backend.Outcome
		started bool
	}{
		{name: "runs", want: backend.Answered, started: true},
		{name: "refused", refuse: no, want: backend.NotSent},
		{name: "does not start", lost: true, want: backend.NotSent},
		{name: "is killed", hangs: true, want: backend.Unknown, started: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, s := open(t)
			dir := filepath.Join(filepath.Dir(filepath.Dir(s.Path)), "sub")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			touched := filepath.Join(dir, "touched")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			args := `{"args":["as-tool","touch"],"cwd":"sub"}`
			if tc.hangs {
				args = `{"args":["as-tool","touch","hang"],"cwd":"sub"}`
				go func() {
					for ctx.Err() == nil {
						if _, err := os.Stat(touched); err == nil {
							cancel()
						}
						<-time.After(time.Millisecond)
					}
				}()
			}
			send, times := wiretest.Ask(true, "", func() error {
				if _, err := os.Stat(touched); err == nil {
					t.Error("asked after the start")
				}
				if tc.lost {
					os.Remove(dir)
				}
				return tc.refuse
			})
			_, err := b.Call(ctx, &backend.Request{Tool: "say", Args: registry.ReadArgs([]byte(args)), Send: send})
			_, missing := os.Stat(touched)
			if got := backend.OutcomeOf(err, *times > 0); got != tc.want || *times != 1 || (missing == nil) != tc.started ||
				tc.refuse != nil && !errors.Is(err, no) {
				t.Errorf("outcome %s, want %s; asked %d times; started: %v; error %v", got, tc.want, *times, missing == nil, err)
			}
		})
	}
	b, _ := open(t)
	send, times := wiretest.Ask(true, "", func() error { return nil })
	_, err := b.Call(t.Context(), &backend.Request{Tool: "say", Args: registry.ReadArgs([]byte(`{"x":1}`)), Send: send})
	if err == nil || *times != 0 {
		t.Errorf("bad arguments: error %v, asked %d times", err, *times)
	}
}

func TestUnusableManifestIsAnError(t *testing.T) {
	for content, want := range map[string]string{"{": "unexpected end", `{"tools": []}`: `"cli_tools"`,
		`{"cli_tools": {}}`: "cli_tools"} {
		path := filepath.Join(t.TempDir(), "tools.json")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := Open(t.Context(), config.Server{Name: "x", Type: config.Manifest, Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.List(t.Context()); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want %q in it", content, err, want)
		}
	}
	if _, err := Open(t.Context(), config.Server{Name: "x"}); err == nil {
		t.Error("no path, no error")
	}
}

func TestVersionsAreComparedByNumber(t *testing.T) {
	for _, tc := range []struct {
		text, min string
		older     bool
	}{
		{"ripgrep 14.1.0 (rev 1)", "13.0.0", false}, {"jq-1.6", "1.6", false}, {"jq-1.10", "1.9", false},
		{"git version 2.39.5", "2.40", true}, {"wc (GNU coreutils) 9.1", "9.1.0", false}, {"tool v2", "10", true},
		{"curl 8.5.0 libz/1.3", "9", true}, {"x 1.2", "1.2.1", true}, {"x 99999999999999999999999.1", "3", false},
		{"node v22.1.0", "v20", false},
	} {
		if got := older(version(tc.text), tc.min); got != tc.older {
			t.Errorf("%q (%s) against %s: older %v, want %v", tc.text, version(tc.text), tc.min, got, tc.older)
		}
	}
}

func TestSplitKnowsQuotesAndNothingElse(t *testing.T) {
	for in, want := range map[string][]string{
		"a b  c": {"a", "b", "c"}, `'a b' "c'd" ''`: {"a b", "c'd", ""}, `a\b $X|y`: {`a\b`, "$X|y"}, `"a`: nil, " ": nil,
	} {
		if got, err := split(in); !cmp.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("split(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "tools.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"cli_tools": [{"id": "\u0000", "annotations": 3, "verify": "'"}], "llm_tools": [{}], "api_keys": [{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, tools, _, err := decode(data)
		if err != nil {
			return
		}
		file.instructions()
		for _, tool := range tools {
			if !json.Valid(tool.definition()) {
				t.Errorf("definition %s", tool.definition())
			}
			split(tool.Verify)
			older(version(tool.MinVersion), tool.MinVersion)
		}
	})
}
