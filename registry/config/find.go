package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ProjectFile is the config of a project that no client reads. It has servers that were moved
// from a client, or belong to none.
const ProjectFile = ".usetools/mcp.json"

// DefaultFiles are the paths within a folder that [Search] tries, in this order.
var DefaultFiles = []string{ProjectFile, ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".codex/tools.json"}

// UserFile returns the config that is used if no project has one: usetools/mcp.json in the user's
// config folder. It returns "" without such a folder.
func UserFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "usetools", "mcp.json")
}

// Found is the result of a search for a config.
type Found struct {
	Files []string // one path, or none
	// Elsewhere reports that the file is not in the folder where the search began.
	Elsewhere bool
	// Refused lists files that were skipped because other users could write them, with reasons.
	Refused []string
}

// Search looks for a config: [DefaultFiles] in dir, then in the folders above it up to the root
// of the repository or the user's home folder, whichever comes first, and finally [UserFile]. It
// does not look above a dir that is in neither of these.
//
// It uses a regular file that belongs to this user or to root and that no other user can write;
// it does not check that on Windows. It skips a file that has only the harness itself, as a
// client's file has after its servers were moved.
func Search(dir string) Found {
	var f Found
	abs, err := filepath.Abs(dir)
	if err != nil {
		return f
	}
	for i, folder := range folders(abs) {
		for _, name := range DefaultFiles {
			if i > 0 && folder == home() && filepath.Dir(name) != "." && name != ProjectFile {
				continue // a client's config for all projects
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

// takes reports whether the file at path is a usable config.
func (f *Found) takes(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if why := writable(info); why != "" {
		f.Refused = append(f.Refused, fmt.Sprintf("%s is not used: %s; change that, or name it with -config", path, why))
		return false
	}
	return !onlyHarness(path)
}

// Project returns the root of the project of a folder: of its repository, or the nearest folder
// below that with a config. It returns "" without either.
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

// Above returns the nearest folder that has a file of this name, from dir up as far as [Search]
// goes, but only below the home folder. It returns "" without such a folder.
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

// folders returns the folders that a search visits, dir first.
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

// onlyHarness reports whether a file has servers and all are harness serve.
func onlyHarness(path string) bool {
	f, err := readFile(path)
	return err == nil && len(f.servers) > 0 && len(f.disabled) == 0 &&
		!slices.ContainsFunc(f.servers, func(s Server) bool { return !s.RunsHarness() })
}

// readSecret returns the content of a file with a secret, without the last line end. Other users
// must not be able to read it. "~/" is the home folder; other paths are relative to dir.
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
		return "", fmt.Errorf("${file:%s}: not a regular file", path)
	}
	if why := readable(info); why != "" {
		return "", fmt.Errorf("${file:%s}: %s; chmod 600 makes it yours alone", path, why)
	}
	data, err := readBounded(path, maxSecretBytes)
	if err != nil {
		return "", fmt.Errorf("${file:%s}: %w", path, withoutPath(err))
	}
	if strings.ContainsRune(string(data), 0) {
		return "", fmt.Errorf("${file:%s}: the file has a zero byte, so it is not a secret", path)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// maxSecretBytes bounds the file of a secret.
const maxSecretBytes = 64 << 10

// withoutPath returns the reason of a file error without the path.
func withoutPath(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}
