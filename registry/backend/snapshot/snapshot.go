// Package snapshot treats a saved tools/list result as a server. Its tools can be searched,
// described and type-checked, but not called.
//
// The file is a JSON list of tools, or an object with "tools" and optionally "serverInfo" and
// "instructions", as in an initialize result.
package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/localfile"
)

// MaxFileBytes bounds a snapshot: 10,000 tools need about 20 MB.
const MaxFileBytes = 256 << 20

// Open returns the backend of a snapshot server. Each List reads the file.
func Open(_ context.Context, s config.Server) (backend.Backend, error) {
	if s.Path == "" {
		return nil, fmt.Errorf("server %q: a snapshot needs the path of its file", s.Name)
	}
	return snapshot{name: s.Name, path: s.Path}, nil
}

type snapshot struct{ name, path string }

func (s snapshot) List(context.Context) (*backend.Listing, error) {
	data, err := localfile.Read(s.path, MaxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("server %q: reading snapshot: %w", s.name, err)
	}
	l, err := Decode(s.name, data)
	if err != nil {
		return nil, fmt.Errorf("server %q: snapshot %q: %w", s.name, s.path, err)
	}
	return l, nil
}

func (s snapshot) Call(_ context.Context, req *backend.Request) (*backend.Result, error) {
	return nil, fmt.Errorf("calling %q: %w: server %q is the file %q; give the server a command or a url to call it",
		req.Tool, backend.ErrNotCallable, s.name, s.path)
}

func (s snapshot) Close() error { return nil }

// Decode decodes the content of a snapshot file as the listing of a server.
func Decode(server string, data []byte) (*backend.Listing, error) {
	var f struct {
		ServerInfo struct {
			Title   string `json:"title"`
			Version string `json:"version"`
		} `json:"serverInfo"`
		Instructions string            `json:"instructions"`
		Tools        []json.RawMessage `json:"tools"`
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	var err error
	if len(data) > 0 && data[0] == '[' {
		err = json.Unmarshal(data, &f.Tools)
	} else {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		return nil, decodeError(data, err)
	}
	if f.Tools == nil {
		return nil, errors.New(`no tools: want a list of tools or an object with the key "tools"`)
	}
	l := &backend.Listing{Server: registry.Server{
		Name: server, Transport: config.Snapshot,
		Title: f.ServerInfo.Title, Version: f.ServerInfo.Version, Instructions: f.Instructions,
	}}
	l.Tools, l.Server.Problems = backend.DecodeTools(server, f.Tools)
	return l, nil
}

func decodeError(data []byte, err error) error {
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syn):
		offset = syn.Offset
	case errors.As(err, &typ):
		return fmt.Errorf("%s is a JSON %s", typ.Field, typ.Value)
	}
	if offset < 0 || offset > int64(len(data)) {
		return err
	}
	return fmt.Errorf("line %d: %w", bytes.Count(data[:offset], []byte("\n"))+1, err)
}
