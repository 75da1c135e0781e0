package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ProjectFile is the config of a project that no client reads: where servers go
// that were a client's, or belong to none.
const ProjectFile = ".usetools/mcp.json"

// DefaultFiles are the places in a folder where [Search] looks, in this order.
var DefaultFiles = []string{ProjectFile, ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".codex/tools.json"}

// UserFile is the config that is meant where no project has one: usetools/mcp.json
// in the user's config folder; empty where there is no such folder.
func UserFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "usetools", "mcp.json")
}

// Found is what a search for a config came to.
type Found struct {
	Files []string // one, or none
	// Elsewhere says that the file is not in the folder that the search began in.
	Elsewhere bool
	// Refused are files that were passed over because others could have written
	// them, each with the reason.
	Refused []string
}

// Search looks for a config: [DefaultFiles] in dir, then in the folders above it
// up to the root of the repository or the user's home folder, whichever comes
// first (above a folder that is in neither nowhere), and last [UserFile].
//
// Taken is a regular file that belongs to this user or to root and that nobody
// else can write; Windows is not asked about that. A file that has nothing but
// the harness itself, as a client's has after its servers went elsewhere, is
// passed over.
func Search(dir string) Found {
	var f Found
	abs, err := filepath.Abs(dir)
	if err != nil {
		return f
	}
	for i, folder := range folders(abs) {
		for _, name := range DefaultFiles {
			if i > 0 && folder == home() && filepath.Dir(name) != "." && name != ProjectFile {
				continue // a client's own for all projects
			}
			path := filepath.Join(folder, filepath.FromSlash(name))
			if f.takes(path) {
				if i == 0 && dir == "." {
					path = filepath.FromSlash(name)
				} else if i == 0 {
					path = filepath.Join(dir, filepath.FromSlash(name))
				}
				f.Files, f.Elsewhere = []string{path}, i > 0
				return f
			}
		}
	}
	if path := UserFile(); path != "" && f.takes(path) {
		f.Files, f.Elsewhere = []string{path}, true
	}
	return f
}

// takes reports whether there is a config at path to be used.
func (f *Found) takes(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if why := writable(info); why != "" {
		f.Refused = append(f.Refused, fmt.Sprintf("%s is not used: %s; mend that, or name it with -config", path, why))
		return false
	}
	return !onlyHarness(path)
}

// Project is the root of the project that a folder is in: of its repository, or
// the nearest folder up to there that has a config; empty where it is in none.
func Project(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	all := folders(abs)
	for _, folder := range all {
		for _, name := range DefaultFiles {
			if folder != home() && has(folder, name) {
				return folder
			}
		}
	}
	if top := all[len(all)-1]; isRepository(top) {
		return top
	}
	return ""
}

// Above is the nearest folder, from dir up as far as [Search] goes, that has a
// file of this name, below the home folder only; empty where there is none.
func Above(dir, name string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for _, folder := range folders(abs) {
		if folder != home() && has(folder, name) {
			return folder
		}
	}
	return ""
}

// has reports whether a folder has a regular file of this name.
func has(folder, name string) bool {
	info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// folders are those that a search visits, dir first.
func folders(dir string) []string {
	var out []string
	for at := dir; ; {
		out = append(out, at)
		if isRepository(at) || at == home() {
			return out
		}
		up := filepath.Dir(at)
		if up == at {
			return []string{dir}
		}
		at = up
	}
}

func isRepository(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Clean(dir)
}

// onlyHarness reports whether a file has servers, and all are harness serve.
func onlyHarness(path string) bool {
	f, err := readFile(path)
	return err == nil && len(f.servers) > 0 && len(f.disabled) == 0 &&
		!slices.ContainsFunc(f.servers, func(s Server) bool { return !s.RunsHarness() })
}

// readSecret returns the content of a file that has a secret, without the end of
// its last line. Others must not be able to read it. "~/" is the home folder,
// other paths are relative to dir.
func readSecret(path, dir string) (string, error) {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/"); ok {
		path = filepath.Join(home(), filepath.FromSlash(rest))
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, filepath.FromSlash(path))
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("${file:%s}: %w", path, withoutPath(err))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("${file:%s}: is not a file", path)
	}
	if why := readable(info); why != "" {
		return "", fmt.Errorf("${file:%s}: %s; chmod 600 makes it yours alone", path, why)
	}
	data, err := readBounded(path, maxSecretBytes)
	if err != nil {
		return "", fmt.Errorf("${file:%s}: %w", path, withoutPath(err))
	}
	if strings.ContainsRune(string(data), 0) {
		return "", fmt.Errorf("${file:%s}: has a zero byte, which no secret has", path)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// maxSecretBytes bounds the file of a secret.
const maxSecretBytes = 64 << 10

// withoutPath is why a file could not be had, where its path has been said.
func withoutPath(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}
