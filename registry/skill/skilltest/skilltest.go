// Package skilltest makes MCP servers of tests serve skills.
package skilltest

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/skill"
)

// Options returns the options of a server that declares the extension.
func Options() *mcp.ServerOptions {
	c := &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}, Tools: &mcp.ToolCapabilities{}}
	c.AddExtension(skill.Extension, nil)
	return &mcp.ServerOptions{Capabilities: c}
}

// Files are the contents of files by their URIs.
type Files map[string]string

// Read returns the files of a folder with the URIs skill://PATH.
func Read(folder fs.FS) (Files, error) {
	files := Files{}
	return files, fs.WalkDir(folder, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, p)
		files["skill://"+p] = string(data)
		return err
	})
}

// Entries returns the entries of the skills among files, in the order of their URIs. The front
// matter of a SKILL.md that has none is empty.
func (f Files) Entries() []*skill.Skill {
	var entries []*skill.Skill
	for uri, text := range f {
		if path.Base(uri) != skill.FileName {
			continue
		}
		e := &skill.Skill{URI: uri}
		if e.Frontmatter, _, _ = skill.Parse([]byte(text)); e.Frontmatter == nil {
			e.Frontmatter = []byte("{}")
		}
		for file, content := range f {
			if strings.HasPrefix(file, strings.TrimSuffix(uri, skill.FileName)) {
				e.Resources = append(e.Resources,
					skill.File{URI: file, Digest: skill.Digest([]byte(content)), Size: int64(len(content))})
			}
		}
		slices.SortFunc(e.Resources, func(a, b skill.File) int { return strings.Compare(a.URI, b.URI) })
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *skill.Skill) int { return strings.Compare(a.URI, b.URI) })
	return entries
}

type result struct {
	mcp.ResultBase
	Skills []any  `json:"skills"`
	Next   string `json:"nextCursor,omitempty"`
}

// Serve has a server list entries, two on a page, and serve files.
func Serve[E any](s *mcp.Server, entries []E, files Files) error {
	for uri, text := range files {
		s.AddResource(&mcp.Resource{URI: uri, Name: path.Base(uri), MIMEType: skill.MIMEType},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: skill.MIMEType, Text: text}}}, nil
			})
	}
	return mcp.AddReceivingCustomMethod(s, skill.MethodList,
		func(_ context.Context, _ *mcp.ServerSession, p *mcp.ListResourcesParams) (*result, error) {
			r, from := &result{Skills: []any{}}, 0
			if p != nil && p.Cursor != "" {
				from, _ = strconv.Atoi(p.Cursor)
			}
			for _, e := range entries[min(from, len(entries)):min(from+2, len(entries))] {
				r.Skills = append(r.Skills, e)
			}
			if from+2 < len(entries) {
				r.Next = strconv.Itoa(from + 2)
			}
			return r, nil
		})
}
