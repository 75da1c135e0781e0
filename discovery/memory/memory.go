// Package memory remembers which tool a phrase led to in successful runs, so that
// the same phrase means the same tool next time.
//
// A phrase is recalled only after two runs have agreed. The search can still
// overrule it: see discovery.Memory.
//
// A [Memory] belongs to one registry and is a small file, by default in the
// user's cache folder (see [Path]). Phrases are compared without regard to case
// and white space. The hash of the tool is stored too: a tool that changed since,
// or is gone, is not recalled. A phrase that led to two different tools is stored
// as conflicting and recalls nothing until a person forgets it.
//
// The file has at most [MaxEntries] phrases; the least recently used ones are
// evicted first. Several processes may use one file at the same time: writers
// take a lock beside it and replace the file atomically. A damaged file counts as
// empty.
package memory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/localfile"
)

const (
	// MaxEntries bounds the phrases of one memory.
	MaxEntries = 1000
	// MaxPhrase bounds a phrase, in bytes. Longer phrases are not remembered.
	MaxPhrase = 300
	// maxFile bounds the file that is read. MaxEntries of the largest size fit.
	maxFile = 2 << 20
	version = 1
)

// Entry is the stored data of one phrase.
type Entry struct {
	Phrase string `json:"phrase"`
	// Tool is the tool's ID. It is empty if the phrase led to different tools.
	Tool string `json:"tool,omitempty"`
	Hash string `json:"hash,omitempty"` // registry.Tool.Hash at that time
	// Runs are the IDs of the first two runs that taught the phrase. Files of earlier versions
	// lack them.
	Runs []string `json:"runs,omitempty"`
	// Rank is the tool's place, from 1, among the phrase's candidates in the last run that taught
	// it. If zero, it is unknown.
	Rank int `json:"rank,omitempty"`
	Uses int `json:"uses"` // number of days with a run that used it
	// Set reports that a person set the tool. Runs do not change it.
	Set bool `json:"set,omitempty"`
	// Used is the day of the last use, UTC.
	Used string `json:"used"`
}

// Conflicting reports whether the phrase led to different tools.
func (e *Entry) Conflicting() bool { return e.Tool == "" }

// agreeing is how many runs must lead to a tool before the phrase recalls it.
const agreeing = 2

// Learned reports whether the phrase recalls its tool while that is unchanged: a person chose it,
// or enough runs agree. For files of earlier versions, days with a run count instead.
func (e *Entry) Learned() bool {
	return e.Set || !e.Conflicting() && (len(e.Runs) >= agreeing || len(e.Runs) == 0 && e.Uses >= agreeing)
}

// Why returns in a few words why the phrase recalls its tool, or why not.
func (e *Entry) Why() string {
	switch {
	case e.Conflicting():
		return "runs used different tools for it: recalls nothing"
	case e.Set:
		return "set by hand"
	case !e.Learned():
		return "one run so far: recalled if a second one agrees"
	case len(e.Runs) == 0:
		return fmt.Sprintf("used on %d days", e.Uses)
	}
	return fmt.Sprintf("runs %s used this tool, candidate %d of the search", strings.Join(e.Runs, " and "), e.Rank)
}

// Memory recalls the tools of phrases from earlier runs. It is safe for concurrent use, also by
// several processes.
type Memory struct {
	path string
	reg  *registry.Registry
	now  func() time.Time

	mu      sync.Mutex
	stamp   stamp
	entries map[string]Entry // by key
}

// stamp identifies the version of a file that was read.
type stamp struct {
	size  int64
	mtime time.Time
}

// Path returns the path of the memory file of a registry file: in the user's cache folder, named
// after the registry's absolute path.
func Path(registryFile string) (string, error) {
	return localfile.CachePath("phrases", registryFile, ".json")
}

// New returns the memory in the file at path, for the tools of a registry. If reg is nil, it
// recalls nothing, but can be listed and edited. The file is not read yet and need not exist.
func New(path string, reg *registry.Registry) *Memory {
	return &Memory{path: path, reg: reg, now: time.Now}
}

