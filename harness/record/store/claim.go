package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// onceDir is the folder of claims.
const onceDir = "once"

// Once claims a text until a time and reports whether it was free. Among all processes with the
// same folder, one gets the claim.
func (s *Store) Once(text string, until time.Time) (bool, error) {
	now := s.clock()
	if until.Before(now) {
		return false, errors.New("claiming: the time has passed")
	}
	first, err := s.in.Once(fmt.Sprintf("%x-%x", until.Add(clockSkew).Unix()+1, sha256.Sum256([]byte(text))), now)
	if err != nil {
		return false, fmt.Errorf("claiming: %w", err)
	}
	return first, nil
}

// clockSkew is how much longer a claim is kept, since the clocks of processes with the same
// folder may differ.
const clockSkew = time.Hour

// claimOver reports whether a claim has expired.
func claimOver(name string, now time.Time) bool {
	until, _, _ := strings.Cut(name, "-")
	t, err := strconv.ParseInt(until, 16, 64)
	return err == nil && t < now.Unix()
}

func (d *folder) Once(name string, now time.Time) (bool, error) {
	if err := d.root.Mkdir(onceDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	dir, err := d.root.Open(onceDir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	f, err := d.root.OpenFile(path.Join(onceDir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := errors.Join(f.Close(), syncDir(dir)); err != nil {
		return false, err
	}
	names, _ := dir.Readdirnames(-1)
	for _, old := range names {
		if claimOver(old, now) {
			d.root.Remove(path.Join(onceDir, old)) // another process may do so too
		}
	}
	return true, nil
}
