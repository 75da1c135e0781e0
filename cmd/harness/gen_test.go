package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/registry"
)

// gen runs the command gen over a registry of two servers.
func gen(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "git", Name: "git_log", Description: "Show the history",
			Input: json.RawMessage(`{"type":"object","properties":{"max_count":{"type":"integer"}}}`)},
		{Server: "mcp-server-notes", Name: "add",
			Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)},
	}}
	reg.Normalize()
	file := filepath.Join(t.TempDir(), "tool_registry.json")
	if err := reg.Save(file); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	e := &env{stdout: &out, stderr: &errs}
	cmd := app(nil, &out, &errs)
	cmd.Commands = []*cli.Command{e.genCommand()}
	err = cmd.Run(t.Context(), append([]string{"harness", "-registry", file}, args...))
	return out.String(), errs.String(), err
}

func TestGenWritesAModuleThatVets(t *testing.T) {
	t.Chdir(t.TempDir()) // no config here
	dir := filepath.Join(t.TempDir(), "api")
	_, stderr, err := gen(t, "gen", "-o", dir)
	if err != nil || !strings.Contains(stderr, "2 tools of 2 servers") {
		t.Fatalf("%v, stderr %q", err, stderr)
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = dir
	vet.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	if _, _, err := gen(t, "gen", "-o", filepath.Dir(dir)); err == nil {
		t.Error("a folder with other things in it was taken")
	}
}

func TestGenPrintsForReading(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, _, err := gen(t, "gen", "notes")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-- notes/notes.go --\n", "func Add(p AddParams) (AddResult, error)",
		"-- first_script/main.go --\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "git/git.go") {
		t.Error("a server that was not asked for is printed")
	}
	stdout, _, err = gen(t, "-json", "gen")
	var got struct {
		Packages []generatedPackage
	}
	if err != nil || json.Unmarshal([]byte(stdout), &got) != nil || len(got.Packages) != 2 ||
		got.Packages[0].Funcs[0] != "Log" {
		t.Errorf("-json: %v\n%s", err, stdout)
	}
	if _, _, err := gen(t, "gen", "nosuch"); err == nil {
		t.Error("an unknown server was taken")
	}
}
