package snapshot_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/snapshot"
	"github.com/usetools/usetools/registry/config"
)

func TestSavedListsOfRealServers(t *testing.T) {
	for file, want := range map[string]struct {
		tools int
		title string
	}{
		"memory.json":          {9, ""},
		"mcp-server-time.json": {2, ""},
		"calculator.json":      {1, ""},
		"ref-postgres.json":    {1, ""},
		"list.json":            {6, ""}, // a bare list of tools
	} {
		t.Run(file, func(t *testing.T) {
			b, err := snapshot.Open(t.Context(),
				config.Server{Name: "s", Type: config.Snapshot, Path: filepath.Join("testdata", file)})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			l, err := b.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(l.Tools) != want.tools || l.Server.Title != want.title || l.Server.Problems != nil ||
				l.Server.Transport != "snapshot" {
				t.Errorf("%d tools, server %+v", len(l.Tools), l.Server)
			}
			for _, tool := range l.Tools {
				if tool.ID != "s."+tool.Name || !strings.HasPrefix(string(tool.Input), `{`) || tool.Hash == "" {
					t.Errorf("tool %+v", tool)
				}
			}
			if _, err := b.Call(t.Context(), &backend.Request{Tool: l.Tools[0].Name}); !errors.Is(err, backend.ErrNotCallable) ||
				!strings.Contains(err.Error(), file) {
				t.Errorf("call: %v, want ErrNotCallable with the file", err)
			}
		})
	}
}

func TestUnusableSnapshotsSayWhy(t *testing.T) {
	for name, tc := range map[string]struct{ data, want string }{
		"no JSON":      {"{\n \"tools\": oops}", "line 2"},
		"no tools":     {`{"server": "x"}`, `an object with the key "tools"`},
		"tools is one": {`{"tools": {}}`, "tools is a JSON object"},
		"empty":        {"", "unexpected end"},
		"null":         {"null", `the key "tools"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tools.json")
			if err := os.WriteFile(path, []byte(tc.data), 0o644); err != nil {
				t.Fatal(err)
			}
			b, err := snapshot.Open(t.Context(), config.Server{Name: "s", Path: path})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.List(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want %q and the path in it", err, tc.want)
			}
		})
	}
	b, _ := snapshot.Open(t.Context(), config.Server{Name: "s", Path: filepath.Join(t.TempDir(), "none.json")})
	if _, err := b.List(t.Context()); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), `server "s"`) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := snapshot.Open(t.Context(), config.Server{Name: "s"}); err == nil {
		t.Error("no error without a path")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"serverInfo":{"title":"T","version":"1"},"instructions":"i","tools":[{"name":"a"},null]}`))
	f.Add([]byte(`[{"name":"a","inputSchema":{}},{"name":"a"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := snapshot.Decode("s", data)
		if err != nil {
			return
		}
		for _, tool := range l.Tools {
			if tool.Name == "" || !json.Valid(tool.Input) {
				t.Errorf("tool %+v", tool)
			}
		}
	})
}
