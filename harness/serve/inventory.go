package serve

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// teaching is how to write a script, the part of the description that is
// always there. Every fact in it has spared models a refused script.
const teaching = `Runs a Go script. Tools: server.Tool(server.ToolParams{Field: v}) (r, err); server.Tool() without arguments.
UseTools("commits of a repo") // plain words, or a server: all its tools; needless for known names; alone: a look-up of signatures
r, err := git.Log(git.LogParams{MaxCount: 9})
if err != nil { panic(err) } // may be nil when a server reports failure as text
Return(r.Text()) // what fmt.Println printed comes after it
What is written is sent, zeros too; nothing else. r has typed fields where known, always Text(), JSON(&v) (Python's repr too), Images(). Nothing runs unless all compiles; a wrong guess is answered like a look-up, with all signatures: just call servers you know. Standard packages need no import (no files, network, processes; %s). Input("k", &v), Stored("id", &v) read inputs, a cut result.`

const (
	// teachingTokens is what a list with nothing but teaching costs, without
	// its time limit: a test counts it.
	teachingTokens = 272
	// minDescribeTokens is the least that a description can do with.
	minDescribeTokens = teachingTokens + 14
)

// description is what clients are told of execute: how to write a script, then
// as much of what is behind it as the budget allows. It follows from the
// registry, the saved scripts and the options, and with Options.UsageOrder from
// the use counts.
func (s *Server) description(cat *catalog.Catalog, saved string) string {
	limit := s.opts.Limits.Timeout.String()
	base := fmt.Sprintf(teaching, limit)
	if cat == nil {
		return base + "\nThe tools are still being loaded."
	}
	left := s.opts.DescribeTokens*24/25 - teachingTokens - text.Tokens(limit)
	list, room := inventory(cat, s.opts.Policy, s.usage, left, text.Tokens(saved))
	if !room {
		saved = ""
	}
	return base + saved + "\n" + list
}

// Bounds of what the description says of saved scripts.
const (
	maxSaved     = 4
	maxSavedName = 24 // bytes; longer names are left out
)

