// Package localfile reads and writes the program's own files on this machine: caches, records and
// settings, all of bounded size. [Read] refuses larger files. [Write] replaces a file atomically:
// a reader sees the old content or the new one, also after a crash. [Append] adds lines to a file
// and removes the older half when it is full. [Prune] bounds a folder.
//
// The files for the tools of one registry file have names made from its absolute path
// ([SidePath]), and those of one tenant have names with the tenant's key ([ApartPath]).
package localfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// SidePath returns the path for data of one kind about the tools of a registry file: in
// folder/kind, with a name made from the registry's absolute path.
func SidePath(folder, kind, registryFile string) (string, error) {
	abs, err := filepath.Abs(registryFile)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join(folder, "usetools", kind, hex.EncodeToString(sum[:8])), nil
}

// CachePath returns the SidePath of a file in the user's cache folder, with the given ending.
func CachePath(kind, registryFile, ending string) (string, error) {
	folder, err := os.UserCacheDir()
	if err == nil {
		folder, err = SidePath(folder, kind, registryFile)
	}
	if err != nil {
		return "", fmt.Errorf("locating the file of %s: %w", kind, err)
	}
	return folder + ending, nil
}

// ApartKey returns a hash of a key, such as a tenant's, for ApartPath.
func ApartKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// ApartPath returns the path of a file or folder beside path, for a key from ApartKey.
func ApartPath(path, key string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "-" + key + ext
}

// Prune removes files with the given ending from a folder, the least recently changed first,
// until at most the given number of files and bytes is left. It never removes the file except.
func Prune(folder, ending, except string, files int, limit int64) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	var all []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ending {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	size := int64(0)
	for i, info := range all {
		size += info.Size()
		if path := filepath.Join(folder, info.Name()); path != except && (i >= files || size > limit) {
			os.Remove(path)
		}
	}
}

// SizeError is returned by Read for a larger file. It is the limit, in bytes.
type SizeError int

func (e SizeError) Error() string { return fmt.Sprintf("larger than %d bytes", int(e)) }

// Read returns the content of a file of at most limit bytes. It returns a SizeError if the file is
// larger, and an error for a pipe or a device, which may never end.
func Read(path string, limit int) ([]byte, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	if info, err := f.Stat(); err == nil {
		data.Grow(int(min(info.Size(), int64(limit))) + bytes.MinRead) // growing step by step takes three times the memory
	}
	_, err = data.ReadFrom(io.LimitReader(f, int64(limit)+1))
	if err == nil && data.Len() > limit {
		err = SizeError(limit)
	}
	return data.Bytes(), err
}

// WritePrivate is Write for a file that only its owner can read. It creates a missing folder.
func WritePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return Write(path, data, 0o600)
}

// Append adds whole lines to a file. It creates a missing file and folder. If the file would have
// more than limit bytes, Append first removes the older half of its lines. It locks the file
// against other processes.
func Append(path string, lines []byte, limit int, mode os.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err == nil && info.Size()+int64(len(lines)) > int64(limit) {
		newer := make([]byte, min(info.Size(), int64(limit/2)))
		if _, err = f.ReadAt(newer, info.Size()-int64(len(newer))); err == nil {
			err = f.Truncate(0)
		}
		lines = append(newer[bytes.IndexByte(newer, '\n')+1:], lines...)
	}
	if err == nil {
		_, err = f.Write(lines)
	}
	return err
}

// Write replaces the content of path atomically: readers see the old content or the new one, also
// after a crash. The file has mode 0600 until it is complete, then mode. Write also removes old
// temporary files of killed writers.
func Write(path string, data []byte, mode os.FileMode) (err error) {
	removeStale(path)
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// staleAfter is the age at which a temporary file counts as abandoned.
const staleAfter = time.Hour

// removeStale removes the temporary files of Write for this path that are older than staleAfter.
// It matches the names that [os.CreateTemp] makes.
func removeStale(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		random, ok := strings.CutPrefix(e.Name(), "."+filepath.Base(path)+".")
		random, ok2 := strings.CutSuffix(random, ".tmp")
		if !ok || !ok2 || random == "" || strings.Trim(random, "0123456789") != "" || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}
