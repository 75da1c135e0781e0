package openapi

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/localfile"
	"github.com/usetools/usetools/registry/text"
)

// maxInstructions bounds the stored description of a document, in bytes.
const maxInstructions = 64 << 10

// derived is everything that is made from a document: the data for calls, and the tools'
// definitions.
type derived struct {
	Server   string // address of the API, as the document has it
	Info     registry.Server
	Problems []string
	Files    []fileRead // files that it refers to
	Tools    []*tool

	raws []json.RawMessage // the definitions; nil if they are in the file kept
	kept string
}

// derive makes tools of a document.
func derive(data []byte, f *files, s config.Server) (derived, error) {
	d, err := decode(data, f)
	if err != nil {
		return derived{}, err
	}
	out := derived{Server: d.server(), Info: registry.Server{
		Title: string(d.Info.Title), Version: string(d.Info.Version), Instructions: plainText(string(d.Info.Description)),
	}}
	out.Info.Instructions = text.FirstBytes(out.Info.Instructions, maxInstructions)
	out.Tools, out.Problems = d.tools(newChooser(s.Tags, s.Paths), maxDefinitions)
	out.Files, out.raws = f.read, make([]json.RawMessage, len(out.Tools))
	for i, t := range out.Tools {
		out.raws[i] = t.raw
	}
	return out, nil
}

const (
	// derivation is the version of the derived data. Raise it with every change of that.
	derivation = 1
	// keptFiles and keptBytes bound the derived data of all documents together. The least
	// recently used files are removed first.
	keptFiles = 64
	keptBytes = 1 << 30
)

// keptPath returns the path of the file for the derived data of a document, in the user's cache
// folder, or "" if it cannot be stored. Its name is the digest of all inputs except the other
// files, which its content lists.
func keptPath(data []byte, f *files, s config.Server) string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	build := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		build = info.Main.Version
	}
	from, err := json.Marshal([]any{derivation, build, sum(data), f.name, f.base != nil, f.left, s.Tags, s.Paths})
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "usetools", "openapi", sum(from)[:32]+".json")
}

// keep writes the file: the data for calls on one line, the definitions on the next. If that
// fails, the document is derived again next time.
func (d *derived) keep(path string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if path == "" || enc.Encode(d) != nil || enc.Encode(d.raws) != nil || b.Len() > keptBytes/4 {
		return
	}
	if localfile.WritePrivate(path, b.Bytes()) == nil {
		localfile.Prune(filepath.Dir(path), ".json", path, keptFiles, keptBytes)
	}
}

// recall reads the stored data. It returns false if the data is unreadable, or if the files that
// it was made from have changed.
func (d *derived) recall(path string, f *files) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	line, err := bufio.NewReaderSize(io.LimitReader(file, keptBytes), 1<<20).ReadBytes('\n')
	var kept derived
	if err != nil || json.Unmarshal(line, &kept) != nil || slices.Contains(kept.Tools, nil) ||
		len(kept.Files) > MaxFiles || !f.unchanged(kept.Files) {
		return false
	}
	*d = kept
	d.kept = path
	now := time.Now()
	os.Chtimes(path, now, now) // marks it as used
	return true
}

// definitions returns the tools as they are listed.
func (d *derived) definitions() ([]json.RawMessage, error) {
	if d.kept == "" {
		return d.raws, nil
	}
	data, err := localfile.Read(d.kept, keptBytes)
	if err != nil {
		return nil, err
	}
	_, line, _ := bytes.Cut(data, []byte("\n"))
	var raws []json.RawMessage
	if err = json.Unmarshal(line, &raws); err == nil && len(raws) != len(d.Tools) {
		err = errors.New("another number of tools")
	}
	if err != nil {
		err = fmt.Errorf("reading the cached tools of its document: %w", cmp.Or(os.Remove(d.kept), err))
	}
	return raws, err
}
