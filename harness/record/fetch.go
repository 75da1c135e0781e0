package record

import (
	"errors"
	"io/fs"
)

// fetched is the file beside a record whose result was given to whom sent the same
// request again.
const fetched = "fetched"

// Fetch notes that the result of a run is given to whoever sent its request again. It
// reports whether that has not been done before.
func (s *Store) Fetch(id string) bool {
	name, err := s.find(id)
	return err == nil && s.in.Put(name, fetched, nil) == nil
}

// Fetched reports whether Fetch was called for a run, or that cannot be known.
func (s *Store) Fetched(id string) bool {
	name, err := s.find(id)
	if err == nil {
		_, err = s.in.Value(name, fetched, 0)
	}
	return !errors.Is(err, fs.ErrNotExist)
}
