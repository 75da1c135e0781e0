// Package skill reads the skills that MCP servers serve: folders with instructions for agents,
// in the format of agentskills.io, listed by the protocol's extension for skills.
//
// A [Skill] is an entry of skills/list. [Skill.Check] checks it before anything is read of it,
// [Skill.Verify] compares a SKILL.md with it, and [Parse] takes a SKILL.md apart. All that a
// server sends is untrusted: bounded, and never more than text.
package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/jsontree"
)

// Names of the protocol's extension for skills.
const (
	Extension  = "io.modelcontextprotocol/skills" // a key of capabilities.extensions
	MethodList = "skills/list"
	MethodGet  = "skills/get"
	FileName   = "SKILL.md"
	MIMEType   = "text/markdown"
)

// Limits of skills.
const (
	MaxName        = 64        // characters
	MaxDescription = 1024      // characters
	MaxFiles       = 512       // of one skill, SKILL.md included
	MaxBytes       = 16 << 20  // of all files of one skill
	MaxFront       = 32 << 10  // bytes of the front matter of a SKILL.md
	maxFrontJSON   = 128 << 10 // bytes of the front matter as JSON, its aliases written out
	maxURI         = 2048      // bytes
)

// Skill is an entry of skills/list: a folder with a SKILL.md.
type Skill struct {
	URI         string          `json:"uri"`         // of its SKILL.md
	Frontmatter json.RawMessage `json:"frontmatter"` // the front matter of SKILL.md as a JSON object
	Resources   Files           `json:"resources"`
}

// Files are all files of a skill, SKILL.md included.
type Files []File

// File is a file of a skill.
type File struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"` // see [Digest]
	Size   int64  `json:"size"`   // in bytes
}

// UnmarshalJSON reads a list of files. It returns an error for "dynamic", which the extension
// allows instead.
func (f *Files) UnmarshalJSON(data []byte) error {
	if string(data) == `"dynamic"` {
		return errors.New("its files change with each read, so they cannot be verified")
	}
	return json.Unmarshal(data, (*[]File)(f))
}

// Name returns the name in the front matter, or "".
func (s *Skill) Name() string { return s.front("name") }

// Description returns the description in the front matter, or "".
func (s *Skill) Description() string { return s.front("description") }

func (s *Skill) front(key string) string {
	v, _ := jsontree.Parse(s.Frontmatter, jsontree.Limits{Depth: 1})
	return v.Str(key)
}

// Digest returns the digest of a file: "sha256:" and 64 hexadecimal digits.
func Digest(file []byte) string {
	sum := sha256.Sum256(file)
	return "sha256:" + hex.EncodeToString(sum[:])
}

