package cluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers/observe"
)

// A revision is an object with a gzipped tar of these entries, the second of which may
// be missing.
const (
	filesBucket    = "ut_files"
	filesStream    = "OBJ_" + filesBucket
	registryObject = "registry"

	registryEntry = harness.RegistryFile
	shapesEntry   = "tool_shapes.json" // what was learnt from results: it decides types, too
)

// Bounds of revisions.
const (
	maxRevision = 256 << 20 // bytes, as it is sent
	maxShapes   = 8 << 20   // bytes
	fetchTime   = time.Minute
	// look is how often a watch asks besides being told.
	look = 15 * time.Second
	// revisionWait is how long a runner waits for the revision of a job.
	revisionWait = 2 * time.Second
	// mostRevisions are remembered of those that were here.
	mostRevisions = 32
)

// revisions are those that this process has had, the latest last.
type revisions struct {
	mu   sync.Mutex
	all  []string
	news chan struct{} // closed when there is another one; nil: nobody waits
}

func (r *revisions) add(revision string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, revision)
	r.all = slices.Delete(r.all, 0, max(len(r.all)-mostRevisions, 0))
	if r.news != nil {
		close(r.news)
		r.news = nil
	}
}

// has reports whether a revision is or was here, and else what is closed when there is
// another one.
func (r *revisions) has(revision string) (bool, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.all, revision) {
		return true, nil
	}
	if r.news == nil {
		r.news = make(chan struct{})
	}
	return false, r.news
}

// Revision is the digest of the registry that this process follows, with what was learnt
// from results; empty: it follows none.
func (c *Cluster) Revision() string {
	c.revisions.mu.Lock()
	defer c.revisions.mu.Unlock()
	if n := len(c.revisions.all); n > 0 {
		return c.revisions.all[n-1]
	}
	return ""
}

