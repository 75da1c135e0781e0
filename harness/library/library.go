// Package library stores scripts that worked, so that one line runs them again.
//
// A [Library] is a folder with one file for each script: its source, and the tools that it was
// checked against with the hashes of their definitions. As long as its tools are unchanged, the
// script compiles. [Script.Changed] returns the changed tools; check the script again before you
// run it.
//
// A tenant that must not share its scripts has its own library, in a folder next to that of the
// shared one, see [Library.Beside]. It can run the shared scripts, but not change them.
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
	// MaxScripts bounds the scripts of a library, without shared ones.
	MaxScripts = 1000
	// MaxSource bounds a script, in bytes.
	MaxSource = 1 << 20
	maxName   = 64
	maxAbout  = 500
	maxFile   = 4 << 20
	// besideSize is the size in bytes of the key in the folder name of a library from Beside.
	besideSize = 16
)

// Script is a saved script.
type Script struct {
	Name string `json:"name"`
	// About is a one-line description, from the line that names the script.
	About  string `json:"about,omitempty"`
	Source string `json:"source"`
	// Tools are the tools that it was checked against, sorted by ID.
	Tools []Tool    `json:"tools"`
	Saved time.Time `json:"saved"`
	// Broken says why it does not compile with the present tools. If empty, it compiles as far as
	// is known.
	Broken string `json:"broken,omitempty"`
}

// Tool is a tool's definition by its hash.
type Tool struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
}

// Changed returns the IDs of the script's tools that are missing from a registry or have changed
// there.
func (s *Script) Changed(reg *registry.Registry) []string {
	var out []string
	for _, t := range s.Tools {
		if now, ok := reg.Tool(t.ID); !ok || now.Hash != t.Hash {
			out = append(out, t.ID)
		}
	}
	return out
}

// UseTools sets the tools that the script was checked against.
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
	Have []string // some of the existing names, sorted
}

func (e *NotFoundError) Error() string {
	if len(e.Have) == 0 {
		return fmt.Sprintf("no saved script %q; none has been saved yet (harness save saves one)", e.Name)
	}
	return fmt.Sprintf("no saved script %q; the saved scripts are %s", e.Name, strings.Join(e.Have, ", "))
}

// CheckName returns an error if a name cannot be that of a script.
func CheckName(name string) error {
	ok := name != "" && len(name) <= maxName && name[0] != '-' && name[0] != '_'
	for _, c := range []byte(name) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}
	if !ok {
		return fmt.Errorf("%.80q is not a valid script name: want 1 to %d lower-case letters, digits, hyphens and "+
			"underscores, as in daily-digest", name, maxName)
	}
	return nil
}

// Header returns the name that a script gives itself in a comment before its first statement, and
// the text after it. Both of these name it daily-digest:
//
//	// usetools:daily-digest What happened since yesterday
//	// usetools:name daily-digest What happened since yesterday
//
// If the name is not valid, ok is false.
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
	dir    string   // if empty, nothing can be saved
	of     string   // the key if it is from Beside
	shared *Library // its scripts can be loaded too; may be nil
	spread Spread   // if nil, scripts are only saved here
}

// Spread sends saved and deleted scripts to the libraries of other processes.
type Spread interface {
	// Save writes the file of a script in all libraries with the same key (see [Library.Take]), in
	// this one before it returns. If data is nil, it deletes the file. After an error nothing has
	// changed, for example because another process has saved the script in the meantime.
	Save(key, name string, data []byte) error
}

// Path returns the folder of the scripts for the tools of a registry file. It is in the user's
// config folder, and its name comes from the registry's absolute path.
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

// OpenSpread returns the library in a folder whose scripts are shared with other processes.
func OpenSpread(dir string, s Spread) *Library { return &Library{dir: dir, spread: s} }

// Beside returns the library for a key from localfile.ApartKey, in a folder beside that of l. The
// scripts of l can also be loaded from it, unless it has its own script of that name.
func (l *Library) Beside(key string) *Library {
	return &Library{dir: localfile.ApartPath(l.dir, key), of: key, shared: l, spread: l.spread}
}

