package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server that never answers holds up no line but that of the registry, which has its tools.
func TestDoctorDoesNotWaitForASilentServer(t *testing.T) {
	release := make(chan struct{})
	mute := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer mute.Close()
	defer close(release)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mcp.json":   fmt.Sprintf(`{"mcpServers": {"mute": {"url": %q, "usetools": {"startTimeout": "1h"}}, "saved": {"type": "snapshot", "path": "saved.json"}}}`, mute.URL),
		"saved.json": `[{"name": "look", "inputSchema": {"type": "object"}}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- app(strings.NewReader(""), w, io.Discard).Run(ctx,
			[]string{"harness", "-config", filepath.Join(dir, "mcp.json"), "doctor", "-timeout", "1h"})
		w.Close()
	}()
	missing := map[string]bool{"config": true, "server saved": true, "settings": true, "model": true, "sandbox": true}
	lines := bufio.NewScanner(out)
	for len(missing) > 0 && lines.Scan() {
		status, rest, _ := strings.Cut(lines.Text(), " ")
		check, _, _ := strings.Cut(strings.TrimSpace(rest), ":")
		if status != "" {
			delete(missing, check)
		}
		if check == "server mute" {
			t.Errorf("a server that does not answer: %s", lines.Text())
		}
	}
	if len(missing) > 0 {
		t.Errorf("no line of %v", missing)
	}
	cancel()
	go io.Copy(io.Discard, out)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What a server says of its tools cannot control the terminal of who looks.
func TestDoctorPrintsNothingThatATerminalObeys(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mcp.json": `{"mcpServers": {"saved": {"type": "snapshot", "path": "saved.json"}}}`,
		"saved.json": "[{\"name\": \"look\", \"inputSchema\": {\"type\": \"object\"}, \"annotations\": {\"readOnlyHint\": " +
			"\"\u009b31m\u202eEVIL\"}}]",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, flags := range [][]string{nil, {"-json"}} {
		var out strings.Builder
		args := append(append([]string{"harness", "-config", filepath.Join(dir, "mcp.json")}, flags...), "doctor")
		app(strings.NewReader(""), &out, io.Discard).Run(t.Context(), args)
		if !strings.Contains(out.String(), "EVIL") || strings.ContainsAny(out.String(), "\u009b\u202e") {
			t.Errorf("%q", out.String())
		}
	}
}