// HasRevision waits up to two seconds until this process has a revision, or has had it:
// then it is newer. The empty one everybody has.
func (c *Cluster) HasRevision(ctx context.Context, revision string) bool {
	ctx, cancel := context.WithTimeout(ctx, revisionWait)
	defer cancel()
	for revision != "" {
		ok, news := c.revisions.has(revision)
		if ok {
			break
		}
		select {
		case <-news:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// objects is the store of revisions.
func (c *Cluster) objects(ctx context.Context) (store jetstream.ObjectStore, err error) {
	err = c.again(ctx, func(ctx context.Context) error {
		store, err = c.js.ObjectStore(ctx, filesBucket)
		return err
	})
	if err != nil {
		err = fmt.Errorf("bucket %s: %w", filesBucket, err)
	}
	return store, err
}

// PublishRegistry makes a registry file, with what was learnt from results beside it, the
// newest revision for all that follow it, and returns that. The earlier one is removed.
func (c *Cluster) PublishRegistry(ctx context.Context, path string) (revision string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("publishing %s: %w", path, err)
		}
	}()
	data, err := packRevision(path)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	store, err := c.objects(ctx)
	if err != nil {
		return "", err
	}
	digest := digestOf(data)
	info, err := c.registryInfo(ctx, store)
	if err != nil || info != nil && info.Digest == digest {
		return digest, err
	}
	for {
		_, err := store.Put(ctx, jetstream.ObjectMeta{Name: registryObject}, bytes.NewReader(data))
		if !lostRequest(err) || ctx.Err() != nil {
			return digest, err
		}
	}
}

// registryInfo is what the store says of the newest revision; nil: there is none.
func (c *Cluster) registryInfo(ctx context.Context, store jetstream.ObjectStore) (info *jetstream.ObjectInfo, err error) {
	err = c.again(ctx, func(ctx context.Context) error {
		if info, err = store.GetInfo(ctx, registryObject); errors.Is(err, jetstream.ErrObjectNotFound) {
			info, err = nil, nil
		}
		return err
	})
	return info, err
}

// packRevision makes a revision of the files at the path of a registry.
func packRevision(path string) ([]byte, error) {
	reg, err := registry.ReadFile(path, registry.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	if _, err := registry.Decode(reg); err != nil {
		return nil, err
	}
	entries := []struct {
		name string
		data []byte
	}{{registryEntry, reg}}
	if at, err := observe.Path(path); err == nil {
		if _, err := observe.Fixed(at); err != nil {
			return nil, err
		}
		shapes, err := registry.ReadFile(at, maxShapes)
		if err == nil {
			entries = append(entries, struct {
				name string
				data []byte
			}{shapesEntry, shapes})
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for _, e := range entries {
		if err := archive.WriteHeader(&tar.Header{Name: e.name, Mode: 0o600, Size: int64(len(e.data))}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		return nil, err
	}
	if out.Len() > maxRevision {
		return nil, fmt.Errorf("%d bytes, at most %d can be sent", out.Len(), maxRevision)
	}
	return out.Bytes(), nil
}

// digestOf is the digest of an object, as its store writes it.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "SHA-256=" + base64.URLEncoding.EncodeToString(sum[:])
}

// unpackRevision returns the files of a revision; shapes is nil where it has none.
func unpackRevision(data []byte) (reg, shapes []byte, err error) {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil, err
	}
	archive := tar.NewReader(io.LimitReader(zip, registry.MaxFileBytes+maxShapes+64<<10))
	for {
		head, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		to, most := &reg, int64(registry.MaxFileBytes)
		switch head.Name {
		case registryEntry:
		case shapesEntry:
			to, most = &shapes, maxShapes
		default: // of a later version
			continue
		}
		if head.Size > most || *to != nil {
			return nil, nil, fmt.Errorf("%s is there twice, or larger than %d bytes", head.Name, most)
		}
		var b bytes.Buffer
		b.Grow(int(min(head.Size, 64<<20)) + bytes.MinRead)
		if _, err := b.ReadFrom(archive); err != nil {
			return nil, nil, err
		}
		*to = b.Bytes()
	}
	if reg == nil {
		return nil, nil, fmt.Errorf("there is no %s in it", registryEntry)
	}
	return reg, shapes, nil
}

// Follow has files take the registry of the cluster, of which a copy is kept in the
// user's cache folder: what there is now, if there is one, and each new revision. Where
// nobody has published one yet, files with a config build their own until somebody does.
func (c *Cluster) Follow(ctx context.Context, files *harness.Files) error {
	path, err := c.copyOf()
	there := false
	if err == nil {
		there, err = c.firstRevision(ctx, path)
	}
	if err != nil {
		return fmt.Errorf("the registry of the cluster: %w", err)
	}
	follow := func(ctx context.Context, renewed func()) error { return c.WatchFiles(ctx, path, renewed) }
	if !there && len(files.AllConfigs()) > 0 {
		files.Later = &catalog.Later{Path: path, Follow: follow}
		return nil
	}
	if !there {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an earlier cluster there
			return fmt.Errorf("the registry of the cluster: %w", err)
		}
	}
	files.Registry, files.Follow = path, follow
	return nil
}

// copyOf is the path of the copy of the registry, whose folder is there.
func (c *Cluster) copyOf() (string, error) {
	folder := c.o.Cache
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256([]byte(c.o.URL))
		folder = filepath.Join(user, "usetools", "cluster", hex.EncodeToString(sum[:8]))
	}
	return filepath.Join(folder, registryEntry), os.MkdirAll(folder, 0o700)
}

// firstRevision writes the newest revision to a path, if there is one.
func (c *Cluster) firstRevision(ctx context.Context, path string) (there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	store, err := c.objects(ctx)
	if err != nil {
		return false, err
	}
	info, err := c.registryInfo(ctx, store)
	if err != nil || info == nil {
		return false, err
	}
	revision, err := c.fetch(ctx, store, path, nil)
	if err == nil {
		c.revisions.add(revision)
	}
	return err == nil, err
}

// WatchFiles keeps the newest revision in the file at path, and in the file of package
// observe that belongs to it, until ctx ends. It calls renewed each time that they were
// replaced.
func (c *Cluster) WatchFiles(ctx context.Context, path string, renewed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	for {
		err := c.watchFiles(ctx, path, renewed)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.log.Warn("following the registry of the cluster", "error", err, "again_in", time.Second)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// watchFiles is WatchFiles until something fails.
func (c *Cluster) watchFiles(ctx context.Context, path string, renewed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	store, err := c.objects(ctx)
	if err != nil {
		return err
	}
	watch, err := store.Watch(ctx)
	if err != nil {
		return err
	}
	defer watch.Stop()
	every := time.NewTicker(look)
	defer every.Stop()
	newest := &newest{news: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		newest.follow(ctx, watch.Updates())
	}()
	for {
		digest, news := newest.get()
		if digest != "" && digest != c.Revision() {
			revision, err := c.fetch(ctx, store, path, news)
			if err == nil {
				written := modified(path)
				renewed()
				if written.Equal(modified(path)) { // else another process has an older one
					c.revisions.add(revision)
				}
			} else if later, _ := newest.get(); later == digest {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return errors.New("the watch has ended")
		case <-news:
		case <-every.C: // what is only told may be lost
			info, err := c.registryInfo(ctx, store)
			if err != nil {
				return err
			}
			if info != nil {
				newest.set(info.Digest)
			}
		}
	}
}

// newest is the digest of the newest revision that somebody has told of.
type newest struct {
	mu     sync.Mutex
	digest string
	news   chan struct{} // closed with the next one
}

func (n *newest) get() (digest string, news <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.digest, n.news
}

func (n *newest) set(digest string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if digest != n.digest {
		close(n.news)
		n.digest, n.news = digest, make(chan struct{})
	}
}

func (n *newest) follow(ctx context.Context, updates <-chan *jetstream.ObjectInfo) {
	for {
		select {
		case <-ctx.Done():
			return
		case info, ok := <-updates:
			if !ok {
				return
			}
			if info != nil && info.Name == registryObject && !info.Deleted {
				n.set(info.Digest)
			}
		}
	}
}

// fetch replaces the files at a path by the newest revision, which it returns. It gives
// up on news: then there is a newer one, and the rest of this one is gone.
func (c *Cluster) fetch(ctx context.Context, store jetstream.ObjectStore, path string, news <-chan struct{}) (
	revision string, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	type got struct {
		data   []byte
		digest string
		err    error
	}
	done := make(chan got, 1)
	go func() { // until its deadline, where nobody waits any more
		defer cancel()
		data, digest, err := download(ctx, store)
		done <- got{data, digest, err}
	}()
	select {
	case <-news:
		return "", errors.New("there is a newer revision")
	case g := <-done:
		if g.err != nil {
			return "", g.err
		}
		reg, shapes, err := unpackRevision(g.data)
		if err == nil {
			err = writeRevision(path, reg, shapes)
		}
		if err != nil {
			return "", fmt.Errorf("revision %s: %w", g.digest, err)
		}
		return g.digest, nil
	}
}

// download reads the newest revision, whose digest is checked.
func download(ctx context.Context, store jetstream.ObjectStore) (data []byte, digest string, err error) {
	object, err := store.Get(ctx, registryObject)
	if err != nil {
		return nil, "", err
	}
	defer object.Close()
	info, err := object.Info()
	if err != nil {
		return nil, "", err
	}
	if info.Size > maxRevision {
		return nil, "", fmt.Errorf("a revision of %d bytes, at most %d are taken", info.Size, maxRevision)
	}
	data, err = io.ReadAll(io.LimitReader(object, maxRevision+1))
	return data, info.Digest, err
}

// modified is when a file was written.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// writeRevision writes the files of a revision, each of which is there whole or as before.
// Other processes of the machine use them, too: what is as it should be is not written.
func writeRevision(path string, reg, shapes []byte) error {
	at, err := observe.Path(path)
	if err != nil {
		return err
	}
	if shapes == nil {
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	} else {
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := writeChanged(at, shapes, maxShapes); err != nil {
			return err
		}
	}
	return writeChanged(path, reg, registry.MaxFileBytes)
}

func writeChanged(path string, data []byte, most int) error {
	if is, err := registry.ReadFile(path, most); err == nil && bytes.Equal(is, data) {
		return nil
	}
	return registry.WriteFile(path, data, 0o600)
}