var (
	digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	nameForm   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// ValidName reports whether a name follows the rules of the format: lowercase letters, digits
// and single hyphens between them, at most MaxName.
func ValidName(name string) bool { return len(name) <= MaxName && nameForm.MatchString(name) }

// Check returns the first fault of an entry: of its URI, name, description or list of files.
func (s *Skill) Check() error {
	folder, ok := strings.CutSuffix(s.URI, "/"+FileName)
	scheme, path, ok2 := strings.Cut(folder, "://")
	if _, err := url.Parse(s.URI); err != nil || !ok || !ok2 || scheme == "" || len(s.URI) > maxURI || !plainPath(path) {
		return fmt.Errorf("uri %.200q: want the address of a %s, as in skill://name/%[2]s", s.URI, FileName)
	}
	name, about := s.Name(), s.Description()
	switch {
	case !ValidName(name):
		return fmt.Errorf("name %.200q: want lowercase letters, digits and single hyphens, at most %d", name, MaxName)
	case name != path[strings.LastIndexByte(path, '/')+1:]:
		return fmt.Errorf("name %q is not that of its folder: %.200q", name, s.URI)
	case strings.TrimSpace(about) == "":
		return errors.New("no description")
	case utf8.RuneCountInString(about) > MaxDescription:
		return fmt.Errorf("description longer than %d characters", MaxDescription)
	case len(s.Resources) > MaxFiles:
		return fmt.Errorf("%d files; want at most %d", len(s.Resources), MaxFiles)
	}
	var total int64
	seen := map[string]bool{}
	for _, f := range s.Resources {
		inside, ok := strings.CutPrefix(f.URI, folder+"/")
		switch {
		case !ok || len(f.URI) > maxURI || !plainPath(inside):
			return fmt.Errorf("file %.200q is outside the skill's folder", f.URI)
		case seen[f.URI]:
			return fmt.Errorf("file %.200q is listed twice", f.URI)
		case !digestForm.MatchString(f.Digest):
			return fmt.Errorf("file %.200q: digest %.100q: want sha256: and 64 hexadecimal digits", f.URI, f.Digest)
		case f.Size < 0 || f.Size > MaxBytes || total+f.Size > MaxBytes:
			return fmt.Errorf("files larger than %d bytes", MaxBytes)
		}
		seen[f.URI] = true
		total += f.Size
	}
	if !seen[s.URI] {
		return fmt.Errorf("its %s is not among its files", FileName)
	}
	return nil
}

// plainPath reports whether a path has segments that name files and folders and nothing else:
// no empty ones, none that lead elsewhere, no query.
func plainPath(path string) bool {
	if strings.ContainsAny(path, "?#\\") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		name, err := url.PathUnescape(segment)
		if err != nil || name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\`) ||
			!utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return false
		}
	}
	return true
}

// Verify checks an entry, and that a SKILL.md matches it: its size, its digest, and
// each field of its front matter.
func (s *Skill) Verify(markdown []byte) error {
	if err := s.Check(); err != nil {
		return err
	}
	f := s.Resources[slices.IndexFunc(s.Resources, func(f File) bool { return f.URI == s.URI })] // see Check
	if f.Size != int64(len(markdown)) {
		return fmt.Errorf("%s has %d bytes; its entry says %d", FileName, len(markdown), f.Size)
	}
	if digest := Digest(markdown); f.Digest != digest {
		return fmt.Errorf("%s has the digest %s; its entry says %s", FileName, digest, f.Digest)
	}
	front, _, err := Parse(markdown)
	if err != nil {
		return err
	}
	var read, listed map[string]any
	if err := errors.Join(json.Unmarshal(front, &read), json.Unmarshal(s.Frontmatter, &listed)); err != nil {
		return fmt.Errorf("front matter: %w", err)
	}
	all := maps.Clone(read)
	maps.Copy(all, listed)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(read[key], listed[key]) {
			return fmt.Errorf("%.100q in the front matter of %s differs from its entry", key, FileName)
		}
	}
	return nil
}

// frontMatter matches what precedes the text of a SKILL.md.
var frontMatter = regexp.MustCompile(`^\x{FEFF}?---[ \t\r]*\n((?s:.*?\n)??)---[ \t\r]*(?:\n|$)`)

// Parse returns the front matter of a SKILL.md as a JSON object, with its keys in their order,
// and the text that follows.
func Parse(markdown []byte) (front json.RawMessage, body string, err error) {
	if !utf8.Valid(markdown) {
		return nil, "", errors.New("not UTF-8")
	}
	at := frontMatter.FindSubmatchIndex(markdown)
	if at == nil || at[3]-at[2] > MaxFront {
		return nil, "", fmt.Errorf("no front matter: want --- as its first line, and again within %d bytes", MaxFront)
	}
	if front, err = jsontree.FromYAML(markdown[at[2]:at[3]], maxFrontJSON); err != nil {
		return nil, "", fmt.Errorf("front matter: %w", err)
	}
	if v, _ := jsontree.Parse(front, jsontree.Limits{Depth: 1}); len(v.Twice) > 0 {
		return nil, "", fmt.Errorf("front matter: %.100q comes twice", v.Twice[0])
	}
	return front, string(markdown[at[1]:]), nil
}
