// Package observe infers the types of results that no output schema declares.
//
// [Store.Observe] takes the results of successful calls, as the servers sent
// them. Once a tool has answered in the same shape several times,
// [Store.Schema] returns a JSON Schema of it, from which package wrappers makes
// typed results. Only shapes are stored: names of properties, types, sizes;
// never a value. Objects with keys that are data themselves (IDs, paths,
// addresses) count as maps, whose keys are not stored.
//
// [Store.Seen] returns the shape from the first result on, for authors of scripts.
// An inferred schema is a guess. It is kept while later results only add to it, and
// withdrawn when one contradicts it. Decoding by it never makes a call fail:
// differences are warnings, and the result is still available as text and JSON.
//
//	store, err := observe.Open("tool_shapes.json")
//	store.Observe("git.git_log", rawResult, true) // after each successful call
//	schema, ok := store.Schema("git.git_log")     // for wrappers.ViewOptions.Observed
//	err = store.Save()
package observe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry/localfile"
	"github.com/usetools/usetools/wrappers/pyrepr"
)

const (
	// stableAfter is how many results in a row must add nothing new before a schema is offered.
	stableAfter = 3

	maxTools  = 1000    // limit of the tools with a shape
	maxFile   = 8 << 20 // bytes of the file that is read
	maxResult = 8 << 20 // bytes of a result that is analysed
)

// A Store has the observed shapes of tools. It is safe for concurrent use. If two processes
// observe the same tool and save to one file, the last one wins.
type Store struct {
	path  string // if empty, Save does nothing
	fixed bool   // see Fixed

	saving sync.Mutex // taken before mu

	mu      sync.Mutex
	tools   map[string]*learnt
	touched map[string]bool // tools that were forgotten, or with a new shape, since the last Save
	version int
	shared  *Store // see Shared
}

// learnt has the observations of one tool's results.
type learnt struct {
	Shape  *shape `json:"shape"`
	Seen   int    `json:"seen"`             // JSON results; incomplete, because those that add nothing new are not all saved
	Same   int    `json:"same,omitempty"`   // results in a row that added nothing new
	Stable bool   `json:"stable,omitempty"` // a schema is offered
	Text   int    `json:"text,omitempty"`   // results that were text and not JSON
	// Wrapped reports that the last result was in the envelope {"result": T}.
	Wrapped bool `json:"wrapped,omitempty"`

	schema json.RawMessage // of Shape, nil until first requested
}

// results returns how many results were analysed.
func (l *learnt) results() int { return l.Seen + l.Text }

// file is the content of the file.
type file struct {
	Version int                `json:"version"`
	Tools   map[string]*learnt `json:"tools"`
}

// Path returns the path of the file for the shapes of a registry's tools. Each registry file has
// its own, in the user's cache folder.
func Path(registryFile string) (string, error) {
	return localfile.CachePath("shapes", registryFile, ".json")
}

// Open returns a Store with the content of the file at path. If the file is missing, the Store is
// empty. If it cannot be decoded, Open returns an error.
func Open(path string) (*Store, error) {
	tools, err := read(path)
	if err != nil {
		return nil, err
	}
	s := New(path)
	s.tools = tools
	return s, nil
}

// New returns an empty Store that saves to path. If path is empty, it is not saved.
func New(path string) *Store {
	return &Store{path: path, tools: map[string]*learnt{}, touched: map[string]bool{}}
}

// Fixed returns a Store with the schemas of the file at path, which later results do not change:
// scripts compile the same wherever the file is the same. For other tools it records shapes for
// Seen. It is not saved, and stores from Beside have no schemas. With an error, it has no schemas
// either.
func Fixed(path string) (*Store, error) {
	s := New("")
	tools, err := read(path)
	if err == nil {
		s.tools = tools
	}
	s.fixed = true
	return s, err
}

