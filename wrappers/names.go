package wrappers

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"github.com/usetools/usetools/registry"
)

// initialisms are words that Go writes in capitals, as in ID and URL: the list of Go's style
// checkers, plus words that tools often use.
var initialisms = map[string]bool{
	"acl": true, "api": true, "ascii": true, "cpu": true, "css": true, "csv": true, "dns": true, "eof": true,
	"guid": true, "html": true, "http": true, "https": true, "id": true, "ip": true, "json": true, "jwt": true,
	"pdf": true, "qps": true, "ram": true, "rpc": true, "sha": true, "sla": true, "smtp": true, "sql": true,
	"ssh": true, "sso": true, "tcp": true, "tls": true, "ttl": true, "udp": true, "ui": true, "uid": true,
	"uri": true, "url": true, "utf8": true, "uuid": true, "vm": true, "xml": true, "xss": true, "yaml": true,
}

// Words splits a name of any convention into lower-case words: get_user-byID.v2
// → get user by id v2. Runs of capitals are one word (HTTPServer → http
// server). All other characters, and invisible ones, separate words.
func Words(name string) []string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" { // most names
		return strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
	}
	var out []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			out = append(out, strings.ToLower(string(cur)))
			cur = cur[:0]
		}
	}
	rs := []rune(name)
	for i, r := range rs {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || registry.Invisible(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && len(cur) > 0 {
			last := cur[len(cur)-1]
			next := i+1 < len(rs) && unicode.IsLower(rs[i+1])
			if !unicode.IsUpper(last) || next {
				flush()
			}
		}
		cur = append(cur, r)
	}
	flush()
	return out
}

// exported joins words into an exported Go identifier: repo path → RepoPath, user id → UserID. It
// adds an X if the first word cannot start an identifier.
func exported(ws []string) string {
	var b strings.Builder
	for _, w := range ws {
		if initialisms[w] {
			b.WriteString(strings.ToUpper(w))
			continue
		}
		if one, ok := strings.CutSuffix(w, "s"); ok && initialisms[one] { // IDs, URLs
			b.WriteString(strings.ToUpper(one) + "s")
			continue
		}
		rs := []rune(w)
		rs[0] = unicode.ToUpper(rs[0])
		b.WriteString(string(rs))
	}
	s := b.String()
	if s == "" {
		return "X"
	}
	if first := []rune(s)[0]; !unicode.IsUpper(first) {
		s = "X" + s
	}
	return s
}

// identifier returns the exported Go name of a tool, a property or a definition.
func identifier(name string) string { return exported(Words(name)) }

// singular returns the name of one item of a list: entities → entity, branches → branch. Words
// that only look plural are unchanged (status, address).
func singular(ws []string) []string {
	if len(ws) == 0 {
		return ws
	}
	out := append([]string(nil), ws...)
	w := out[len(out)-1]
	switch {
	case len(w) <= 3 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return out
	case strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"),
		strings.HasSuffix(w, "sses"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s"):
		w = w[:len(w)-1]
	}
	out[len(out)-1] = w
	return out
}

// scope has the identifiers that are taken, and for each the first number that may still be free.
type scope map[string]int // 0 if the identifier is free

// take returns name, or name with the first free number appended.
func (s scope) take(name string) string {
	out, n := name, max(s[name], 2)
	for ; s[out] > 0; n++ {
		out = name + strconv.Itoa(n)
	}
	s[name] = n
	s.add(out)
	return out
}

// add marks a name as taken.
func (s scope) add(name string) { s[name] = max(s[name], 1) }

// reserved are package names that the go command treats specially.
var reserved = map[string]bool{"main": true, "init": true, "internal": true, "vendor": true, "testdata": true,
	"documentation": true}

// packageName returns the Go package of a server before clashes are resolved: its key in lower
// case, with only letters and digits.
func packageName(key string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(key) {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
		}
	}
	s := b.String()
	switch {
	case s == "":
		return "server"
	case unicode.IsDigit(rune(s[0])):
		s = "s" + s
	}
	if token.IsKeyword(s) || reserved[s] || types.Universe.Lookup(s) != nil {
		s += "server"
	}
	return s
}

// trimAffixes removes the parts of a server's key that only mean "MCP server": mcp-server-git,
// git-mcp-server, server-git and git-mcp all become git.
func trimAffixes(key string) string {
	k := strings.ToLower(key)
	for _, p := range []string{"mcp-server-", "server-", "mcp-"} {
		if rest, ok := strings.CutPrefix(k, p); ok {
			k = rest
			break
		}
	}
	for _, p := range []string{"-mcp-server", "-mcp", "-server"} {
		if rest, ok := strings.CutSuffix(k, p); ok {
			k = rest
			break
		}
	}
	if packageName(k) == "server" {
		return key
	}
	return k
}

// packageNames assigns a package to every server key. keys must be sorted. It uses the short form
// if no other server has the same one. Names that still clash get numbers, in the order of the
// keys.
func packageNames(keys []string) map[string]string {
	short := map[string]int{}
	for _, k := range keys {
		short[packageName(trimAffixes(k))]++
	}
	out := make(map[string]string, len(keys))
	used := scope{}
	// Keys that equal their short form come first: "git" stays git, even beside "git-2".
	for _, own := range []bool{true, false} {
		for _, k := range keys {
			if (packageName(k) == k) != own {
				continue
			}
			name := packageName(trimAffixes(k))
			if short[name] > 1 {
				name = packageName(k)
			}
			out[k] = used.take(name)
		}
	}
	return out
}

// functionNames assigns a Go function to every tool of a server. tools must be sorted. A leading
// repetition of the server's words is removed from a tool's name (git_log of the servers git,
// mcp-server-git and git-cyanheads → Log). The exceptions, which keep the full name:
//
//   - nothing would be left (git of git → Git);
//   - the rest would start with a digit (x_1 of x → X1);
//   - the rest is the full name of another tool (git_log beside log → GitLog);
//   - two tools would share the rest (git_log and git-log → GitLog, GitLog2).
//
// Names that still clash get numbers, in the order of the tools' names. The tools in late are
// named last, so that the other names do not depend on them.
func functionNames(server string, tools, late []string) map[string]string {
	plain := map[string]bool{}
	for _, t := range tools {
		plain[identifier(t)] = true
	}
	short := map[string]string{}
	count := map[string]int{}
	prefix := Words(trimAffixes(server))
	for _, t := range tools {
		if s := withoutStutter(prefix, Words(t)); s != "" && !plain[s] {
			short[t] = s
			count[s]++
		}
	}
	out := make(map[string]string, len(tools))
	used := scope{}
	for _, t := range tools {
		name := identifier(t)
		if s := short[t]; s != "" && count[s] == 1 {
			name = s
		}
		out[t] = used.take(name)
	}
	for _, t := range late {
		out[t] = used.take(identifier(t))
	}
	return out
}

// withoutStutter returns the identifier of tool without the leading words that it shares with the
// server, or "".
func withoutStutter(server, tool []string) string {
	n := 0
	for n < len(server) && n < len(tool) && server[n] == tool[n] {
		n++
	}
	if n == 0 || n == len(tool) || unicode.IsDigit([]rune(tool[n])[0]) {
		return ""
	}
	return exported(tool[n:])
}

// Fold returns the form in which lenient lookups compare names: lower case, only letters and
// digits (git_log, gitLog and GitLog become gitlog).
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
