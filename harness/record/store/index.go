package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/localfile"
)

// An index has the summary of each record, so that a list need not open the record. A row is valid
// while the record has the row's stamp; every other row is made anew from the record. The rows of
// ended runs are also in a file of the folder, a cache that all processes append to. Without a
// valid line in it, the record is read.
type index struct {
	in *folder // nil if there is no file

	mu    sync.Mutex
	read  bool // the file was read
	rows  map[string]*row
	fresh []byte // lines that are not in the file yet
}

// row is the entry of a record in the index.
type row struct {
	Stamp
	// Summary has only the fields of the record's first line, and an empty Status, if the run has
	// not ended.
	Summary *record.Summary
	Request string        `json:",omitempty"` // of Summary, whose JSON lacks it
	Used    []record.Used `json:",omitempty"` // also of Summary, which does not save it

	line []byte // of the file, if it is not decoded yet
}

// ended reports whether the last line of the record was an End.
func (r *row) ended() bool { return r.Summary.Status != "" }

// over reports whether the run has ended for good.
func (r *row) over() bool {
	return r.ended() && !r.Summary.Dry && !record.Resumable(r.Summary.Status)
}

// maxRows bounds the rows, each of some 500 bytes. Records without a row are opened.
const maxRows = 100_000

const indexFile = "index"

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// rowLine returns a line of the file: the name of a record, the CRC-32C of the rest, and
// the row in JSON.
func rowLine(name string, r *row) []byte {
	b, _ := json.Marshal(r) // cannot fail: strings, numbers and a time
	return fmt.Appendf(nil, "%s %08x %s\n", name, crc32.Checksum(b, castagnoli()), b)
}

// decode decodes the row's line.
func (r *row) decode() bool {
	sum, b, _ := bytes.Cut(r.line, []byte(" "))
	r.line = nil
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if err != nil || uint32(want) != crc32.Checksum(b, castagnoli()) || json.Unmarshal(b, r) != nil || r.Summary == nil {
		return false
	}
	r.Summary.Request, r.Summary.Used = r.Request, r.Used
	return true
}

// get returns the row of a record, even if its stamp is old, or nil.
func (x *index) get(name string) *row {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.read {
		x.load()
	}
	r := x.rows[name]
	if r != nil && r.line != nil && !r.decode() {
		delete(x.rows, name)
		return nil
	}
	return r
}

// load adds the rows of the file that are not known. The caller holds mu.
func (x *index) load() {
	if x.read = true; x.rows == nil {
		x.rows = map[string]*row{}
	}
	if x.in == nil {
		return
	}
	f, err := x.in.openFile(indexFile)
	if err != nil {
		return
	}
	defer f.Close()
	b, _ := readAll(f, math.MaxInt)
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		name, rest, ok := bytes.Cut(line, []byte(" "))
		old := x.rows[string(name)]
		if ok && (old == nil && len(x.rows) < maxRows || old != nil && (old.line != nil || !old.ended())) {
			x.rows[string(name)] = &row{line: rest}
		}
	}
}

// put adds a row.
func (x *index) put(name string, r *row) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.read {
		x.load()
	}
	if x.rows[name] == nil && len(x.rows) >= maxRows {
		return
	}
	x.rows[name] = r
	if x.in != nil && r.ended() {
		x.fresh = append(x.fresh, rowLine(name, r)...)
	}
}

// save appends the missing rows to the file. Other processes do without them if that fails. names
// are all records.
func (x *index) save(names []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.rows) > 2*len(names)+1000 { // most of their records are gone
		x.keepOnly(names)
	}
	if len(x.fresh) > 0 {
		x.in.addToIndex(x.fresh)
		x.fresh = nil
	}
}

// keep drops all rows except those of these records, also from the file.
func (x *index) keep(names []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.keepOnly(names)
}

// keepOnly is keep for a caller that holds mu.
func (x *index) keepOnly(names []string) error {
	x.load() // other processes may have appended rows
	rows, b := make(map[string]*row, len(names)), []byte(nil)
	for _, name := range names {
		r := x.rows[name]
		if r == nil {
			continue
		}
		rows[name] = r
		if r.line != nil {
			b = fmt.Appendf(b, "%s %s\n", name, r.line)
		} else if r.ended() {
			b = append(b, rowLine(name, r)...)
		}
	}
	x.rows, x.fresh = rows, nil
	switch {
	case x.in == nil:
		return nil
	case len(b) == 0:
		return x.in.root.RemoveAll(indexFile)
	}
	return localfile.Write(filepath.Join(x.in.dir, indexFile), b, 0o600)
}

// addToIndex appends lines to the file of the index, in one step.
func (d *folder) addToIndex(lines []byte) {
	f, err := d.open(indexFile, os.O_WRONLY|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = d.root.OpenFile(indexFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil {
		f.Write(lines)
		f.Close()
	}
}