// Beside returns the Store of a tenant, identified by a key from localfile.ApartKey. It learns
// separately from s and from other keys, and is saved beside s, in a file with the key in its
// name. It is never nil. If its file cannot be read, it starts empty and the error says why.
func (s *Store) Beside(key string) (*Store, error) {
	if s.path == "" {
		out := New("")
		out.fixed = s.fixed
		return out, nil
	}
	path := localfile.ApartPath(s.path, key)
	out, err := Open(path)
	if err != nil {
		return New(path), err
	}
	return out, nil
}

// Shared returns the Store beside s with the outlines of all tenants' results, for Seen. Its
// schemas are those of s, which also forgets and saves it.
func (s *Store) Shared() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		s.shared, _ = s.Beside("shared") // an unreadable one starts empty
	}
	return s.shared
}

func read(path string) (map[string]*learnt, error) {
	tools := map[string]*learnt{}
	b, err := localfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return tools, nil
	}
	var in file
	if err == nil {
		err = json.Unmarshal(b, &in)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if in.Version != 1 {
		return nil, fmt.Errorf("%s: version %d, want 1", path, in.Version)
	}
	for id, l := range in.Tools {
		if l != nil && l.Seen >= 0 && l.Text >= 0 && len(tools) < maxTools && l.Shape.valid(0) &&
			l.Shape.nodes() <= maxNodes {
			tools[id] = l
		}
	}
	return tools, nil
}

// Observe learns from one result: the JSON of an MCP tool result (CallToolResult). It ignores
// failures, and only counts texts that are not a JSON object or array. Only results of tools that
// only read (reads) lead to a schema, because the results of others depend on their effects.
func (s *Store) Observe(tool string, result []byte, reads bool) {
	a, ok := answerOf(result)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.tools[tool]
	if l == nil {
		if len(s.tools) >= maxTools {
			return
		}
		l = &learnt{Shape: &shape{}}
		s.tools[tool] = l
	}
	if s.fixed && l.Stable {
		return
	}
	if a.text {
		if l.Text++; l.Text <= stableAfter {
			s.touched[tool] = true
		}
		return
	}
	m := &merger{nodes: l.Shape.nodes()}
	first := l.Seen == 0
	m.add(l.Shape, a.value, 0)
	l.Seen++
	l.Wrapped = a.wrapped
	offered := l.Stable
	switch {
	case !reads || m.contradicted && !first:
		l.Same, l.Stable, l.schema = 0, false, nil
	case m.grew:
		l.Same, l.schema = 0, nil
	default:
		l.Same++
		l.Stable = l.Stable || l.Same >= stableAfter && !s.fixed
	}
	if l.Stable != offered || l.Stable && m.grew {
		s.version++
	}
	if first || m.grew || m.contradicted || l.Stable != offered || reads && l.Same <= stableAfter {
		s.touched[tool] = true
	}
}

// Version returns a number that changes whenever the result of Schema changes for any tool.
func (s *Store) Version() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// A Shape is the observed shape of one tool's results.
type Shape struct {
	Tool    string          `json:"tool"`
	Results int             `json:"results"`          // number of analysed results
	Outline string          `json:"outline"`          // see Sighting
	Schema  json.RawMessage `json:"schema,omitempty"` // empty until it is offered
}

// List returns the shapes of all tools, including those only in Shared, sorted by tool.
func (s *Store) List() []Shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Shape, 0, len(s.tools))
	for _, id := range slices.Sorted(maps.Keys(s.tools)) {
		x := Shape{Tool: id, Results: s.tools[id].results(), Outline: s.tools[id].outline()}
		if s.tools[id].Stable {
			x.Schema = s.tools[id].Shape.schema()
		}
		out = append(out, x)
	}
	if s.shared != nil {
		others := slices.DeleteFunc(s.shared.List(), func(x Shape) bool { return s.tools[x.Tool] != nil })
		out = append(out, others...)
		slices.SortFunc(out, func(a, b Shape) int { return cmp.Compare(a.Tool, b.Tool) })
	}
	return out
}

// Forget removes a tool and reports whether the Store had it.
func (s *Store) Forget(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	shared := s.shared != nil && s.shared.Forget(tool)
	l := s.tools[tool]
	if l == nil {
		return shared
	}
	delete(s.tools, tool)
	s.touched[tool] = true
	if l.Stable {
		s.version++
	}
	return true
}