// Recall returns the tool that the phrase led to, if it exists unchanged, and whether a person
// chose it. It implements discovery.Memory.
func (m *Memory) Recall(phrase string) (tool string, byHand, ok bool) {
	key, ok := keyOf(phrase)
	if !ok {
		return "", false, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.refresh() // an unreadable file recalls nothing
	e, ok := m.entries[key]
	if !ok || !e.Learned() || !m.current(e) {
		return "", false, false
	}
	return e.Tool, e.Set, true
}

// Reject removes a phrase that runs taught to mean the tool. If the file cannot be written, the
// phrase stays until it is rejected again.
func (m *Memory) Reject(phrase, tool string) {
	key, _ := keyOf(phrase)
	_ = m.edit(func(entries map[string]Entry) {
		if e := entries[key]; e.Tool == tool && !e.Set {
			delete(entries, key)
		}
	})
}

// current reports whether an entry's tool exists unchanged.
func (m *Memory) current(e Entry) bool {
	if m.reg == nil || e.Conflicting() {
		return false
	}
	t, ok := m.reg.Tool(e.Tool)
	return ok && t.Hash == e.Hash
}

// Use is a phrase and the tool, with its hash, that it led to in a run. Rank is the tool's place
// among the phrase's candidates, from 1.
type Use struct {
	Phrase, Tool, Hash, Run string
	Rank                    int
}

// Remember stores the tools that phrases led to in a successful run. A phrase that led to another
// tool before becomes conflicting, unless that tool is gone or has changed. A phrase is counted
// once a day; further uses that day are not written.
func (m *Memory) Remember(uses ...Use) error {
	uses = slices.DeleteFunc(slices.Clone(uses), m.noted)
	if len(uses) == 0 {
		return nil
	}
	return m.edit(func(entries map[string]Entry) {
		for _, u := range uses {
			m.note(entries, u)
		}
	})
}

// noted reports whether a use is already stored or cannot be.
func (m *Memory) noted(u Use) bool {
	key, ok := keyOf(u.Phrase)
	if !ok || u.Tool == "" {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.refresh()
	e, ok := m.entries[key]
	return ok && e.Used == m.day() && e.Uses > 0 &&
		(e.Conflicting() || e.Tool == u.Tool && e.Hash == u.Hash && (e.Learned() || slices.Contains(e.Runs, u.Run)))
}

func (m *Memory) note(entries map[string]Entry, u Use) {
	key, _ := keyOf(u.Phrase)
	e, known := entries[key]
	switch {
	case !known:
		e = Entry{Phrase: key, Tool: u.Tool}
	case e.Conflicting(), e.Set && m.current(e), e.Tool == u.Tool:
	case m.current(e):
		e.Tool, e.Hash, e.Runs = "", "", nil
	default:
		e = Entry{Phrase: key, Tool: u.Tool}
	}
	if e.Tool == u.Tool {
		if !e.Learned() && u.Run != "" && !slices.Contains(e.Runs, u.Run) {
			e.Runs = append(e.Runs, u.Run)
		}
		e.Hash, e.Rank = u.Hash, u.Rank
	}
	if e.Used != m.day() || e.Uses == 0 {
		e.Uses++
	}
	e.Used = m.day()
	entries[key] = e
}

// Set makes a phrase mean a tool, whatever its earlier entry.
func (m *Memory) Set(phrase, tool, hash string) error {
	key, ok := keyOf(phrase)
	if !ok {
		return fmt.Errorf("remembering a phrase: %d bytes, want 1 to %d", len(phrase), MaxPhrase)
	}
	return m.edit(func(entries map[string]Entry) {
		entries[key] = Entry{Phrase: key, Tool: tool, Hash: hash, Set: true, Used: m.day()}
	})
}

// Forget removes phrases and returns those that were unknown.
func (m *Memory) Forget(phrases ...string) (unknown []string, err error) {
	err = m.edit(func(entries map[string]Entry) {
		for _, p := range phrases {
			key, _ := keyOf(p)
			if _, ok := entries[key]; !ok {
				unknown = append(unknown, p)
			}
			delete(entries, key)
		}
	})
	return unknown, err
}

// ForgetAll removes all phrases.
func (m *Memory) ForgetAll() error {
	return m.edit(func(entries map[string]Entry) { clear(entries) })
}

// List returns all entries, sorted by phrase.
func (m *Memory) List() ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refresh(); err != nil {
		return nil, err
	}
	return sorted(m.entries), nil
}

func (m *Memory) day() string { return m.now().UTC().Format(time.DateOnly) }

// keyOf returns the form in which phrases are compared. ok is false if the phrase is empty or too
// long.
func keyOf(phrase string) (key string, ok bool) {
	if len(phrase) > MaxPhrase {
		return "", false
	}
	key = strings.ToLower(strings.Join(strings.Fields(strings.ToValidUTF8(phrase, "")), " "))
	return key, key != ""
}

func sorted(entries map[string]Entry) []Entry {
	out := make([]Entry, 0, len(entries))
	for _, e := range entries {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Phrase, b.Phrase) })
	return out
}

