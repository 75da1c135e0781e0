package openapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/usetools/usetools/registry/backend/internal/origin"
	"github.com/usetools/usetools/registry/jsontree"
)

const (
	// DefaultMaxBytes bounds a document together with the files that it refers to, if the
	// definition has no MaxMessage.
	DefaultMaxBytes = 64 << 20
	// MaxBytes is the upper limit for a definition's MaxMessage here.
	MaxBytes = 128 << 20
	// MaxFiles bounds the files that a document refers to.
	MaxFiles = 100
	// maxYAMLBytes bounds a document in YAML, because its parser is slow.
	maxYAMLBytes = 16 << 20
)

// files are a document and the files that it refers to, by key. For a document in a file, a key
// is a path relative to its folder, with slashes. For one from a URL, it is the path of a request
// line (/specs/user.yaml). The key of the document itself is "".
//
// The other files are read when a reference needs them, only from below the document's folder or
// from its origin.
type files struct {
	name string   // the document's own key, if another file refers to it
	base *url.URL // for a document from a URL; nil for a folder
	get  func(key string, most int64) ([]byte, error)
	left int64 // bytes that may still be read
	read []fileRead
	data map[string]json.RawMessage // as JSON, with keys in all references
	errs map[string]error           // why a file is unreadable
}

// fileRead is the file of a key, with the digest of its bytes. The digest is empty if it was
// unreadable.
type fileRead struct{ Key, Sum string }

// newFiles returns files that read at most limit bytes.
func newFiles(limit int64) *files {
	return &files{left: limit, data: map[string]json.RawMessage{}, errs: map[string]error{}}
}

// open reads the document of a definition.
func (a *api) open(ctx context.Context) (*files, []byte, error) {
	most := int64(DefaultMaxBytes)
	if a.server.MaxMessage > 0 {
		most = min(int64(a.server.MaxMessage), MaxBytes)
	}
	f := newFiles(most)
	var data []byte
	var err error
	if a.server.URL == "" {
		f.name = filepath.ToSlash(filepath.Base(a.server.Path))
		folder := filepath.Dir(a.server.Path)
		f.get = func(key string, most int64) ([]byte, error) { return readBelow(folder, key, most) }
		data, err = readRegular(os.Stat, os.Open, a.server.Path, f.left)
	} else {
		if f.base, err = url.Parse(a.server.URL); err != nil {
			return nil, nil, errors.New("the url cannot be read")
		}
		var from *url.URL
		if data, from, err = a.fetch(ctx, f.base, f.left); err != nil {
			return nil, nil, err
		}
		f.base = from
		bare := *from // its query may be secret
		bare.RawQuery, bare.ForceQuery, bare.Fragment, bare.User = "", false, "", nil
		f.name = bare.RequestURI()
		f.get = func(key string, most int64) ([]byte, error) {
			u, err := bare.Parse(key)
			if err != nil {
				return nil, errors.New("it is no URL") //english:allow cached with the document
			}
			if !origin.Same(from, u) {
				return nil, fmt.Errorf("it leads to %s, and only what is at the document's own origin is read", origin.Show(u)) //english:allow cached with the document
			}
			data, _, err := a.fetch(ctx, u, most)
			return data, err
		}
	}
	f.left -= int64(len(data))
	return f, data, err
}

// fetch reads the content of a URL, and returns its final URL.
func (a *api) fetch(ctx context.Context, u *url.URL, most int64) ([]byte, *url.URL, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, errors.New("the url cannot be read")
	}
	a.authorize(req)
	req.Header.Set("Accept", "application/json, application/yaml")
	res, err := client(a.transport, nil).Do(req)
	if err != nil {
		return nil, nil, a.hide.Err(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s; check its url and headers", status(res.StatusCode))
	}
	data, err := bounded(res.Body, most)
	return data, res.Request.URL, err
}

// readBelow reads a file below a folder. Symbolic links cannot lead out of it.
func readBelow(folder, key string, most int64) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(key)) {
		return nil, errors.New("it leads out of the document's folder")
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, plainError(err)
	}
	defer root.Close()
	data, err := readRegular(root.Stat, root.Open, filepath.FromSlash(key), most)
	return data, plainError(err)
}

// readRegular reads a file unless it is a folder, device or pipe.
func readRegular(
	stat func(string) (os.FileInfo, error), open func(string) (*os.File, error), name string, most int64,
) ([]byte, error) {
	info, err := stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file") //english:allow cached with the document
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f, most)
}

