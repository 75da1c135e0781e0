package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

const gitLog = `commit 9fceb02
Author: Scott Chacon <schacon@example.com>
Date:   Mon Mar 4 10:12:30 2024 +0100

    feat(api)!: drop v1 endpoints

    BREAKING CHANGE: clients must move to v2
    Closes: #12, #15

 api/v1.go | 120 ------------
 api/v2.go |  30 ++++++++++--
 2 files changed, 25 insertions(+), 125 deletions(-)

commit 85a3bd1
Author: Ann Lee <ann@example.com>
Date:   Sun Mar 3 23:59:59 2024 -0800

    fix: handle empty input

 parser.go      | 4 +++-
 parser_test.go | 10 ++++++++++
 2 files changed, 13 insertions(+), 1 deletion(-)

commit 1111111
Author: Ann Lee <ann@example.com>
Date:   Fri Feb 30 00:00:00 2024 +0000

    docs: bad date

commit 0abc123
Author: Scott Chacon <schacon@example.com>
Date:   Thu Feb 29 08:00:00 2024 +0000

    chore(deps): bump things
`

type Kind string

const (
	Feat  Kind = "feat"
	Fix   Kind = "fix"
	Chore Kind = "chore"
)

func (k Kind) Weight() int { return map[Kind]int{Feat: 3, Fix: 2}[k] + 1 }

type FileStat struct {
	Path    string
	Changes int
}
type Commit struct {
	Hash, Author, Email string
	When                time.Time
	Kind                Kind
	Scope, Subject      string
	Breaking            bool
	Refs                []string
	Files               []FileStat
	Trailers            map[string][]string
}

var (
	headerRE  = regexp.MustCompile(`^(\w+)(?:\(([^)]*)\))?(!)?: (.+)$`)
	fileRE    = regexp.MustCompile(`^ (\S+)\s+\|\s+(\d+) [+-]+$`)
	trailerRE = regexp.MustCompile(`(?m)^    ([A-Z][A-Za-z -]+): (.*)$`)
	refRE     = regexp.MustCompile(`#(\d+)`)
)

type logError struct {
	hash string
	err  error
}

func (l logError) Error() string { return l.hash + ": " + l.err.Error() }
func (l logError) Unwrap() error { return l.err }

func parseCommit(block string) (c Commit, err error) {
	defer func() {
		if err != nil {
			err = logError{c.Hash, err}
		}
	}()
	c.Trailers = map[string][]string{}
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "commit "):
			c.Hash = line[len("commit "):]
		case strings.HasPrefix(line, "Author: "):
			name, mail, ok := strings.Cut(line[8:], " <")
			if !ok {
				return c, errors.New("author")
			}
			c.Author, c.Email = name, strings.TrimSuffix(mail, ">")
		case strings.HasPrefix(line, "Date:"):
			if c.When, err = time.Parse("Mon Jan 2 15:04:05 2006 -0700", strings.TrimSpace(line[5:])); err != nil {
				return
			}
		case strings.HasPrefix(line, "    ") && c.Subject == "":
			m := headerRE.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				c.Subject = strings.TrimSpace(line)
				continue
			}
			c.Kind, c.Scope, c.Breaking, c.Subject = Kind(m[1]), m[2], m[3] == "!", m[4]
		default:
			if m := fileRE.FindStringSubmatch(line); m != nil {
				var n int
				fmt.Sscan(m[2], &n)
				c.Files = append(c.Files, FileStat{m[1], n})
			}
		}
	}
	for _, m := range trailerRE.FindAllStringSubmatch(block, -1) {
		if m[1] == "BREAKING CHANGE" {
			c.Breaking = true
		}
		c.Trailers[m[1]] = append(c.Trailers[m[1]], m[2])
		for _, r := range refRE.FindAllString(m[2], -1) {
			c.Refs = append(c.Refs, r)
		}
	}
	return
}

type Version [3]int

func (v Version) String() string { return fmt.Sprintf("v%d.%d.%d", v[0], v[1], v[2]) }
func (v Version) Bump(cs []Commit) Version {
	level := 3
	for _, c := range cs {
		switch {
		case c.Breaking:
			level = min(level, 0)
		case c.Kind == Feat:
			level = min(level, 1)
		default:
			level = min(level, 2)
		}
	}
	if level < 3 {
		v[level]++
		clear(v[level+1:])
	}
	return v
}

func main() {
	var commits []Commit
	var errs []error
	for i, block := range strings.Split(gitLog, "\ncommit ") {
		if i > 0 {
			block = "commit " + block
		}
		c, err := parseCommit(block)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		commits = append(commits, c)
	}
	err := errors.Join(errs...)
	var pe *time.ParseError
	fmt.Println(err, errors.As(err, &pe))
	slices.SortFunc(commits, func(a, b Commit) int { return a.When.Compare(b.When) })
	churn := map[string]int{}
	byAuthor := map[string][]string{}
	for _, c := range commits {
		fmt.Printf("%s %-6s %-5s %t %-24q %s %v\n", c.Hash, c.Kind, c.Scope, c.Breaking, c.Subject, c.When.UTC().Format(time.Stamp), c.Refs)
		for _, f := range c.Files {
			churn[f.Path] += f.Changes
		}
		byAuthor[c.Email] = append(byAuthor[c.Email], c.Hash[:3])
	}
	top := slices.SortedFunc(maps.Keys(churn), func(a, b string) int { return cmp.Or(churn[b]-churn[a], strings.Compare(a, b)) })
	fmt.Println(top, byAuthor, Version{1, 4, 2}.Bump(commits), Version{1, 4, 2}.Bump(commits[:1]), Version{1, 0, 9}.Bump(nil))
	score := 0
	for _, c := range commits {
		score += c.Kind.Weight()
	}
	fmt.Println(score, commits[2].Trailers, commits[len(commits)-1].Files)
}