// edit changes the file while holding its lock.
func (m *Memory) edit(change func(map[string]Entry)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return fmt.Errorf("remembering phrases: %w", err)
	}
	unlock, err := lockedfile.MutexAt(m.path + ".lock").Lock()
	if err != nil {
		return fmt.Errorf("remembering phrases: %w", err)
	}
	defer unlock()
	m.stamp = stamp{} // two writes within one tick of the clock have equal stamps
	if err := m.refresh(); err != nil {
		var damaged *DamagedError
		if !errors.As(err, &damaged) {
			return err
		}
	}
	change(m.entries)
	trim(m.entries)
	data, err := json.MarshalIndent(file{version, sorted(m.entries)}, "", " ")
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	if err := localfile.Write(m.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("remembering phrases: %w", err)
	}
	m.stamp = stamp{}
	return nil
}

// trim evicts the least recently used entries; for equal days, the least often used first.
func trim(entries map[string]Entry) {
	if len(entries) <= MaxEntries {
		return
	}
	all := sorted(entries)
	slices.SortStableFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Used, b.Used), cmp.Compare(a.Uses, b.Uses))
	})
	for _, e := range all[:len(all)-MaxEntries] {
		delete(entries, e.Phrase)
	}
}

// file is the content of a memory file.
type file struct {
	Version int     `json:"version"`
	Phrases []Entry `json:"phrases"`
}

// DamagedError is returned by List if the file is not a memory. Writing replaces the file.
type DamagedError struct {
	Path string
	Msg  string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("remembered phrases in %q: %s; forget all of them, or delete the file", e.Path, e.Msg)
}

// refresh reads the file if it was replaced since the last read.
func (m *Memory) refresh() error {
	st, err := os.Stat(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		m.entries, m.stamp = map[string]Entry{}, stamp{}
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading remembered phrases: %w", err)
	}
	now := stamp{st.Size(), st.ModTime()}
	if m.entries != nil && m.stamp == now {
		return nil
	}
	m.entries, m.stamp = map[string]Entry{}, stamp{}
	data, err := localfile.Read(m.path, maxFile)
	if err != nil && !errors.As(err, new(localfile.SizeError)) {
		return fmt.Errorf("reading remembered phrases: %w", err)
	}
	if err == nil {
		m.entries, err = decode(data)
	}
	if err != nil {
		return &DamagedError{m.path, err.Error()}
	}
	m.stamp = now
	return nil
}

// decode parses a file's content. It drops damaged entries.
func decode(data []byte) (map[string]Entry, error) {
	entries := map[string]Entry{}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return entries, err
	}
	if f.Version != version {
		return entries, fmt.Errorf("it has version %d, but this program reads version %d", f.Version, version)
	}
	for _, e := range f.Phrases {
		if key, ok := keyOf(e.Phrase); ok && key == e.Phrase {
			entries[key] = e
		}
	}
	trim(entries)
	return entries, nil
}
