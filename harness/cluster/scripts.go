package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
)

// A saved script is the value of a key: its file, compressed by gzip.
const (
	scriptsFolder = "scripts"
	maxScript     = 4 << 20 // bytes of a file
)

// scripts keeps a library equal to those of the other processes.
type scripts struct {
	c   *Cluster
	lib *library.Library

	mu   sync.Mutex        // locked while a file is written, so that the newest is written last
	last map[string]uint64 // by key: the revision of its file
}

// Scripts makes files use the saved scripts of the cluster, which all processes share. A copy is
// stored in the user's cache folder.
func (c *Cluster) Scripts(ctx context.Context, files *catalog.Files) error {
	path, err := c.copyOf()
	if err == nil {
		files.Library, err = c.spread(ctx, filepath.Join(filepath.Dir(path), scriptsFolder))
	}
	if err != nil {
		return fmt.Errorf("the saved scripts of the cluster: %w", err)
	}
	return nil
}

// spread returns the library in a folder, kept equal to the others until Close.
func (c *Cluster) spread(ctx context.Context, dir string) (*library.Library, error) {
	s := &scripts{c: c}
	s.lib = library.OpenSpread(dir, s)
	first := make(chan error, 1)
	have := func(err error) {
		select {
		case first <- err:
		default:
		}
	}
	c.work.Go(func() {
		c.following(c.ctx, "saved scripts", func(ctx context.Context) error { return s.watch(ctx, have) })
	})
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	select {
	case err := <-first:
		return s.lib, err
	case <-ctx.Done():
		return nil, c.reached(ctx.Err())
	}
}

// watch applies all scripts and then each change, until something fails. It calls have when the
// folder has all scripts of the cluster.
func (s *scripts) watch(ctx context.Context, have func(error)) error {
	w, err := s.c.keys.Watch(ctx, scriptKeys+">")
	if err != nil {
		return s.c.reached(err)
	}
	defer w.Stop()
	s.mu.Lock()
	s.last = map[string]uint64{} // the bucket may be a new one
	s.mu.Unlock()
	for {
		select {
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return errors.New("the watch has ended")
			case e == nil: // these were all
				have(s.rest())
			default:
				if err := s.take(e.Key(), e.Value(), e.Revision()); err != nil {
					s.c.log.Warn("a saved script of the cluster is ignored", "error", err)
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// rest deletes the scripts that only this folder has.
func (s *scripts) rest() error {
	type script struct{ of, name string }
	var gone []script
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.lib.Each(func(of, name string) {
		if s.last[scriptKey(of, name)] == 0 {
			gone = append(gone, script{of, name})
		}
	})
	for _, g := range gone {
		err = errors.Join(err, s.lib.Take(g.of, g.name, nil))
	}
	return err
}

// take writes the file of a script, unless its revision is not newer. If data is empty, the script
// was deleted.
func (s *scripts) take(key string, data []byte, revision uint64) error {
	of, name, ok := strings.Cut(strings.TrimPrefix(key, scriptKeys), ".")
	of, name = untoken(of), untoken(name)
	if !ok || scriptKey(of, name) != key {
		return fmt.Errorf("%.200q is not the key of a script", key)
	}
	var file []byte
	if len(data) > 0 {
		var err error
		if file, err = unzip(data, maxScript); err != nil {
			return fmt.Errorf("the saved script %q: %w", name, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision <= s.last[key] {
		return nil
	}
	s.last[key] = revision
	return s.lib.Take(of, name, file)
}

// Save implements library.Spread. A nil file deletes the script: its key has no bytes.
func (s *scripts) Save(of, name string, file []byte) error {
	key, data := scriptKey(of, name), []byte(nil)
	if file != nil {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		if _, err := zip.Write(file); err != nil {
			return err
		}
		if err := zip.Close(); err != nil {
			return err
		}
		if data = b.Bytes(); len(data) > maxPart {
			return fmt.Errorf("it has %d bytes when compressed; at most %d can be shared", len(data), maxPart)
		}
	}
	s.mu.Lock()
	last := s.last[key]
	s.mu.Unlock()
	ctx, cancel := s.c.bounded()
	defer cancel()
	revision, err := s.c.swap(ctx, key, data, last, 0)
	if errors.Is(err, errConflict) {
		return fmt.Errorf("another process has changed the saved script %q in the meantime; compare it with yours, and save again", name)
	}
	if err != nil {
		return err
	}
	return s.take(key, data, revision)
}

// unzip decompresses gzip data of at most limit bytes.
func unzip(data []byte, limit int64) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(zip, limit+1))
	if err == nil && int64(len(out)) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return out, err
}
