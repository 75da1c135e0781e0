package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/usetools/usetools/registry/config"
)

// atHome makes a home folder of its own for the test.
func atHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	if to, err := filepath.EvalSymlinks(home); err == nil {
		home = to
	}
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"AppData":    filepath.Join(home, "AppData"),
		"CODEX_HOME": "", "CLAUDE_CONFIG_DIR": "",
	} {
		t.Setenv(name, value)
	}
	return home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, what, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("%s:\n%s", what, diff)
	}
}

// scene is a file of a client, before and after: testdata/CLIENT.txtar.
type scene struct {
	client            *Client
	file              string
	before, after     string
	config, edit, new string
}

func scenes(t *testing.T, test func(t *testing.T, s *scene)) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			atHome(t)
			a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			s := &scene{}
			quoted, err := json.Marshal(config.UserFile())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range a.Files {
				text := strings.ReplaceAll(string(f.Data), `"$CONFIG"`, string(quoted))
				switch f.Name {
				case "before":
					s.before = text
				case "after":
					s.after = text
				case "config":
					s.config = text
				case "edit":
					s.edit = strings.TrimSpace(text)
				case "by":
					s.new = strings.TrimSpace(text)
				}
			}
			if s.client, err = Get(name); err != nil {
				t.Fatal(err)
			}
			files, err := s.client.Files(t.TempDir())
			if err != nil || len(files) != 1 || files[0][1] != config.UserFile() {
				t.Fatal(files, err)
			}
			s.file = files[0][0]
			write(t, s.file, s.before)
			test(t, s)
		})
	}
}

func (s *scene) install(t *testing.T) *Plan {
	t.Helper()
	p, err := s.client.Install(s.file, config.UserFile(), "/opt/harness")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *scene) undo(t *testing.T) {
	t.Helper()
	p, err := s.client.Undo(s.file)
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
}

func TestInstallLeavesOneEntryAndUndoPutsAllBack(t *testing.T) {
	scenes(t, func(t *testing.T, s *scene) {
		p := s.install(t)
		want(t, "the client's file", s.file, s.after)
		want(t, "the config", config.UserFile(), s.config)
		want(t, "the backup", p.Backup, s.before)
		if cfg, err := config.Load(config.UserFile()); err != nil || len(cfg.Servers)+len(cfg.Disabled) != len(p.Moved) {
			t.Errorf("the config: %v, %+v", err, cfg)
		}
		if runtime.GOOS != "windows" {
			for path, mode := range map[string]os.FileMode{s.file: 0o640, config.UserFile(): 0o600, p.Backup: 0o600} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
					t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, mode)
				}
			}
		}
		again, err := s.client.Install(s.file, config.UserFile(), "/opt/harness")
		if err != nil || !again.Nothing() {
			t.Errorf("again: %v\n%s\n%s", err, again.After, again.ConfigAfter)
		}
		s.undo(t)
		want(t, "the client's file, as it was", s.file, s.before)
		if p, err := s.client.Undo(s.file); p != nil || err != nil {
			t.Errorf("undone twice: %+v, %v", p, err)
		}
	})
}

func TestUndoKeepsLaterEdits(t *testing.T) {
	scenes(t, func(t *testing.T, s *scene) {
		s.install(t)
		if strings.Count(s.after, s.edit) != 1 {
			t.Fatalf("%q is not there once", s.edit)
		}
		write(t, s.file, strings.Replace(s.after, s.edit, s.new, 1))
		s.undo(t)
		want(t, "the client's file", s.file, strings.Replace(s.before, s.edit, s.new, 1))
	})
}

// What was added behind the harness's entry stays, and so does a change of that
// entry not keep the servers away.
func TestUndoPutsServersBackBesideNewOnes(t *testing.T) {
	scenes(t, func(t *testing.T, s *scene) {
		p := s.install(t)
		syntax := s.client.syntax(s.file)
		was, err := syntax.Entries([]byte(s.before))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(s.after, "/opt/harness", "/usr/bin/harness", 1)
		own, err := s.client.harness("new", []string{"new-mcp"}, "", false)
		if err != nil {
			t.Fatal(err)
		}
		later, err := syntax.Put([]byte(text), own, "")
		if err != nil {
			t.Fatal(err)
		}
		write(t, s.file, string(later))
		s.undo(t)
		now, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		is, err := syntax.Entries(now)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, e := range is {
			got[e.Name] = string(e.Value)
		}
		if len(is) != len(was)+1 || got["new"] == "" {
			t.Errorf("%d servers, want %d and the new one:\n%s", len(is), len(was), now)
		}
		for _, e := range was {
			if got[e.Name] != string(e.Value) {
				t.Errorf("%s is %s, was %s", e.Name, got[e.Name], e.Value)
			}
		}
		_ = p
	})
}