// plainError returns an error without the path, which the caller adds.
func plainError(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func bounded(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("larger than %d bytes; raise usetools.maxMessageMB in its config entry", limit)
	}
	return data, err
}

// bytes returns the content for a key, and stores its digest.
func (f *files) bytes(key string) ([]byte, error) {
	if len(f.read) >= MaxFiles {
		return nil, fmt.Errorf("the document refers to more than %d files", MaxFiles)
	}
	r := fileRead{Key: key}
	data, err := f.get(key, f.left)
	if err == nil {
		f.left -= int64(len(data))
		r.Sum = sum(data)
	}
	f.read = append(f.read, r)
	return data, err
}

// unchanged reports whether files are as they were when they were read. That does not count as
// reading them.
func (f *files) unchanged(read []fileRead) bool {
	again := *f
	again.read = nil
	for i, r := range read {
		if again.bytes(r.Key); again.read[i] != r {
			return false
		}
	}
	return true
}

// sum returns the digest of a file.
func sum(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}

// file returns the content for a key as JSON.
func (f *files) file(key string) (json.RawMessage, error) {
	if data, ok := f.data[key]; ok || f.errs[key] != nil {
		return data, f.errs[key]
	}
	data, err := f.bytes(key)
	if err == nil {
		data, err = f.add(key, data)
	}
	f.errs[key] = err
	return data, err
}

// add adds the bytes of a file, JSON or YAML.
func (f *files) add(key string, data []byte) (json.RawMessage, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 || data[0] != '{' {
		var err error
		if data, err = jsonOfYAML(data); err != nil {
			return nil, err
		}
	}
	if !json.Valid(data) {
		var v any
		return nil, fmt.Errorf("neither JSON nor YAML: %w", json.Unmarshal(data, &v))
	}
	f.data[key] = rewrite(data, func(ref string) string { return f.resolve(key, ref) })
	return f.data[key], nil
}

// resolve returns the target of a reference in the file with a key, as a key, # and the place in
// that file.
func (f *files) resolve(from, ref string) string {
	file, place, _ := strings.Cut(ref, "#")
	if file == "" {
		return from + "#" + place
	}
	to := file
	if f.base != nil {
		at := *f.base
		at.RawQuery, at.ForceQuery, at.Fragment, at.User = "", false, "", nil
		base, err := at.Parse(from)
		if err == nil {
			if u, err := base.Parse(file); err == nil {
				if to = u.String(); origin.Same(f.base, u) && u.User == nil {
					to = u.RequestURI()
				}
			}
		}
	} else if !strings.Contains(file, "://") {
		if text, err := url.PathUnescape(file); err == nil {
			file = text
		}
		to = path.Join(path.Dir(from), file)
		if path.IsAbs(file) {
			to = file
		}
	}
	if to == f.name {
		to = ""
	}
	return to + "#" + place
}

// rewrite replaces the references in JSON.
func rewrite(data []byte, to func(ref string) string) json.RawMessage {
	key := []byte(`"$ref"`)
	var out []byte
	from := 0
	for i := 0; ; {
		n := bytes.Index(data[i:], key)
		if n < 0 {
			break
		}
		i += n + len(key)
		rest := bytes.TrimLeft(data[i:], " \t\r\n")
		rest, ok := bytes.CutPrefix(rest, []byte(":"))
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if !ok || len(rest) == 0 || rest[0] != '"' {
			continue
		}
		start := len(data) - len(rest)
		length := 1
		for length < len(rest) && rest[length] != '"' {
			if rest[length] == '\\' {
				length++
			}
			length++
		}
		end := min(start+length+1, len(data))
		var ref string
		if json.Unmarshal(data[start:end], &ref) == nil {
			if now := to(ref); now != ref {
				out = append(append(out, data[from:start]...), jsontree.NewString(now).JSON()...)
				from = end
			}
		}
		i = end
	}
	if out == nil {
		return data
	}
	return append(out, data[from:]...)
}

// jsonOfYAML returns a YAML document as JSON, with keys in order.
func jsonOfYAML(data []byte) ([]byte, error) {
	if len(data) > maxYAMLBytes {
		return nil, fmt.Errorf("larger than %d bytes of YAML; convert it to JSON", maxYAMLBytes)
	}
	doc, err := jsontree.FromYAML(data, MaxBytes)
	if errors.Is(err, jsontree.ErrNoObject) {
		return nil, fmt.Errorf("no OpenAPI document: %w", err)
	}
	return doc, err
}
