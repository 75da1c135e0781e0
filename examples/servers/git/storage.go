package main

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// harmless are the extensions of a repository that go-git refuses although
// they change nothing for a reader: where settings are kept, that objects may
// be missing, and that none may be deleted.
var harmless = []string{"worktreeconfig", "partialclone", "preciousobjects"}

// storage is go-git's, without harmless extensions in its configuration: else
// a sparse checkout or a partial clone could not be opened.
type storage struct{ *filesystem.Storage }

func (s storage) Config() (*config.Config, error) {
	c, err := s.Storage.Config()
	if err != nil {
		return nil, err
	}
	extensions := c.Raw.Section("extensions")
	for _, option := range slices.Clone(extensions.Options) {
		if slices.Contains(harmless, strings.ToLower(option.Key)) {
			extensions.RemoveOption(option.Key)
		}
	}
	return c, nil
}
