package registry

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/usetools/usetools/registry/localfile"
)

// MaxFileBytes bounds a registry file: 10,000 tools need about 40 MB.
const MaxFileBytes = 1 << 30

// FileSchema is the JSON Schema (draft 2020-12) of tool_registry.json.
//
//go:embed tool_registry.schema.json
var FileSchema []byte

// FormatError is returned for an unusable registry file: it is not JSON, truncated, of another
// version, or contradicts itself.
type FormatError struct {
	Path string // empty if the data was decoded from memory
	Line int    // 1-based; 0 if the fault has no line
	Msg  string
}

func (e *FormatError) Error() string {
	s := "registry"
	if e.Path != "" {
		s += fmt.Sprintf(" %q", e.Path)
	}
	if e.Line > 0 {
		s += fmt.Sprintf(", line %d", e.Line)
	}
	return s + ": " + e.Msg + "; rebuild it with build-registry"
}

// header is the beginning of the file: everything except the tools.
type header struct {
	Version  int       `json:"version"`
	Config   string    `json:"config"`
	Embedder *Embedder `json:"embedder"`
	Servers  []Server  `json:"servers"`
}

// file is the complete file.
type file struct {
	header
	Tools []Tool `json:"tools"`
}

// Encode returns the file's bytes. The registry must be normalized. Equal registries have equal
// bytes.
func (r *Registry) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.Grow(r.size())
	line := func(v any) error {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
		return nil
	}
	fmt.Fprintf(&b, "{\"version\":%d,\n\"config\":", Version)
	if err := line(r.Config); err != nil {
		return nil, err
	}
	b.WriteString(",\n\"embedder\":")
	if err := line(r.Embedder); err != nil {
		return nil, err
	}
	list := func(key string, n int, at func(int) any) error {
		fmt.Fprintf(&b, ",\n%q:[", key)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
			if err := line(at(i)); err != nil {
				return err
			}
		}
		b.WriteString("\n]")
		return nil
	}
	if err := list("servers", len(r.Servers), func(i int) any { return &r.Servers[i] }); err != nil {
		return nil, fmt.Errorf("encoding registry: %w", err)
	}
	if err := list("tools", len(r.Tools), func(i int) any { return &r.Tools[i] }); err != nil {
		return nil, fmt.Errorf("encoding registry: %w", err)
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// size estimates the size of the file in bytes, because growing a buffer in steps takes three
// times the memory.
func (r *Registry) size() int {
	n := 4 << 10
	for i := range r.Servers {
		n += 512 + len(r.Servers[i].Instructions)
		for _, k := range r.Servers[i].Skills {
			n += 512 + len(k.Text)
		}
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		n += 512 + 2*len(t.ID) + len(t.Description) + len(t.Input) + len(t.Output) + len(t.Embedding)*4/3
	}
	return n
}

// Decode parses a registry file. Every error is a *FormatError.
func Decode(data []byte) (*Registry, error) {
	f, ok := decodeLines(data)
	if ok {
		return f.registry()
	}
	f = &file{}
	if err := json.Unmarshal(data, f); err != nil {
		// A file of a later version may well have other types: say that first.
		var v struct {
			Version json.RawMessage `json:"version"`
		}
		if json.Unmarshal(data, &v) == nil && len(v.Version) > 0 && string(v.Version) != fmt.Sprint(Version) {
			return nil, versionError(string(v.Version))
		}
		return nil, syntaxError(data, err)
	}
	return f.registry()
}

// registry checks a decoded file and returns its registry.
func (f *file) registry() (*Registry, error) {
	if f.Version != Version {
		return nil, versionError(fmt.Sprint(f.Version))
	}
	r := &Registry{Config: f.Config, Embedder: f.Embedder, Servers: f.Servers, Tools: f.Tools}
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Server == "" || t.Name == "" {
			return nil, &FormatError{Msg: fmt.Sprintf("tool %d (%q) lacks a server or a name", i, t.ID)}
		}
		if !t.hasID() {
			return nil, &FormatError{Msg: fmt.Sprintf("tool %d has the id %q, but its server and name require %q", i, t.ID,
				ToolID(t.Server, t.Name))}
		}
	}
	if twice := r.normalize(); twice != "" {
		return nil, &FormatError{Msg: fmt.Sprintf("two tools have the id %q", twice)}
	}
	return r, nil
}

// toolsBegin is the text before the tools in a file from Encode. Each tool has a line.
const toolsBegin = ",\n\"tools\":[\n"

// decodeLines decodes a file as Encode writes it. It decodes tools on all processors. If the form
// differs in any way, it returns false, and encoding/json decodes the file.
func decodeLines(data []byte) (*file, bool) {
	head, body, ok := bytes.Cut(data, []byte(toolsBegin))
	body, terminated := bytes.CutSuffix(body, []byte("\n]}\n"))
	if !ok || !terminated {
		return nil, false
	}
	// With a brace, the head must be a complete object. Otherwise the cut was inside a value.
	var h struct {
		header
		Tools json.RawMessage `json:"tools"` // fails if the head has tools as well
	}
	if json.Unmarshal(append(slices.Clone(head), '}'), &h) != nil || h.Tools != nil {
		return nil, false
	}
	var lines [][]byte
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		lines = append(lines, line)
	}
	f := &file{header: h.header, Tools: make([]Tool, len(lines))}
	share := max(64, len(lines)/runtime.GOMAXPROCS(0)+1)
	var group errgroup.Group
	for from := 0; from < len(lines); from += share {
		group.Go(func() error {
			for i := from; i < min(from+share, len(lines)); i++ {
				line, more := bytes.CutSuffix(lines[i], []byte(","))
				if more != (i < len(lines)-1) {
					return errors.New("not one tool per line")
				}
				if err := json.Unmarshal(line, &f.Tools[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return f, group.Wait() == nil
}

func versionError(got string) error {
	return &FormatError{Msg: fmt.Sprintf("it has version %s, but this program reads version %d", got, Version)}
}

func syntaxError(data []byte, err error) error {
	e := &FormatError{Msg: err.Error()}
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	off := int64(-1)
	switch {
	case errors.As(err, &syn):
		off = syn.Offset
		if syn.Error() == "unexpected end of JSON input" {
			e.Msg = fmt.Sprintf("the file ends too early (after %d bytes)", len(data))
		}
	case errors.As(err, &typ):
		off = typ.Offset
	}
	if off >= 0 && off <= int64(len(data)) {
		e.Line = bytes.Count(data[:off], []byte("\n")) + 1
	}
	return e
}

// Load reads a registry file. If the file is missing, the error is [os.ErrNotExist]. If it is
// unusable, the error is a *FormatError.
func Load(path string) (*Registry, error) {
	data, err := localfile.Read(path, MaxFileBytes)
	if errors.As(err, new(localfile.SizeError)) {
		return nil, &FormatError{Path: path, Msg: err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("reading registry: %w", err)
	}
	r, err := Decode(data)
	if fe := (*FormatError)(nil); errors.As(err, &fe) {
		fe.Path = path
	}
	return r, err
}

// Save writes the registry to path atomically: it syncs a temporary file beside it and renames
// that. After concurrent writes, one complete file remains.
func (r *Registry) Save(path string) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	if err := localfile.Write(path, data, 0o644); err != nil {
		return fmt.Errorf("writing registry: %w", err)
	}
	return nil
}

func decodeNumber(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}
