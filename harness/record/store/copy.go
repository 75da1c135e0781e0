package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Copy writes a record, by an ID as for Load, to a file, NAME.run.jsonl, and the values
// beside it to the folder NAME.run; existing ones are replaced. Without the key of its
// store, Run.Same does not know a value of the copy that was redacted or not kept.
func (s *Store) Copy(id, path string) error {
	base, ok := strings.CutSuffix(path, recordExt)
	if !ok {
		return fmt.Errorf("copying run %s to %s: the name of a record ends with %s", id, path, recordExt)
	}
	if err := s.copy(id, base); err != nil {
		return fmt.Errorf("copying run %s: %w", id, err)
	}
	return nil
}

func (s *Store) copy(id, base string) error {
	name, err := s.find(id)
	if err != nil {
		return err
	}
	data, running, err := readBytes(s.in, name)
	if err != nil {
		return err
	}
	r, err := record.Parse(data, stored(s.in, name, running, s.clock))
	if err != nil {
		return err
	}
	values, err := s.in.Values(name)
	if err != nil {
		return err
	}
	dir := base + besideExt
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if len(values) > 0 {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for _, sum := range values {
		value, err := r.Value(record.Data{SHA256: sum})
		if err == nil {
			err = registry.WriteFile(filepath.Join(dir, sum), value, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return registry.WriteFile(base+recordExt, data[:r.Size()], 0o600)
}
