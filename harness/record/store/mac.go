package store

import (
	"github.com/usetools/usetools/harness/record"
)

// MAC returns the HMAC-SHA-256 of some texts, in their order, with the key of the
// store: the same from another process with the same folder. The first text says
// what it is for.
func (s *Store) MAC(texts ...string) ([]byte, error) {
	key, err := s.in.Key(true)
	if err != nil {
		return nil, err
	}
	return record.MAC(key, texts...), nil
}
