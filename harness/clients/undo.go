package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/config/edit"
	"github.com/usetools/usetools/registry/localfile"
)

// record is a record of the changes of Install to a file, for Undo.
type record struct {
	File     string            `json:"file"`
	Config   string            `json:"config"`
	Created  bool              `json:"created"` // the file did not exist
	Original string            `json:"original"`
	Written  string            `json:"written"`
	Moved    map[string]string `json:"moved"`
}

// maxRecord bounds a record, which has two quoted texts of a file.
const maxRecord = 8 * config.MaxFileBytes

// folder returns the folder for the record and the backups of a client's file.
func folder(client, file string) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return localfile.SidePath(dir, filepath.Join("installed", client), file)
}

func (c *Client) recorded(file string) (*record, error) {
	dir, err := folder(c.Name, file)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "record.json")
	data, err := localfile.Read(path, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := &record{}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s, the record of the servers moved out of %s: %w", path, file, err)
	}
	return r, nil
}

// backUp saves a backup of the file, and the record of the planned change.
func (p *Plan) backUp() error {
	dir, err := folder(p.Client, p.File)
	if err != nil {
		return err
	}
	if p.Before != nil {
		p.Backup = filepath.Join(dir, filepath.Base(p.File)+"."+time.Now().UTC().Format("20060102T150405.000"))
		if err := localfile.WritePrivate(p.Backup, p.Before); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, "record.json")
	if p.undo {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(record{p.File, p.Config, p.base == nil, string(p.base), string(p.After), p.Moved})
	if err != nil {
		return err
	}
	return localfile.WritePrivate(path, data)
}

// Undo plans to put the servers back that Install moved out of a file. If there is nothing to undo,
// it returns nil. The config keeps its servers.
func (c *Client) Undo(file string) (*Plan, error) {
	file = resolved(file)
	rec, err := c.recorded(file)
	if err != nil {
		return nil, err
	}
	p := &Plan{Client: c.Name, File: file, undo: true}
	if p.Before, err = read(file); err != nil || p.Before == nil {
		return nil, err
	}
	if rec == nil {
		rec = &record{Original: string(p.Before), Written: string(p.Before)}
	}
	p.Config = rec.Config
	if p.ConfigBefore, err = read(p.Config); err != nil && p.Config != "" {
		return nil, err
	}
	p.ConfigAfter, p.Moved = p.ConfigBefore, rec.Moved
	entries, err := c.syntax(file).Entries([]byte(rec.Original))
	if err != nil {
		return nil, fmt.Errorf("what %s was: %w", file, err)
	}
	for _, e := range entries {
		p.noteSecrets(e.Value)
	}
	if p.After, p.remove, err = c.without(rec, file, p.Before); err != nil {
		return nil, err
	}
	if p.Nothing() {
		return nil, nil
	}
	p.Left, err = c.left(p)
	return p, err
}

// left returns the files that remain after an undo: the config, the rest of its folder if that is a
// project's, and the folder of backups.
func (c *Client) left(p *Plan) ([]string, error) {
	backups, err := folder(c.Name, p.File)
	if err != nil {
		return nil, err
	}
	var out []string
	if p.ConfigBefore != nil {
		out = append(out, p.Config)
	}
	if p.ConfigBefore != nil && inProject(p.Config) {
		there, err := os.ReadDir(filepath.Dir(p.Config))
		if err != nil {
			return nil, err
		}
		for _, f := range there {
			if path := filepath.Join(filepath.Dir(p.Config), f.Name()); path != p.Config {
				out = append(out, path)
			}
		}
	}
	return append(out, backups), nil
}

// without returns the text of a file without the harness, and with the servers that were moved out
// of it. remove is true if the file was made for the harness and has nothing else.
func (c *Client) without(rec *record, file string, now []byte) (text []byte, remove bool, err error) {
	syntax := c.syntax(file)
	if rec.Created && bytes.Equal(now, []byte(rec.Written)) {
		return nil, true, nil
	}
	if text, ok := edit.Back([]byte(rec.Original), []byte(rec.Written), now); ok && !rec.Created {
		if is, err := syntax.Entries(text); err == nil && isClean(is) {
			return text, false, nil
		}
	}
	is, err := syntax.Entries(now)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, err)
	}
	was, err := syntax.Entries([]byte(rec.Original))
	if err != nil {
		return nil, false, fmt.Errorf("what %s was: %w", file, err)
	}
	there := map[string]bool{}
	var own []string
	for i := range is {
		if runsHarness(&is[i]) {
			own = append(own, is[i].Name)
		} else {
			there[is[i].Name] = true
		}
	}
	text = now
	for _, e := range was {
		if there[e.Name] || runsHarness(&e) {
			continue
		}
		before := ""
		if len(own) > 0 {
			before = own[0]
		}
		if text, err = syntax.Put(text, e, before); err != nil {
			return nil, false, fmt.Errorf("%s: %w", file, err)
		}
	}
	text, err = syntax.Remove(text, own...)
	return text, false, err
}

// isClean reports whether no entry is the harness and no name appears twice.
func isClean(entries []edit.Entry) bool {
	seen := map[string]bool{}
	for i := range entries {
		if seen[entries[i].Name] || runsHarness(&entries[i]) {
			return false
		}
		seen[entries[i].Name] = true
	}
	return true
}

// ExistingFiles returns the client's existing files: that of the project around dir, and that for all
// projects.
func (c *Client) ExistingFiles(dir string) ([]string, error) {
	user, err := c.userFile()
	if err != nil {
		return nil, err
	}
	var out []string
	if folder := c.projectFolder(dir); folder != "" {
		out = append(out, filepath.Join(folder, filepath.FromSlash(c.project)))
	}
	if _, err := os.Stat(user); err == nil {
		out = append(out, user)
	}
	return out, nil
}

// Where describes the files that the entry can go to.
func (c *Client) Where() string {
	var out []string
	if c.project != "" {
		out = append(out, c.project+" in the project")
	}
	if user, err := c.userFile(); err == nil {
		out = append(out, user)
	}
	return strings.Join(out, " or ")
}
