package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/usetools/usetools/registry"
)

// Copy writes the record to a file, NAME.run.jsonl, and what stands beside it to
// the folder NAME.run; what is there is replaced. Without the key of its store,
// Same does not know a value of the copy that was redacted or not kept.
func (r *Run) Copy(path string) error {
	base, ok := strings.CutSuffix(path, recordExt)
	if !ok {
		return fmt.Errorf("copying run %s to %s: the name of a record ends with %s", r.Begin.ID, path, recordExt)
	}
	if err := r.copy(base); err != nil {
		return fmt.Errorf("copying run %s: %w", r.Begin.ID, err)
	}
	return nil
}

func (r *Run) copy(base string) error {
	now := &Run{in: r.in, name: r.name, clock: r.clock}
	data, err := now.bytes()
	if err != nil {
		return err
	}
	if err := now.read(data); err != nil {
		return err
	}
	values, err := r.in.Values(r.name)
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
		value, err := r.Value(Data{SHA256: sum})
		if err == nil {
			err = registry.WriteFile(filepath.Join(dir, sum), value, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return registry.WriteFile(base+recordExt, data[:int64(len(data))-now.Torn], 0o600)
}
