// Package library keeps scripts that worked, so that one line runs them again.
//
// A [Library] is a folder with one file for each script: its source, and the
// tools that it was checked against with the hashes of their definitions. A
// script whose tools are as they were compiles as it did; [Script.Changed]
// tells which are not, and whoever runs it checks it again.
//
// Who is not to share scripts with others has a library [Library.Beside] a shared
// one: there the shared scripts can be run, and not changed.
package library

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/localfile"
	"github.com/usetools/usetools/registry/text"
)

const (
	// MaxScripts bounds a library, without the scripts that it shares.
	MaxScripts = 1000
	// MaxSource bounds a script, in bytes.
	MaxSource = 1 << 20
	maxName   = 64
	maxAbout  = 500
	maxFile   = 4 << 20
	// besideSize is of how many bytes the hash is that a library beside another has in its
	// folder's name.
	besideSize = 16
)

// Script is a saved script.
type Script struct {
	Name string `json:"name"`
	// About says in a line what it does, from the line that names it.
	About  string `json:"about,omitempty"`
	Source string `json:"source"`
	// Tools are those that it was checked against, sorted by ID.
	Tools []Tool    `json:"tools"`
	Saved time.Time `json:"saved"`
	// Broken says why it does not compile with the tools as they are now;
	// empty: it does, as far as is known.
	Broken string `json:"broken,omitempty"`
}

// Tool is a tool's definition by its hash.
type Tool struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
}

// Changed returns the IDs of the script's tools that are not, or no longer
// so, in a registry.
func (s *Script) Changed(reg *registry.Registry) []string {
	var out []string
	for _, t := range s.Tools {
		if now, ok := reg.Tool(t.ID); !ok || now.Hash != t.Hash {
			out = append(out, t.ID)
		}
	}
	return out
}

// UseTools notes the tools that the script was checked against.
func (s *Script) UseTools(ids []string, reg *registry.Registry) {
	slices.Sort(ids)
	s.Tools = []Tool{}
	for _, id := range slices.Compact(ids) {
		if t, ok := reg.Tool(id); ok {
			s.Tools = append(s.Tools, Tool{id, t.Hash})
		}
	}
}

// NotFoundError is returned for a name that no script has.
type NotFoundError struct {
	Name string
	Have []string // some of the names that there are, sorted
}

func (e *NotFoundError) Error() string {
	if len(e.Have) == 0 {
		return fmt.Sprintf("no saved script %q, and no other; harness save saves one", e.Name)
	}
	return fmt.Sprintf("no saved script %q; the saved scripts are %s", e.Name, strings.Join(e.Have, ", "))
}

// CheckName reports why a name cannot be a script's.
func CheckName(name string) error {
	ok := name != "" && len(name) <= maxName && name[0] != '-' && name[0] != '_'
	for _, c := range []byte(name) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}
	if !ok {
		return fmt.Errorf("%.80q is not a name of a script: want 1 to %d lower-case letters, digits, hyphens and "+
			"underscores, as in daily-digest", name, maxName)
	}
	return nil
}

// Header returns the name that a script gives itself in a comment before its
// first statement, and what stands behind it. Both of these name it
// daily-digest:
//
//	// usetools:daily-digest What happened since yesterday
//	// usetools:name daily-digest What happened since yesterday
//
// Of a name that cannot be one ok is false.
func Header(source string) (name, about string, ok bool) {
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		comment, isComment := strings.CutPrefix(line, "//")
		if !isComment {
			return "", "", false
		}
		if rest, found := strings.CutPrefix(strings.TrimSpace(comment), "usetools:"); found {
			name, about, _ = strings.Cut(rest, " ")
			if other, rest, _ := strings.Cut(strings.TrimSpace(about), " "); name == "name" && other != "" {
				name, about = other, rest
			}
			return name, text.FirstBytes(strings.TrimSpace(about), maxAbout), CheckName(name) == nil
		}
	}
	return "", "", false
}

// Library is a folder of scripts. Several processes may use it.
type Library struct {
	dir    string   // empty: nothing can be saved
	of     string   // what tells it from others beside the same one; empty: it is beside none
	shared *Library // whose scripts can be loaded too; nil: there are none
	spread Spread   // nil: what is saved stays here
}

