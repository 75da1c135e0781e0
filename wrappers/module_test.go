package wrappers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestGeneratedModuleSatisfiesGoVet(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	v := NewView(realServers(t))
	servers := v.Servers()
	if *cases == 0 {
		servers = servers[:6]
	}
	dir := filepath.Join(t.TempDir(), "api")
	if err := WriteModule(dir, servers); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%.3000s", err, out)
	}
}

func TestGeneratingAgainKeepsScriptsAndDropsServersThatAreGone(t *testing.T) {
	v := view(tool("git", "git_log", `{"type":"object"}`, ""), tool("notes", "add", `{"type":"object"}`, ""))
	dir := t.TempDir()
	if err := WriteModule(dir, v.Servers()); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, firstScript, "main.go")
	if err := os.WriteFile(script, []byte("package main // mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteModule(dir, v.Servers()[:1]); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(script); !strings.Contains(string(b), "mine") {
		t.Error("the script was overwritten")
	}
	if _, err := os.Stat(filepath.Join(dir, "notes")); err == nil {
		t.Error("a package of a server that is gone is left")
	}
	if _, err := os.Stat(filepath.Join(dir, "git", "git.go")); err != nil {
		t.Error(err)
	}
}

func TestGeneratingLeavesForeignFilesAlone(t *testing.T) {
	v := view(tool("git", "git_log", `{"type":"object"}`, ""))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteModule(dir, v.Servers()); err == nil {
		t.Error("a folder with other files was taken")
	}
	dir = t.TempDir()
	if err := WriteModule(dir, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "git", "git.go"), []byte("package git\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteModule(dir, v.Servers()); err == nil {
		t.Error("a file of the user's was overwritten")
	}
}