func TestServersThatWereAddedLaterAreMovedByTheNextInstall(t *testing.T) {
	scenes(t, func(t *testing.T, s *scene) {
		s.install(t)
		syntax := s.client.syntax(s.file)
		extra, err := s.client.harness("extra", []string{"extra-mcp"}, "", false)
		if err != nil {
			t.Fatal(err)
		}
		later, err := syntax.Put([]byte(s.after), extra, "")
		if err != nil {
			t.Fatal(err)
		}
		write(t, s.file, string(later))
		p := s.install(t)
		if p.Moved["extra"] != "extra" {
			t.Errorf("moved: %v", p.Moved)
		}
		if is, err := syntax.Entries(p.After); err != nil || len(is) != len(p.Stay)+1 {
			t.Errorf("%v\n%s", err, p.After)
		}
		s.undo(t)
		was, err := syntax.Entries([]byte(s.before))
		if err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		if is, err := syntax.Entries(now); err != nil || len(is) != len(was)+1 {
			t.Errorf("%v\n%s", err, now)
		}
	})
}

func TestInstallMakesTheFileThatIsNotThereAndUndoRemovesIt(t *testing.T) {
	scenes(t, func(t *testing.T, s *scene) {
		if err := os.Remove(s.file); err != nil {
			t.Fatal(err)
		}
		s.install(t)
		if is, err := s.client.syntax(s.file).Entries(mustRead(t, s.file)); err != nil || len(is) != 1 ||
			is[0].Name != entryName {
			t.Errorf("%v, %+v", err, is)
		}
		if _, err := config.Load(config.UserFile()); err != nil {
			t.Error(err)
		}
		s.undo(t)
		if _, err := os.Stat(s.file); !os.IsNotExist(err) {
			t.Errorf("the file is still there: %v", err)
		}
	})
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAnotherServerOfTheNameInTheConfigStays(t *testing.T) {
	atHome(t)
	c, err := Get("cursor")
	if err != nil {
		t.Fatal(err)
	}
	file, err := c.userFile()
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, `{"mcpServers": {"a": {"command": "mine"}, "b": {"command": "b"}}}`)
	write(t, config.UserFile(), `{"servers": {"a": {"command": "other"}, "b": {"command": "b"}}}`)
	p, err := c.Install(file, config.UserFile(), "/opt/harness")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "a-cursor", "b": "b"}, p.Moved); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(p.ConfigAfter), `"a": {"command": "other"}`) ||
		!strings.Contains(string(p.ConfigAfter), `"a-cursor": {"command": "mine"}`) {
		t.Errorf("%s", p.ConfigAfter)
	}
}

func TestAProjectsServersStayInTheProject(t *testing.T) {
	home := atHome(t)
	project := filepath.Join(home, "shop")
	write(t, filepath.Join(project, ".git", "HEAD"), "")
	deep := filepath.Join(project, "deep")
	if err := os.Mkdir(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, ".mcp.json"), `{"mcpServers": {"a": {"command": "./a"}}}`)
	c, err := Get("claude")
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.Files(deep)
	wantConfig := filepath.Join(project, ".usetools", "mcp.json")
	if err != nil || len(files) != 1 || files[0] != [2]string{filepath.Join(project, ".mcp.json"), wantConfig} {
		t.Fatal(files, err)
	}
	plans, err := c.Plans(deep, "/opt/harness", "harness")
	if err != nil || len(plans) != 1 {
		t.Fatal(plans, err)
	}
	p := plans[0]
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	if found := config.Search(deep); !cmp.Equal(found.Files, []string{wantConfig}) {
		t.Errorf("found %+v", found)
	}
	if !strings.Contains(string(p.After), `"usetools-project"`) || strings.Contains(string(p.After), home) ||
		!strings.Contains(string(p.After), `".usetools/mcp.json"`) || !strings.Contains(string(p.After), `"command": "harness"`) {
		t.Errorf("%s", p.After)
	}
	if !strings.Contains(string(mustRead(t, filepath.Join(project, ".usetools", ".gitignore"))), "\n!mcp.json\n") {
		t.Error("what is to be committed is not said")
	}
	undo, err := c.Undo(files[0][0])
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(undo.Left); !strings.Contains(got, wantConfig) || !strings.Contains(got, ".gitignore") || !strings.Contains(got, "installed") {
		t.Errorf("left: %s", got)
	}
}