// Spread carries what is saved and deleted to the libraries of other processes.
type Spread interface {
	// Save has all libraries with the same of [Library.Take] the content of a file, this one
	// before it returns; nil: that it is deleted. Its error, such as that another process
	// has saved the script in the meantime, says that nothing has changed.
	Save(of, name string, data []byte) error
}

// Path returns the folder of the scripts for the tools of a registry file:
// below the user's configuration, named by the registry's absolute path.
func Path(registryFile string) (string, error) {
	folder, err := os.UserConfigDir()
	if err == nil {
		folder, err = localfile.SidePath(folder, "scripts", registryFile)
	}
	if err != nil {
		return "", fmt.Errorf("locating saved scripts: %w", err)
	}
	return folder, nil
}

// Open returns the library in a folder, which need not exist.
func Open(dir string) *Library { return &Library{dir: dir} }

// OpenSpread is Open of a folder whose scripts other processes have, too.
func OpenSpread(dir string, s Spread) *Library { return &Library{dir: dir, spread: s} }

// Beside is the library of who has the key, as localfile.ApartKey makes it, in a folder
// beside that of l. The scripts of l can be loaded from it too, where it has no other of
// their name.
func (l *Library) Beside(key string) *Library {
	return &Library{dir: localfile.ApartPath(l.dir, key), of: key, shared: l, spread: l.spread}
}

// ReadOnly is l for clients that have no token by which they could be told apart.
func (l *Library) ReadOnly() *Library { return &Library{shared: l} }

func (l *Library) file(name string) string { return filepath.Join(l.dir, name+".json") }

// Save stores a script in the place of one of the same name.
func (l *Library) Save(s *Script) error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	if l.dir == "" {
		return fmt.Errorf("saving %q: clients without a token can run saved scripts, not save them", s.Name)
	}
	if len(s.Source) > MaxSource {
		return fmt.Errorf("saving %q: the script has %d bytes, at most %d are allowed", s.Name, len(s.Source), MaxSource)
	}
	names, err := l.names()
	if err != nil {
		return err
	}
	if len(names) >= MaxScripts && !slices.Contains(names, s.Name) {
		return fmt.Errorf("saving %q: there are %d scripts, which is all that a library may have", s.Name, len(names))
	}
	s.About = text.FirstBytes(s.About, maxAbout)
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("saving %q: %w", s.Name, err)
	}
	if err := l.put(s.Name, append(data, '\n')); err != nil {
		return fmt.Errorf("saving %q: %w", s.Name, err)
	}
	return nil
}

// put writes the file of a script, here or everywhere; nil deletes it.
func (l *Library) put(name string, data []byte) error {
	if l.spread == nil {
		return l.write(name, data)
	}
	if is, err := localfile.Read(l.file(name), maxFile); data != nil && err == nil && bytes.Equal(is, data) {
		return nil
	}
	return l.spread.Save(l.of, name, data)
}

func (l *Library) write(name string, data []byte) error {
	if data != nil {
		return localfile.WritePrivate(l.file(name), data)
	}
	if err := os.Remove(l.file(name)); err != nil {
		return err
	}
	kept := l.Record(name)
	return errors.Join(os.RemoveAll(kept), os.RemoveAll(strings.TrimSuffix(kept, ".jsonl")))
}

