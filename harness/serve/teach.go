package serve

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// URIs of resources.
const (
	statsURI        = "usetools://registry/stats"
	resultSchemaURI = "usetools://result.schema.json"
	toolTemplate    = "tool://{server}/{name}"
)

// addTeaching adds the resources about tools and results.
func (c *session) addTeaching() {
	c.mcp.AddResource(&mcp.Resource{URI: statsURI, Name: "registry-stats", Title: "Tools and servers of execute",
		MIMEType: "application/json"}, c.readStats)
	c.mcp.AddResource(&mcp.Resource{URI: resultSchemaURI, Name: "result-schema",
		Title: "JSON Schema of execute's structured content", MIMEType: "application/schema+json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, err := resultSchema()
			return contents(req, "application/schema+json", text), err
		})
	c.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: toolTemplate, Name: "tool",
		Title: "The Go signature of a tool", MIMEType: "text/x-go"}, c.readTool)
}

func contents(req *mcp.ReadResourceRequest, mime, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: mime, Text: text}}}
}

// stats is the content of usetools://registry/stats.
type stats struct {
	Tools   int           `json:"tools"`
	Servers []serverStats `json:"servers"`
}

type serverStats struct {
	Name      string  `json:"name"`
	Package   string  `json:"package"`
	Transport string  `json:"transport"`
	Tools     int     `json:"tools"`
	Error     *string `json:"error"`
}

func (c *session) readStats(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	s := stats{Tools: len(cat.Registry.Tools), Servers: []serverStats{}}
	for _, srv := range cat.Registry.Servers {
		x := serverStats{Name: srv.Name, Transport: srv.Transport, Tools: srv.Tools, Error: srv.Error}
		if v, ok := view.Server(srv.Name); ok {
			x.Package = v.Package
		}
		s.Servers = append(s.Servers, x)
	}
	b, err := json.MarshalIndent(s, "", "  ")
	return contents(req, "application/json", string(b)), err
}

func (c *session) readTool(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	server, name, ok := strings.Cut(strings.TrimPrefix(req.Params.URI, "tool://"), "/")
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	t, err := c.offered(cat, server+"."+name)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return contents(req, "text/x-go", t.Doc()), nil
}

// resultSchema returns the JSON Schema of an Answer.
var resultSchema = sync.OnceValues(func() (string, error) {
	s, err := jsonschema.For[Answer](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Description: "any JSON value"},
	}})
	if err != nil {
		return "", err
	}
	s.Title = "Result of execute"
	s.AdditionalProperties = nil // later versions may add fields
	b, err := json.MarshalIndent(s, "", "  ")
	return string(b), err
})
