package registry

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// MaxFileBytes bounds a registry file: 10,000 tools need about 40 MB.
const MaxFileBytes = 1 << 30

// FileSchema is the JSON Schema (draft 2020-12) of tool_registry.json.
//
//go:embed tool_registry.schema.json
var FileSchema []byte

// FormatError is returned for a registry file that cannot be used as it is:
// no JSON, truncated, of another version, or with contradictions inside.
type FormatError struct {
	Path string // empty when decoded from memory
	Line int    // 1-based; 0 when the fault has no place
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

// header is the file's first lines: everything but the tools.
type header struct {
	Version  int               `json:"version"`
	Config   string            `json:"config"`
	Embedder *Embedder         `json:"embedder"`
	Pins     map[string]string `json:"pins"`
	Servers  []Server          `json:"servers"`
}

// file is the whole of it.
type file struct {
	header
	Tools []Tool `json:"tools"`
}

// Encode returns the file's bytes. The registry must be normalized; equal
// registries give equal bytes.
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

// size is about how many bytes the file will have: growing a buffer step by
// step takes three times the memory.
func (r *Registry) size() int {
	n := 4 << 10
	for i := range r.Servers {
		n += 512 + len(r.Servers[i].Instructions)
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		n += 512 + 2*len(t.ID) + len(t.Description) + len(t.Input) + len(t.Output) + len(t.Embedding)*4/3
	}
	return n
}

// Decode reads the bytes of a registry file. Every error is a *FormatError.
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

// registry checks what was decoded.
func (f *file) registry() (*Registry, error) {
	if f.Version != Version {
		return nil, versionError(fmt.Sprint(f.Version))
	}
	r := &Registry{Config: f.Config, Embedder: f.Embedder, Pins: f.Pins, Servers: f.Servers, Tools: f.Tools}
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Server == "" || t.Name == "" {
			return nil, &FormatError{Msg: fmt.Sprintf("tool %d (%q) has no server or no name", i, t.ID)}
		}
		if !t.hasID() {
			return nil, &FormatError{Msg: fmt.Sprintf("tool %d has the id %q, its server and name make it %q", i, t.ID,
				ToolID(t.Server, t.Name))}
		}
	}
	if twice := r.normalize(); twice != "" {
		return nil, &FormatError{Msg: fmt.Sprintf("two tools have the id %q", twice)}
	}
	return r, nil
}

// toolsBegin is what stands before the tools of a file that Encode made, each
// of which has a line for itself.
const toolsBegin = ",\n\"tools\":[\n"

// decodeLines reads a file of the shape that Encode gives it, its tools by as
// many goroutines as there are processors. What is in any way different it
// leaves to encoding/json.
func decodeLines(data []byte) (*file, bool) {
	head, body, ok := bytes.Cut(data, []byte(toolsBegin))
	body, whole := bytes.CutSuffix(body, []byte("\n]}\n"))
	if !ok || !whole {
		return nil, false
	}
	// The head is an object but for its brace: then what was cut off is its
	// last member, not part of a value.
	var h struct {
		header
		Tools json.RawMessage `json:"tools"` // not twice
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
					return errors.New("not a tool to a line")
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
	return &FormatError{Msg: fmt.Sprintf("version %s, this program reads version %d", got, Version)}
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

// Load reads a registry file. A missing file is reported as [os.ErrNotExist],
// an unusable one as a *FormatError.
func Load(path string) (*Registry, error) {
	f, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("reading registry: %w", err)
	}
	defer f.Close()
	data, err := readAll(f, MaxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("reading registry: %w", err)
	}
	if len(data) > MaxFileBytes {
		return nil, &FormatError{Path: path, Msg: fmt.Sprintf("larger than %d bytes", MaxFileBytes)}
	}
	r, err := Decode(data)
	if fe := (*FormatError)(nil); errors.As(err, &fe) {
		fe.Path = path
	}
	return r, err
}

// Save writes the registry to path, atomically: into a temporary file beside
// it, synced, then renamed. Concurrent writers leave one whole file.
func (r *Registry) Save(path string) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	if err := WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("writing registry: %w", err)
	}
	return nil
}

// SidePath returns the path for data of one kind about the tools of a registry
// file: below folder/kind, with a name made of the registry's absolute path.
func SidePath(folder, kind, registryFile string) (string, error) {
	abs, err := filepath.Abs(registryFile)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join(folder, "usetools", kind, hex.EncodeToString(sum[:8])), nil
}

// ApartKey is a hash of a key, such as a tenant's, for ApartPath.
func ApartKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// ApartPath returns the path of a file or folder beside path for one key, as ApartKey
// makes it.
func ApartPath(path, key string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "-" + key + ext
}

// Forget removes files with an ending from a folder of caches, those that were not
// changed for longest first, until there are at most so many files and bytes. The
// file except stays.
func Forget(folder, ending, except string, files int, most int64) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	var all []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ending {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	size := int64(0)
	for i, info := range all {
		size += info.Size()
		if path := filepath.Join(folder, info.Name()); path != except && (i >= files || size > most) {
			os.Remove(path)
		}
	}
}

// open opens a regular file.
func open(path string) (*os.File, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return os.Open(path)
}

// ReadFile returns the content of a file of at most most bytes. A larger one is
// an error, and so is a pipe or a device, which may never end.
func ReadFile(path string, most int) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f, most)
	if err == nil && len(data) > most {
		err = fmt.Errorf("larger than %d bytes", most)
	}
	return data, err
}

// readAll reads a file, but no more than one byte more than most.
func readAll(f *os.File, most int) ([]byte, error) {
	var data bytes.Buffer
	if info, err := f.Stat(); err == nil {
		data.Grow(int(min(info.Size(), int64(most))) + bytes.MinRead) // growing step by step takes three times the memory
	}
	_, err := data.ReadFrom(io.LimitReader(f, int64(most)+1))
	return data.Bytes(), err
}

// WriteFile replaces the content of path atomically: readers see the old
// content or the new one, also after a crash. The file has mode 0600 until it
// is complete, then mode. Temporary files that killed writers left beside it
// are removed.
func WriteFile(path string, data []byte, mode os.FileMode) (err error) {
	removeStale(path)
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// staleAfter is the age of a temporary file that nobody writes any more.
const staleAfter = time.Hour

// removeStale removes the temporary files of WriteFile for this path that are
// older than staleAfter. The names are those that [os.CreateTemp] makes.
func removeStale(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		random, ok := strings.CutPrefix(e.Name(), "."+filepath.Base(path)+".")
		random, ok2 := strings.CutSuffix(random, ".tmp")
		if !ok || !ok2 || random == "" || strings.Trim(random, "0123456789") != "" || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

func decodeNumber(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}