// Schema returns the JSON Schema of a tool's results, and whether they have had one shape often
// enough. The bytes are deterministic.
func (s *Store) Schema(tool string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.tools[tool]
	if l == nil || !l.Stable {
		return nil, false
	}
	if l.schema == nil {
		l.schema = l.Shape.schema()
	}
	return l.schema, true
}

// Save writes the changes since Open to the file, atomically. It keeps what other processes saved
// for other tools. Without changes it does nothing. Other methods do not wait for it.
func (s *Store) Save() error {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	if s.shared != nil {
		defer s.shared.Save() // if it cannot be saved, another process starts it empty
	}
	if len(s.touched) == 0 || s.path == "" {
		s.mu.Unlock()
		return nil
	}
	b, err := s.encode()
	touched := s.touched
	s.touched = map[string]bool{}
	s.mu.Unlock()
	if err == nil {
		err = localfile.WritePrivate(s.path, b)
	}
	if err != nil {
		s.mu.Lock()
		maps.Copy(s.touched, touched)
		s.mu.Unlock()
		return fmt.Errorf("saving observed shapes: %w", err)
	}
	return nil
}

// encode returns the new content of the file, merged with what other processes wrote. The caller
// holds s.mu.
func (s *Store) encode() ([]byte, error) {
	if others, err := read(s.path); err == nil {
		for id, l := range others {
			known := s.tools[id]
			if s.touched[id] || known == nil && len(s.tools) >= maxTools || known != nil && known.results() >= l.results() {
				continue
			}
			s.tools[id] = l
			s.version++
		}
	}
	b, err := json.Marshal(file{1, s.tools})
	for err == nil && len(b) > maxFile {
		s.dropLargest()
		b, err = json.Marshal(file{1, s.tools})
	}
	return b, err
}

// dropLargest removes the tenth of the tools with the largest shapes.
func (s *Store) dropLargest() {
	ids := slices.SortedFunc(maps.Keys(s.tools), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.tools[b].Shape.nodes(), s.tools[a].Shape.nodes()), cmp.Compare(a, b))
	})
	for _, id := range ids[:(len(ids)+9)/10] {
		delete(s.tools, id)
	}
	s.version++
}

// answer is the content of a successful result: an object or list, or a text.
type answer struct {
	value   any
	text    bool
	wrapped bool // the value is the envelope {"result": T}
}

// answerOf returns the part of a result to learn from: its structured part, or else its text. ok
// is false if the result is a failure, empty or unreadable.
func answerOf(result []byte) (answer, bool) {
	if len(result) > maxResult {
		return answer{}, false
	}
	var m struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if json.Unmarshal(result, &m) != nil || m.IsError {
		return answer{}, false
	}
	if data := bytes.TrimSpace(m.Structured); len(data) > 0 && !bytes.Equal(data, []byte("null")) {
		v, ok := composite(data)
		return answer{value: v, wrapped: isEnvelope(v)}, ok && !isFailure(v)
	}
	if len(m.Content) == 1 && m.Content[0].Type == "text" {
		text := strings.TrimSpace(m.Content[0].Text)
		v, ok := composite([]byte(text))
		if !ok {
			if data, python := pyrepr.JSON(text); python {
				v, ok = composite(data)
			}
		}
		if ok {
			return answer{value: v}, !isFailure(v)
		}
	}
	for _, c := range m.Content {
		if c.Type == "text" && strings.TrimSpace(c.Text) != "" {
			return answer{text: true}, true
		}
	}
	return answer{}, false
}

// composite decodes an object or a list.
func composite(data []byte) (any, bool) {
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

func isEnvelope(v any) bool {
	m, _ := v.(map[string]any)
	_, ok := m["result"]
	return ok && len(m) == 1
}

// isFailure reports whether an object says that something failed.
func isFailure(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	msg, _ := m["error"].(string)
	success, has := m["success"].(bool)
	return msg != "" || has && !success
}