// Take writes the file of a script, of the library itself or of one beside it, as another
// process has it, or nil if it is deleted there. What is not a script's file is an error, and
// changes nothing.
func (l *Library) Take(of, name string, data []byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	at := l
	if of != "" {
		if b, err := hex.DecodeString(of); err != nil || len(b) != besideSize {
			return fmt.Errorf("%.80q is not a library", of)
		}
		at = &Library{dir: l.dir + "-" + of}
	}
	if data == nil {
		if err := at.write(name, nil); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if len(data) > maxFile {
		return fmt.Errorf("the saved script %q has %d bytes, at most %d are allowed", name, len(data), maxFile)
	}
	if _, err := decode(name, data); err != nil {
		return err
	}
	if is, err := localfile.Read(at.file(name), maxFile); err == nil && bytes.Equal(is, data) {
		return nil
	}
	if names, err := at.names(); err != nil || len(names) >= MaxScripts && !slices.Contains(names, name) {
		return cmp.Or(err, fmt.Errorf("the script %q is not taken: there are %d, which is all that a library may have",
			name, len(names)))
	}
	return at.write(name, data)
}

// Each calls f with each script of the library and of those beside it, as Take names
// them.
func (l *Library) Each(f func(of, name string)) error {
	beside, err := os.ReadDir(filepath.Dir(l.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading saved scripts: %w", err)
	}
	for _, e := range beside {
		of, ok := strings.CutPrefix(e.Name(), filepath.Base(l.dir)+"-")
		if !ok && e.Name() != filepath.Base(l.dir) || !e.IsDir() {
			continue
		}
		if !ok {
			of = ""
		}
		names, err := Open(filepath.Join(filepath.Dir(l.dir), e.Name())).names()
		if err != nil {
			return err
		}
		for _, name := range names {
			f(of, name)
		}
	}
	return nil
}

// Replace is Save that says, in warning, which other script of that name it was
// that is gone or hidden now.
func (l *Library) Replace(s *Script) (warning string, err error) {
	was, err := l.Load(s.Name)
	if err == nil && was.Source != s.Source {
		warning = fmt.Sprintf("saved as %q, which was another script until now; that one is gone", s.Name)
		if _, err := l.Own(s.Name); err != nil {
			warning = fmt.Sprintf("saved as %q, which you have now in the place of the shared script of that name", s.Name)
		}
	}
	if err := l.Save(s); err != nil {
		return "", err
	}
	return warning, nil
}

// Note keeps what is known by now of a script that Load returned: its Tools, and
// why it is Broken. That is for the library's own scripts, while they have the
// text that was loaded. What cannot be noted is checked again.
func (l *Library) Note(s *Script) {
	if now, err := l.Own(s.Name); err == nil && now.Source == s.Source {
		_ = l.Save(s)
	}
}

// Load returns a script, its own before a shared one; the error is a
// *NotFoundError where there is none.
func (l *Library) Load(name string) (*Script, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	for from := l; from != nil; from = from.shared {
		if s, err := from.read(name); !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	names, _ := l.Names()
	return nil, &NotFoundError{name, names[:min(len(names), 20)]}
}

// Own is Load without shared scripts.
func (l *Library) Own(name string) (*Script, error) { return Open(l.dir).Load(name) }

func (l *Library) read(name string) (*Script, error) {
	if l.dir == "" {
		return nil, fs.ErrNotExist
	}
	data, err := localfile.Read(l.file(name), maxFile)
	if err != nil {
		return nil, fmt.Errorf("reading the saved script %q: %w", name, err)
	}
	return decode(name, data)
}

// decode reads the file of a script.
func decode(name string, data []byte) (*Script, error) {
	s := &Script{}
	if err := json.Unmarshal(data, s); err != nil || s.Name != name || s.Source == "" || len(s.Source) > MaxSource {
		return nil, fmt.Errorf("the saved script %q is damaged: save it again", name)
	}
	return s, nil
}

// Delete removes a script of the library's own, with its record.
func (l *Library) Delete(name string) error {
	if _, err := l.Own(name); errors.As(err, new(*NotFoundError)) || CheckName(name) != nil {
		return err
	}
	return l.put(name, nil)
}

// Record is the file in which a record of a run of a script of the library's own is
// kept, which need not exist; beside it, without .jsonl, are its large values. "": there
// is no such library.
func (l *Library) Record(name string) string {
	if l.dir == "" {
		return ""
	}
	return filepath.Join(l.dir, name+".run.jsonl")
}

// Names returns the names of the scripts, shared ones too, sorted.
func (l *Library) Names() ([]string, error) {
	names, err := l.names()
	if err != nil || l.shared == nil {
		return names, err
	}
	shared, err := l.shared.Names()
	names = append(names, shared...)
	slices.Sort(names)
	return slices.Compact(names), err
}

// names returns the names of the library's own scripts, sorted.
func (l *Library) names() ([]string, error) {
	if l.dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading saved scripts: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// List returns all scripts, shared ones too, sorted by name; what is damaged is
// left out.
func (l *Library) List() ([]*Script, error) {
	names, err := l.Names()
	if err != nil {
		return nil, err
	}
	var out []*Script
	for _, name := range names {
		if s, err := l.Load(name); err == nil {
			out = append(out, s)
		}
	}
	return out, nil
}
