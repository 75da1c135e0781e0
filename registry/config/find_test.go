package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// at is a home folder with a repository in it, and a folder of the user's for
// configs.
func at(t *testing.T) (home, repo, userFile string) {
	t.Helper()
	home = t.TempDir()
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, filepath.Join(home, "settings"))
	}
	repo = filepath.Join(home, "work", "repo")
	for _, dir := range []string{filepath.Join(repo, ".git"), filepath.Join(repo, "a", "b")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home, repo, UserFile()
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSearchGoesUpToTheRepositoryAndThenToTheUsersFile(t *testing.T) {
	home, repo, userFile := at(t)
	deep := filepath.Join(repo, "a", "b")
	put(t, filepath.Join(home, ".mcp.json"), "{}") // above the repository: never
	put(t, filepath.Join(home, "work", ".mcp.json"), "{}")
	if got := Search(deep); got.Files != nil {
		t.Errorf("found %+v above the repository", got)
	}
	put(t, userFile, "{}")
	want := Found{Files: []string{userFile}, Elsewhere: true}
	if diff := cmp.Diff(want, Search(deep)); diff != "" {
		t.Error(diff)
	}
	above := put(t, filepath.Join(repo, ".cursor", "mcp.json"), "{}")
	want.Files = []string{above}
	if diff := cmp.Diff(want, Search(deep)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{".codex/tools.json", ".cursor/mcp.json", ".vscode/mcp.json", ".mcp.json", ProjectFile} {
		here := put(t, filepath.Join(deep, filepath.FromSlash(name)), "{}")
		if got := Search(deep); !cmp.Equal(got, Found{Files: []string{here}}) {
			t.Errorf("found %+v, want %q", got, here)
		}
	}
}

func TestSearchOutsideOfRepositoriesEndsAtHome(t *testing.T) {
	home, _, userFile := at(t)
	notes := filepath.Join(home, "notes", "deep")
	if err := os.MkdirAll(notes, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(home, ".cursor", "mcp.json"), "{}") // Cursor's own for all projects
	put(t, filepath.Join(filepath.Dir(home), ".mcp.json"), "{}")
	put(t, userFile, "{}")
	if got := Search(notes).Files; !cmp.Equal(got, []string{userFile}) {
		t.Errorf("found %q", got)
	}
	atHome := put(t, filepath.Join(home, ".mcp.json"), "{}")
	if got := Search(notes).Files; !cmp.Equal(got, []string{atHome}) {
		t.Errorf("found %q", got)
	}
	// In neither a repository nor home, only the folder itself is looked at.
	elsewhere := t.TempDir()
	put(t, filepath.Join(elsewhere, ".mcp.json"), "{}")
	below := filepath.Join(elsewhere, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Search(below).Files; !cmp.Equal(got, []string{userFile}) {
		t.Errorf("found %q", got)
	}
}

func TestSearchPassesOverWhatOthersCanWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode")
	}
	_, repo, _ := at(t)
	path := put(t, filepath.Join(repo, ".mcp.json"), "{}")
	if err := os.Chmod(path, 0o646); err != nil {
		t.Fatal(err)
	}
	got := Search(repo)
	if got.Files != nil || len(got.Refused) != 1 ||
		!strings.Contains(got.Refused[0], "others can write it (its mode is 0646)") {
		t.Errorf("%+v", got)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := Search(repo); got.Files == nil {
		t.Errorf("%+v", got)
	}
	if os.Geteuid() != 0 {
		return // only root can give a file away
	}
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if got := Search(repo); got.Files != nil || len(got.Refused) != 1 ||
		!strings.Contains(got.Refused[0], "another user") {
		t.Errorf("%+v", got)
	}
}

func TestSearchPassesOverAClientsFileThatHasTheHarnessAlone(t *testing.T) {
	_, repo, _ := at(t)
	put(t, filepath.Join(repo, ".mcp.json"),
		`{"mcpServers": {"usetools": {"command": "/bin/harness", "args": ["-config", "/x.json", "serve"]}}}`)
	if got := Search(repo); got.Files != nil {
		t.Errorf("%+v", got)
	}
	other := put(t, filepath.Join(repo, ".vscode", "mcp.json"), `{"servers": {"a": {"command": "a"}}}`)
	if got := Search(repo).Files; !cmp.Equal(got, []string{other}) {
		t.Errorf("found %q", got)
	}
}

func TestRelativePathsOfAProjectFileBeginInTheProject(t *testing.T) {
	_, repo, _ := at(t)
	path := put(t, filepath.Join(repo, filepath.FromSlash(ProjectFile)),
		`{"mcpServers": {"a": {"command": "./bin/a", "args": ["${workspaceFolder}"], "cwd": "sub"}}}`)
	cfg, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := cfg.Server("a")
	if s.Command != filepath.Join(repo, "bin", "a") || s.Cwd != filepath.Join(repo, "sub") || s.Args[0] != repo {
		t.Errorf("command %q, cwd %q, argument %q", s.Command, s.Cwd, s.Args)
	}
}

func TestSecretsComeFromFilesThatOthersCannotRead(t *testing.T) {
	home, repo, _ := at(t)
	put(t, filepath.Join(repo, "token"), "hunter2\n")
	put(t, filepath.Join(home, "key"), "hunter3")
	path := put(t, filepath.Join(repo, ".mcp.json"),
		`{"mcpServers": {"a": {"url": "http://localhost/", "headers": {"Authorization": "Bearer ${file:token}", "X-Key": "${file:~/key}"}}}}`)
	server := func() Server {
		t.Helper()
		cfg, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := cfg.Server("a")
		return s
	}
	s := server()
	if s.Err != nil || s.Headers["Authorization"] != "Bearer hunter2" || s.Headers["X-Key"] != "hunter3" {
		t.Errorf("%v, %#v", s.Err, map[string]string(s.Headers))
	}
	os.Remove(filepath.Join(home, "key"))
	if s := server(); s.Err == nil ||
		!strings.Contains(s.Err.Error(), `header "X-Key": ${file:`+filepath.Join(home, "key")) {
		t.Errorf("a file that is not there: %v", s.Err)
	}
	if runtime.GOOS == "windows" {
		return // files have no mode
	}
	if err := os.Chmod(filepath.Join(repo, "token"), 0o604); err != nil {
		t.Fatal(err)
	}
	if s := server(); s.Err == nil ||
		!strings.Contains(s.Err.Error(), "others can read it (its mode is 0604); chmod 600") {
		t.Errorf("a file that others can read: %v", s.Err)
	}
}
