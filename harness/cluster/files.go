package cluster

import (
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
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/localfile"
	"github.com/usetools/usetools/wrappers/observe"
)

// A revision is the only object of the bucket, compressed by gzip: the registry file and, after a
// NUL byte, the inferred result types, if any.
const (
	filesBucket    = "ut_files"
	filesStream    = "OBJ_" + filesBucket
	registryObject = "registry"
)

// Bounds of revisions.
const (
	maxRevision = 256 << 20 // bytes, compressed
	maxShapes   = 8 << 20   // bytes
	fetchTime   = time.Minute
)

// Revision returns the digest of the registry that this process follows, with the inferred result
// types. If it follows none, Revision is empty.
func (c *Cluster) Revision() string {
	if r := c.revision.Load(); r != nil {
		return *r
	}
	return ""
}

// HasRevision reports whether this process has a revision, or has the newest one.
func (c *Cluster) HasRevision(ctx context.Context, revision string) bool {
	if revision == "" || revision == c.Revision() {
		return true
	}
	newest, err := c.newestRevision(ctx)
	return err == nil && newest != nil && newest.Revision == c.Revision()
}

// PublishRegistry publishes a registry file, with the inferred result types beside it, as the
// newest revision for all processes that follow it, and returns its digest. The earlier revision is
// removed.
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
	digest := digestOf(data)
	info, err := c.registryInfo(ctx)
	if err != nil || info != nil && info.Digest == digest {
		return digest, err
	}
	for {
		_, err := c.files.Put(ctx, jetstream.ObjectMeta{Name: registryObject}, bytes.NewReader(data))
		if !lostRequest(err) || ctx.Err() != nil {
			return digest, err
		}
	}
}

// registryInfo returns the entry of the newest revision, or nil.
func (c *Cluster) registryInfo(ctx context.Context) (info *jetstream.ObjectInfo, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		if info, err = c.files.GetInfo(ctx, registryObject); errors.Is(err, jetstream.ErrObjectNotFound) {
			info, err = nil, nil
		}
		return err
	})
	return info, err
}

// packRevision returns the revision of the registry at a path.
func packRevision(path string) ([]byte, error) {
	reg, err := localfile.Read(path, registry.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	if _, err := registry.Decode(reg); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	zip.Write(reg)
	if at, err := observe.Path(path); err == nil {
		if _, err := observe.Fixed(at); err != nil {
			return nil, err
		}
		shapes, err := localfile.Read(at, maxShapes)
		if err == nil {
			zip.Write(append([]byte{0}, shapes...))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	if out.Len() > maxRevision {
		return nil, fmt.Errorf("the registry has %d bytes when compressed; at most %d can be published", out.Len(), maxRevision)
	}
	return out.Bytes(), nil
}

// digestOf returns the digest of an object as its store writes it.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "SHA-256=" + base64.URLEncoding.EncodeToString(sum[:])
}

// unpackRevision returns the files of a revision. If it has no inferred types, shapes is nil.
func unpackRevision(data []byte) (reg, shapes []byte, err error) {
	all, err := unzip(data, registry.MaxFileBytes+1+maxShapes)
	if err != nil {
		return nil, nil, err
	}
	reg, shapes, _ = bytes.Cut(all, []byte{0})
	if !bytes.HasPrefix(reg, []byte("{")) || len(reg) > registry.MaxFileBytes || len(shapes) > maxShapes {
		return nil, nil, errors.New("it is from another version: publish it again with build-registry -cluster")
	}
	return reg, shapes, nil
}

// Follow makes files use the registry of the cluster: the newest revision, if there is one, and
// each later one. A copy is stored in the user's cache folder. Until a registry is published, files
// with a config build their own.
func (c *Cluster) Follow(ctx context.Context, files *catalog.Files) error {
	path, err := c.copyOf()
	there := false
	if err == nil {
		there, err = c.firstRevision(ctx, path)
	}
	if err != nil {
		return fmt.Errorf("the registry of the cluster: %w", err)
	}
	files.Follow = &catalog.Followed{Path: path, Later: !there && len(files.AllConfigs()) > 0,
		Watch: func(ctx context.Context, renewed func()) error { return c.WatchFiles(ctx, path, renewed) }}
	if !there && !files.Follow.Later {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // from an earlier cluster at this URL
			return fmt.Errorf("the registry of the cluster: %w", err)
		}
	}
	return nil
}

// copyOf returns the path of the copy of the registry, and makes its folder.
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
	return filepath.Join(folder, catalog.RegistryFile), os.MkdirAll(folder, 0o700)
}

// firstRevision writes the newest revision to a path, if there is one.
func (c *Cluster) firstRevision(ctx context.Context, path string) (there bool, err error) {
	data, err := c.download(ctx)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil
	}
	if err == nil {
		err = writeRevision(path, data)
	}
	if err != nil {
		return false, c.reached(err)
	}
	c.revision.Store(new(digestOf(data)))
	return true, nil
}

// WatchFiles keeps the newest revision in the file at path, and in the file of package observe that
// belongs to it, until ctx ends. It calls renewed after each replacement.
func (c *Cluster) WatchFiles(ctx context.Context, path string, renewed func()) error {
	return c.following(ctx, "registry", func(ctx context.Context) error { return c.watchFiles(ctx, path, renewed) })
}

// following calls watch again, a second after each failure, until ctx or c ends.
func (c *Cluster) following(ctx context.Context, what string, watch func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	for {
		err := watch(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.log.Warn("following the "+what+" of the cluster", "error", err, "again_in", time.Second)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// watchFiles does what WatchFiles does until something fails.
func (c *Cluster) watchFiles(ctx context.Context, path string, renewed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch, err := c.files.Watch(ctx)
	if err != nil {
		return err
	}
	defer watch.Stop()
	type fetch struct {
		data   []byte
		digest string
		err    error
	}
	newest, fetched := c.Revision(), make(chan fetch)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case info, ok := <-watch.Updates():
			switch {
			case !ok:
				return errors.New("the watch has ended")
			case info == nil || info.Name != registryObject || info.Deleted || info.Digest == newest:
				continue
			}
			newest = info.Digest
			go func() { // until its deadline: a read of a removed revision does not end earlier
				got := fetch{digest: info.Digest}
				if got.data, got.err = c.download(ctx); got.err == nil {
					got.digest = digestOf(got.data)
				}
				select {
				case fetched <- got:
				case <-ctx.Done():
				}
			}()
		case got := <-fetched:
			if got.digest != newest { // a newer one is being fetched; this one may have been removed
				continue
			}
			if got.err == nil {
				got.err = writeRevision(path, got.data)
			}
			if got.err != nil {
				return got.err
			}
			renewed()
			c.revision.Store(&got.digest)
		}
	}
}

// download reads the newest revision.
func (c *Cluster) download(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	object, err := c.files.Get(ctx, registryObject)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return io.ReadAll(io.LimitReader(object, maxRevision+1)) // which checks the digest
}

// writeRevision writes the files of a revision. Each file is replaced as a whole or not at all.
func writeRevision(path string, data []byte) error {
	reg, shapes, err := unpackRevision(data)
	if err != nil {
		return fmt.Errorf("revision %s: %w", digestOf(data), err)
	}
	at, err := observe.Path(path)
	if err != nil {
		return err
	}
	if shapes == nil {
		err = os.Remove(at)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	} else {
		err = localfile.WritePrivate(at, shapes)
	}
	if err != nil {
		return err
	}
	return localfile.Write(path, reg, 0o600)
}