// A client in a project reads both files: one of them has the harness, also where both had it.
func TestOneOfTwoFilesHasTheHarness(t *testing.T) {
	const notes, forge, asks = `{"mcpServers": {"notes": {"command": "notes"}}}`, `{"mcpServers": {"forge": {"command": "forge"}}}`,
		`{"mcpServers": {"ask": {"command": "ask", "args": ["${input:token}"]}}}`
	for name, test := range map[string]struct {
		project, home  string
		both           bool // as they were installed before
		inHome         bool
		behind, direct string
	}{
		"both":                      {notes, forge, false, true, "[forge]", "[notes]"},
		"both have it":              {notes, forge, true, true, "[forge]", "[notes]"},
		"nothing to move from home": {notes, asks, false, false, "[notes]", "[ask]"},
	} {
		t.Run(name, func(t *testing.T) {
			home := atHome(t)
			project := filepath.Join(home, "shop")
			write(t, filepath.Join(project, ".git", "HEAD"), "")
			c, err := Get("cursor")
			if err != nil {
				t.Fatal(err)
			}
			files := [2]string{filepath.Join(project, ".cursor", "mcp.json"), filepath.Join(home, ".cursor", "mcp.json")}
			write(t, files[0], test.project)
			write(t, files[1], test.home)
			if test.both {
				for i, to := range []string{filepath.Join(project, ".usetools", "mcp.json"), config.UserFile()} {
					p, err := c.Install(files[i], to, "/opt/harness")
					if err != nil {
						t.Fatal(err)
					}
					if err := p.Write(); err != nil {
						t.Fatal(err)
					}
				}
			}
			plans, err := c.Plans(project, "/opt/harness", "harness")
			if err != nil || len(plans) != 2 {
				t.Fatal(plans, err)
			}
			for _, p := range plans {
				if p.Nothing() {
					continue
				}
				if err := p.Write(); err != nil {
					t.Fatal(err)
				}
			}
			for i, file := range files {
				if has := strings.Contains(string(mustRead(t, file)), `"serve"`); has != (test.inHome == (i == 1)) {
					t.Errorf("%s has the harness: %v", file, has)
				}
			}
			if got := fmt.Sprint(plans[0].Behind); got != test.behind {
				t.Errorf("behind the harness: %s, want %s", got, test.behind)
			}
			if got := fmt.Sprint(plans[1].Direct); got != test.direct {
				t.Errorf("directly: %s, want %s", got, test.direct)
			}
			for i, file := range files {
				if p, err := c.Undo(file); err != nil {
					t.Fatal(err)
				} else if p != nil {
					if err := p.Write(); err != nil {
						t.Fatal(err)
					}
				}
				want(t, "as it was", file, []string{test.project, test.home}[i])
			}
		})
	}
}

func TestWhatIsShownHasNoSecrets(t *testing.T) {
	scenes(t, func(t *testing.T, s *scene) {
		p, err := s.client.Install(s.file, config.UserFile(), "/opt/harness")
		if err != nil {
			t.Fatal(err)
		}
		shown := p.Hide(string(p.Before) + string(p.ConfigAfter))
		for _, secret := range []string{"ghp_16C7", "ctx7sk-"} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s is shown:\n%s", secret, shown)
			}
		}
	})
}

func TestAFileThatChangedAfterItWasShownIsNotWritten(t *testing.T) {
	scenes(t, func(t *testing.T, s *scene) {
		p, err := s.client.Install(s.file, config.UserFile(), "/opt/harness")
		if err != nil {
			t.Fatal(err)
		}
		write(t, s.file, s.before+"\n")
		if err := p.Write(); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
			t.Error(err)
		}
		want(t, "the client's file", s.file, s.before+"\n")
	})
}

func TestConfigsForClients(t *testing.T) {
	atHome(t)
	for _, c := range all {
		for _, addr := range []string{"", "127.0.0.1:7337"} {
			got, err := c.Config([]string{"/opt/harness", "-config", `/a "b"/c.json`, "serve"}, addr, false)
			if addr != "" && c.Name == "claude-desktop" {
				if err == nil {
					t.Error("claude-desktop takes no URL")
				}
				continue
			}
			if err != nil || !strings.Contains(got, "usetools") {
				t.Error(c.Name, got, err)
			}
			if c.Name != "codex" && !json.Valid([]byte(got)) {
				t.Errorf("%s: no JSON: %s", c.Name, got)
			}
			if entries, err := c.syntax(map[bool]string{true: "config.toml"}[c.Name == "codex"]).Entries([]byte(got)); err != nil || len(entries) != 1 {
				t.Errorf("%s: %v, %v", c.Name, entries, err)
			}
		}
	}
	claude, _ := Get("claude")
	for addr, want := range map[string]string{":7337": "http://127.0.0.1:7337/mcp",
		"0.0.0.0:7337": "http://127.0.0.1:7337/mcp", "[::1]:7337": "http://[::1]:7337/mcp", "7337": "want host:port"} {
		if got, err := claude.Config(nil, addr, false); !strings.Contains(fmt.Sprint(got, err), want) ||
			strings.Contains(got, TokenVariable) {
			t.Errorf("%s: %s, %v, want %s", addr, got, err, want)
		}
	}
	if got, err := claude.Config(nil, ":7337", true); err != nil || !strings.Contains(got, "Bearer ${"+TokenVariable+"}") {
		t.Error(got, err)
	}
	if _, err := Get("emacs"); err == nil || !strings.Contains(err.Error(), "gemini") {
		t.Error(err)
	}
}
