package config

import (
	"path/filepath"
	"testing"
)

func TestExpandLeavesWhatIsNoReference(t *testing.T) {
	t.Setenv("A", "va")
	t.Setenv("B", "${A}")
	for in, want := range map[string]string{
		"":                   "",
		"$A $ {A} }":         "$A $ {A} }",
		"${A":                "${A",
		"x${A}y${A}":         "xvayva",
		"${B}":               "${A}", // values are not expanded again
		"${NO_X:-}":          "",
		"${NO_X:-a:-b}":      "a:-b",
		"${env:A}":           "va",
		"${env:NO_X:-d}":     "d",
		"$${A}":              "$va",
		"${pathSeparator}":   string(filepath.Separator),
		"${workspaceFolder}": "/p",
	} {
		if got, err := (variables{dir: "/p/.vscode"}).expand(in, "f"); got != want || err != nil {
			t.Errorf("expand(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, name := range []string{"", "1A", "A-B", "é", "A B", "{"} {
		if _, err := (variables{dir: "/p"}).expand("${"+name+"}", "f"); err == nil {
			t.Errorf("%q passed as a name", name)
		}
	}
}

func TestExpandFollowsTheClientThatTheFileIsFor(t *testing.T) {
	t.Setenv("A", "va")
	gemini, codex := variablesOf("/p/.gemini/settings.json"), variablesOf("/p/.codex/config.toml")
	for in, want := range map[string]string{"$A": "va", "a$A/$": "ava/$", "${A:-d}": "va", "$1": "$1",
		"${workspaceFolder}": "/p"} {
		if got, err := gemini.expand(in, "f"); got != want || err != nil {
			t.Errorf("Gemini: expand(%q) = %q, %v; want %q", in, got, err, want)
		}
		if got, err := codex.expand(in, "f"); got != in || err != nil {
			t.Errorf("Codex: expand(%q) = %q, %v; want it as it is", in, got, err)
		}
	}
}