// ReadOnly returns l for clients without a token. They share it, because they have no identity.
func (l *Library) ReadOnly() *Library { return &Library{shared: l} }

func (l *Library) file(name string) string { return filepath.Join(l.dir, name+".json") }

// Save stores a script. It replaces a script of the same name.
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
		return fmt.Errorf("saving %q: the library already has %d scripts, its limit; delete some", s.Name, len(names))
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

// put writes the file of a script in l and, if spread is set, in all libraries with the same key. If
// data is nil, it deletes the file.
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

// Take writes the file of a script as another process saved it. If data is nil, it deletes the
// file. key selects a library from Beside; if empty, it is l. If data is not a script's file, Take
// returns an error and changes nothing.
func (l *Library) Take(key, name string, data []byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	at := l
	if key != "" {
		if b, err := hex.DecodeString(key); err != nil || len(b) != besideSize {
			return fmt.Errorf("%.80q is not a library", key)
		}
		at = &Library{dir: l.dir + "-" + key}
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
		return cmp.Or(err, fmt.Errorf("the script %q was not saved: the library already has %d scripts, its limit",
			name, len(names)))
	}
	return at.write(name, data)
}

// Each calls f for each script of l and of the libraries from Beside, with the arguments of Take.
func (l *Library) Each(f func(key, name string)) error {
	beside, err := os.ReadDir(filepath.Dir(l.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading saved scripts: %w", err)
	}
	for _, e := range beside {
		key, ok := strings.CutPrefix(e.Name(), filepath.Base(l.dir)+"-")
		if !ok && e.Name() != filepath.Base(l.dir) || !e.IsDir() {
			continue
		}
		if !ok {
			key = ""
		}
		names, err := Open(filepath.Join(filepath.Dir(l.dir), e.Name())).names()
		if err != nil {
			return err
		}
		for _, name := range names {
			f(key, name)
		}
	}
	return nil
}

// Replace saves a script. If it replaces or hides another script of that name, warning says so.
func (l *Library) Replace(s *Script) (warning string, err error) {
	was, err := l.Load(s.Name)
	if err == nil && was.Source != s.Source {
		warning = fmt.Sprintf("saved as %q; it replaced another script of that name", s.Name)
		if _, err := l.Own(s.Name); err != nil {
			warning = fmt.Sprintf("saved as %q; it hides the shared script of that name", s.Name)
		}
	}
	if err := l.Save(s); err != nil {
		return "", err
	}
	return warning, nil
}

// Note saves new facts about a script that Load returned: its Tools, and why it is Broken. It does
// so only for the library's own scripts, and only if the source is unchanged. If this fails, the
// script is just checked again.
func (l *Library) Note(s *Script) {
	if now, err := l.Own(s.Name); err == nil && now.Source == s.Source {
		_ = l.Save(s)
	}
}

// Load returns a script. The library's own scripts take precedence over shared ones. For an
// unknown name, the error is a *NotFoundError.
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

// Own returns one of the library's own scripts. It does not look at shared ones.
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

// decode parses the file of a script.
func decode(name string, data []byte) (*Script, error) {
	s := &Script{}
	if err := json.Unmarshal(data, s); err != nil || s.Name != name || s.Source == "" || len(s.Source) > MaxSource {
		return nil, fmt.Errorf("the saved script %q is damaged: save it again", name)
	}
	return s, nil
}

// Delete removes one of the library's own scripts, with its record.
func (l *Library) Delete(name string) error {
	if _, err := l.Own(name); errors.As(err, new(*NotFoundError)) || CheckName(name) != nil {
		return err
	}
	return l.put(name, nil)
}

// Record returns the file for the record of a run of one of the library's own scripts. The file
// need not exist. Large values are in a folder of the same name without .jsonl. If nothing can be
// saved, Record returns "".
func (l *Library) Record(name string) string {
	if l.dir == "" {
		return ""
	}
	return filepath.Join(l.dir, name+".run.jsonl")
}

// Names returns the names of all scripts, including shared ones, sorted.
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

// List returns all scripts, including shared ones, sorted by name. It omits damaged ones.
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
