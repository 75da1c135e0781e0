package store

import (
	"errors"
	"io/fs"
)

// Files beside a record whose result a client did not get with its first request.
const (
	fetched   = "fetched"   // it got the result when it sent the request again
	missed    = "missed"    // it was gone when the run ended
	recovered = "recovered" // it got the missed result when it sent the request again
)

// Fetch notes that the client that sent its request again gets the result of a run. It reports
// whether this is the first time.
func (s *Store) Fetch(id string) bool { return s.putMark(id, fetched) == nil }

// Fetched reports whether Fetch was called for a run, or may have been.
func (s *Store) Fetched(id string) bool { return s.hasMark(id, fetched) }

// Miss notes that the client of a run was gone when the run ended.
func (s *Store) Miss(id string) error { return s.putMark(id, missed) }

// Recover reports whether Miss was called for a run, and Recover was not.
func (s *Store) Recover(id string) bool {
	return s.hasMark(id, missed) && s.putMark(id, recovered) == nil
}

func (s *Store) putMark(id, file string) error {
	name, err := s.find(id)
	if err != nil {
		return err
	}
	return s.in.Put(name, file, nil)
}

// hasMark reports whether a file is beside a record, or may be.
func (s *Store) hasMark(id, file string) bool {
	name, err := s.find(id)
	if err == nil {
		_, err = s.in.Value(name, file, 0)
	}
	return !errors.Is(err, fs.ErrNotExist)
}