// saved names some of the saved scripts, where there are any that compile and
// the description has room.
func (s *Server) saved(cat *catalog.Catalog) string {
	if cat.Scripts == nil || s.opts.DescribeTokens < minDescribeTokens+60 {
		return ""
	}
	all, err := cat.Scripts.Names()
	if err != nil {
		return ""
	}
	var names []string
	for _, name := range all {
		if len(names) == maxSaved {
			names = append(names, "…")
			break
		}
		if len(name) <= maxSavedName {
			if script, err := cat.Scripts.Load(name); err == nil && script.Broken == "" {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ` Saved scripts, for v, err := RunScript("name", inputs): ` + strings.Join(names, ", ")
}

// stocked is a server in the inventory.
type stocked struct {
	*wrappers.Server
	Tools    []*wrappers.Tool // those that may be called, the most used first where that counts
	standing standing
	used     int // rank of its most used tool
	topics   topics
	cost     int // tokens of its name

	// What is said of it:
	named  bool
	words  []string // what it is about
	place  string   // what it works on
	signed map[*wrappers.Tool]bool
	funcs  bool // names of the other functions
}

// standing says whether a server's tools can be called, as far as the registry
// tells.
type standing int

const (
	callable standing = iota
	snapshot
	down
)

// headings stand before the servers of each standing.
var headings = [...]string{callable: "Servers:", snapshot: "Snapshots, not callable:", down: "Down at the last build:"}

// entry is the server among those whose name is all, or nearly all, that is
// said of them.
func (s *stocked) entry() string {
	about := strings.Join(s.words, " ")
	if s.place != "" {
		about = strings.TrimPrefix(about+"; "+s.place, "; ")
	}
	if about == "" {
		return s.Package
	}
	return s.Package + " (" + about + ")"
}

// whole reports whether all tools have their signature, which say the name too.
func (s *stocked) whole() bool { return len(s.signed) == len(s.Tools) && len(s.Tools) > 0 }

// spared is what need not be said where there is a line for every tool.
func (s *stocked) spared() int {
	if s.place != "" {
		return 0
	}
	return s.cost + wordsCost(s.words)
}

// brackets is what a pair of them costs behind a name.
const brackets = 2

// wordsCost is what words in brackets behind a name cost.
func wordsCost(words []string) int {
	if len(words) == 0 {
		return 0
	}
	n := brackets
	for _, w := range words {
		n += text.Tokens(w)
	}
	return n
}

// inventory lists what is behind execute, but for what the rules deny anyway,
// within a budget of tokens: the names of all servers, in the registry's order,
// those that can be called first; words for those whose names do not tell what
// they do; then signatures, of small servers first, which gives the most servers
// theirs, and names of functions. With use counts the most used come first.
// room says whether other tokens were left beside the names of all servers.
func inventory(cat *catalog.Catalog, rules *policy.Policy, use *counts, budget, other int) (list string, room bool) {
	view := wrappers.NewView(cat.Registry) // without types that were learnt
	var servers []*stocked
	for _, srv := range view.Servers() {
		s := &stocked{Server: srv, cost: text.Tokens(srv.Package), signed: map[*wrappers.Tool]bool{}}
		s.Tools = slices.DeleteFunc(slices.Clone(srv.Tools), func(t *wrappers.Tool) bool {
			return cat.Decide(rules, t.Tool, nil).Verdict == policy.IsDenied
		})
		if len(s.Tools) == 0 && len(srv.Tools) > 0 {
			continue
		}
		switch reg, _ := cat.Registry.Server(srv.Name); {
		case reg.Error != nil:
			s.standing = down
		case reg.Transport == config.Snapshot:
			s.standing = snapshot
		}
		if use != nil {
			slices.SortStableFunc(s.Tools, func(a, b *wrappers.Tool) int { return cmp.Compare(use.rank(b.ID), use.rank(a.ID)) })
			if len(s.Tools) > 0 {
				s.used = use.rank(s.Tools[0].ID)
			}
		}
		servers = append(servers, s)
	}
	if len(servers) == 0 {
		if len(view.Servers()) > 0 {
			return "No tools are allowed here.", true
		}
		return "No tools are configured.", true
	}
	readTopics(servers)
	slices.SortStableFunc(servers, func(a, b *stocked) int {
		return cmp.Or(cmp.Compare(a.standing, b.standing), cmp.Compare(b.used, a.used))
	})
	b := &board{servers: servers, left: budget}
	if b.names() {
		room = b.takes(other)
		small := slices.Clone(servers)
		slices.SortStableFunc(small, func(a, b *stocked) int {
			return cmp.Or(cmp.Compare(a.standing, b.standing), cmp.Compare(b.used, a.used),
				cmp.Compare(len(a.Tools), len(b.Tools)))
		})
		b.words(small, unheard)
		b.words(small, vague)
		for _, s := range small {
			if place := domain(cat, s.Name); s.standing == callable && place != "" && b.takes(text.Tokens(place)+brackets) {
				s.place = place
			}
		}
		b.signatures(small, use)
		b.words(small, telling)
	}
	return b.String(), room
}

// maxMissed is how many things in a row may be too long before no more are
// tried.
const maxMissed = 30

// board is an inventory in the making.
type board struct {
	servers []*stocked // in the order in which they are named
	left    int        // tokens
}

// takes takes tokens, if there are as many.
func (b *board) takes(tokens int) bool {
	if tokens > b.left {
		return false
	}
	b.left -= tokens
	return true
}

// names names as many servers as fit, and reports whether that is all.
func (b *board) names() bool {
	need := make([]int, len(b.servers))
	all := 0
	for i, s := range b.servers {
		need[i] = s.cost
		if i == 0 || b.servers[i-1].standing != s.standing {
			need[i] += price(headings[s.standing])
		}
		all += need[i]
	}
	if all > b.left {
		b.left -= price(b.rest())
	}
	for i, s := range b.servers {
		if !b.takes(need[i]) {
			return false
		}
		s.named = true
	}
	return true
}

// words says what servers are about that have only their name yet, of those
// with one kind of names.
func (b *board) words(servers []*stocked, names telltale) {
	for _, s := range servers {
		if s.topics.name != names || s.words != nil || s.funcs || s.whole() {
			continue
		}
		about := s.topics.best(s)
		for n := len(about); n >= min(2, len(about)) && n > 0; n-- {
			if b.takes(wordsCost(about[:n])) {
				s.words = about[:n]
				break
			}
		}
	}
}

// signatures gives tools their signatures, of whole servers where these fit,
// else names of functions, and signatures of some.
func (b *board) signatures(servers []*stocked, use *counts) {
	if use != nil {
		var used []*wrappers.Tool
		of := map[*wrappers.Tool]*stocked{}
		for _, s := range servers {
			for _, t := range s.Tools {
				if s.standing == callable && use.rank(t.ID) > 0 {
					used = append(used, t)
					of[t] = s
				}
			}
		}
		slices.SortStableFunc(used, func(a, b *wrappers.Tool) int { return cmp.Compare(use.rank(b.ID), use.rank(a.ID)) })
		most(used, func(t *wrappers.Tool) bool {
			if b.takes(price(t.Line())) {
				of[t].signed[t] = true
			}
			return of[t].signed[t]
		})
	}
	most(servers, func(s *stocked) bool {
		need := -s.spared()
		for _, t := range s.Tools {
			if !s.signed[t] {
				need += price(t.Line())
			}
			if need > b.left {
				return false
			}
		}
		if len(s.Tools) > 0 && b.takes(need) {
			for _, t := range s.Tools {
				s.signed[t] = true
			}
		}
		return true
	})
	most(servers, func(s *stocked) bool {
		s.funcs = len(s.Tools) > 0 && !s.whole() && b.takes(price(s.functions())-s.cost-wordsCost(s.words))
		return s.funcs || s.whole() || len(s.Tools) == 0
	})
	for _, s := range servers {
		if !s.funcs {
			continue
		}
		most(s.Tools, func(t *wrappers.Tool) bool {
			if !s.signed[t] && b.takes(price(t.Line())-text.Tokens(t.Func)) {
				s.signed[t] = true
			}
			return s.signed[t]
		})
	}
}

// most does something for each until it has failed maxMissed times in a row.
func most[T any](all []T, do func(T) bool) {
	missed := 0
	for _, x := range all {
		if do(x) {
			missed = 0
		} else if missed++; missed > maxMissed {
			return
		}
	}
}

// functions is a line with the names of the functions that have no signature.
func (s *stocked) functions() string {
	line := s.Package
	if s.place != "" {
		line += " (" + s.place + ")"
	}
	line += ":"
	for _, t := range s.Tools {
		if !s.signed[t] {
			line += " " + t.Func
		}
	}
	return line
}

// rest says how many servers are not named, and how to ask for them.
func (b *board) rest() string {
	servers, tools := 0, 0
	for _, s := range b.servers {
		if !s.named {
			servers++
			tools += len(s.Tools)
		}
	}
	if servers == 0 {
		return ""
	}
	return fmt.Sprintf("and %d more servers, %d tools: UseTools(\"what you need\") alone finds them\n", servers, tools)
}

// String is the inventory: for each standing the signatures, the names of
// functions, and the servers of which there is only the name.
func (b *board) String() string {
	var out strings.Builder
	for st, heading := range headings {
		var names []string
		var lines, functions strings.Builder
		for _, s := range b.servers {
			if s.standing != standing(st) || !s.named {
				continue
			}
			for _, t := range s.Tools {
				if s.signed[t] {
					lines.WriteString(t.Line() + "\n")
				}
			}
			switch {
			case s.whole() && s.place == "":
			case s.funcs && !s.whole():
				functions.WriteString(s.functions() + "\n")
			default:
				names = append(names, s.entry())
			}
		}
		if len(names) > 0 {
			functions.WriteString(strings.Join(names, " ") + "\n")
		}
		if lines.Len()+functions.Len() > 0 {
			out.WriteString(heading + "\n" + lines.String() + functions.String())
		}
	}
	return strings.TrimSuffix(out.String()+b.rest(), "\n")
}

// price is what a line of the description costs on the wire.
func price(line string) int { return text.Tokens(string(quote(line))) }

// databaseSchemes are the URLs whose path is the name of a database.
const databaseSchemes = " postgres postgresql mysql mariadb mongodb mongodb+srv redis sqlite sqlserver clickhouse "

// domain is what a server works on, where its definition or its instructions
// tell: a folder, a file, a database. Of an argument only what cannot be a
// secret is shown: a path that exists, a database's name.
func domain(cat *catalog.Catalog, server string) string {
	i := slices.IndexFunc(cat.Servers, func(s config.Server) bool { return s.Name == server })
	if i >= 0 && cat.Servers[i].Type == config.Stdio {
		for _, arg := range slices.Backward(cat.Servers[i].Args) {
			if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
				arg = value
			}
			if u, err := url.Parse(arg); err == nil && strings.Contains(databaseSchemes, " "+u.Scheme+" ") && u.Scheme != "" {
				if name := filepath.Base(u.Path); name != "." && name != "/" {
					return cutText(name, 40)
				}
			}
			if strings.ContainsRune(arg, filepath.Separator) && filepath.IsAbs(arg) {
				if info, err := os.Stat(arg); err == nil &&
					(info.IsDir() || !strings.Contains(" .js .mjs .py .ts ", " "+filepath.Ext(arg)+" ") && info.Mode()&0o111 == 0) {
					return shortPath(arg)
				}
			}
		}
	}
	if reg, ok := cat.Registry.Server(server); ok {
		for _, word := range strings.Fields(registry.PrintableText(reg.Instructions, 2000)) {
			word = strings.Trim(word, "`'\"(),.;:")
			if len(word) > 3 && word[0] == '/' && strings.Count(word, "/") > 1 && !strings.ContainsAny(word, "{}<>*\\") {
				return shortPath(word)
			}
		}
	}
	return ""
}

// shortPath is the last two elements of a path.
func shortPath(p string) string {
	p = filepath.ToSlash(filepath.Clean(p))
	parts := strings.Split(strings.Trim(p, "/"), "/")
	if len(parts) > 2 {
		return cutText("…/"+strings.Join(parts[len(parts)-2:], "/"), 40)
	}
	return cutText(p, 40)
}
