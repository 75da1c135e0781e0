package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers"
)

// teaching is how to write a script, the part of the description that is
// always there.
const teaching = `Runs a Go script that calls tools; one script may do many calls, loops and filters, and only what it returns comes back.
UseTools("commit history of a repository") // plain words: what you need
log, err := git.Log(git.LogParams{MaxCount: 9})
if err != nil { panic(err) }
Return(log.Text())
Top-level statements, functions and imports are fine. Tools: server.Name(server.NameParams{Field: v}) (r, err); r has typed fields where known, always r.Text(), r.JSON(&v), r.Images(). Nothing runs unless all compiles and is found, and errors show the right signatures: guess and go straight. Prints survive a failure. Standard library without files, network, processes; %s. Input("k", &v) reads inputs, Stored("id", &v) a result that was cut.`

// minDescribeTokens is the least that a description can do with.
const minDescribeTokens = 260

// description is what clients are told of execute: how to write a script, then
// as much of what is behind it as the budget allows.
func (s *Server) description() string {
	limits := fmt.Sprintf("%v", s.opts.Limits.Timeout)
	base := fmt.Sprintf(teaching, limits)
	cat := s.live.now()
	if cat == nil {
		return base + "\nThe tools are still being loaded."
	}
	view, err := cat.View()
	if err != nil {
		return base
	}
	base += s.saved(cat)
	left := s.opts.DescribeTokens*49/50 - Tokens(listed(base+"\n"))
	return base + "\n" + inventory(cat, view, s.opts.Policy, s.usage.rank, left)
}

// Bounds of what the description says of saved scripts.
const (
	maxSaved     = 4
	maxSavedName = 24 // bytes; longer names are left out
)

// saved names some of the saved scripts, where there are any that compile and
// the description has room.
func (s *Server) saved(cat *harness.Catalog) string {
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

// listed is a tools/list with execute alone, as it goes on the wire.
func listed(description string) string {
	b, _ := json.Marshal(map[string]any{"tools": []any{executeTool(description)}})
	return string(b)
}

// stocked is a server in the inventory.
type stocked struct {
	*wrappers.Server
	Tools  []*wrappers.Tool // those that may be called
	head   string           // name, where it looks, whether it is down
	topics string           // what it is about
}

// inventory lists what is behind execute, but for what policy denies anyway,
// within a budget of tokens: if the
// names of all tools fit, these, and signatures for as many as possible, the
// most used first; else servers with their number of tools, the biggest first,
// and names and signatures where that leaves room.
func inventory(cat *harness.Catalog, view *wrappers.View, policy *harness.Policy, rank func(id string) int, budget int) string {
	var servers []*stocked
	var tools []*wrappers.Tool
	for _, srv := range view.Servers() {
		s := &stocked{Server: srv, head: srv.Package, Tools: slices.DeleteFunc(slices.Clone(srv.Tools), func(t *wrappers.Tool) bool {
			return policy.Decide(t.Tool, nil).Verdict == harness.IsDenied
		})}
		if len(s.Tools) == 0 && len(srv.Tools) > 0 {
			continue
		}
		s.topics = strings.Join(s.about(), " ")
		if d := domain(cat, srv.Name); d != "" {
			s.head += " (" + d + ")"
		}
		if reg, ok := cat.Registry.Server(srv.Name); ok && reg.Error != nil {
			s.head += " [down]"
		}
		servers = append(servers, s)
		tools = append(tools, s.Tools...)
	}
	if len(servers) == 0 {
		if len(view.Servers()) > 0 {
			return "No tools are allowed here."
		}
		return "No tools are configured."
	}
	slices.SortStableFunc(servers, func(a, b *stocked) int { return cmp.Compare(len(b.Tools), len(a.Tools)) })
	ranks := make(map[string]int, len(tools))
	for _, t := range tools {
		ranks[t.ID] = rank(t.ID)
	}
	slices.SortStableFunc(tools, func(a, b *wrappers.Tool) int { return cmp.Compare(ranks[b.ID], ranks[a.ID]) })

	b := &board{servers: servers, short: map[*stocked]bool{}, signed: map[*wrappers.Tool]bool{}, shown: len(servers), budget: budget}
	if b.fits() { // the names of all
		b.sign(tools)
		return b.String()
	}
	for _, s := range servers {
		b.short[s] = true
	}
	used := tools[:sortedUsed(tools, ranks)]
	b.budget = budget / 3 // the most used have a claim, but not to everything
	b.shown = 0
	b.sign(used)
	b.budget, b.shown = budget, len(servers)
	for b.shown > 0 && !b.fits() {
		b.shown -= max(1, b.shown/20)
	}
	if b.shown == len(servers) {
		b.sign(used)
		// Names, of small servers first, which gives the most servers theirs.
		missed := 0
		for _, s := range slices.Backward(servers) {
			if b.short[s] = false; !b.fits() {
				b.short[s] = true
				if missed++; missed > maxMissed {
					break
				}
			}
		}
	}
	return b.String()
}

// sortedUsed is how many tools at the beginning have been used.
func sortedUsed(tools []*wrappers.Tool, ranks map[string]int) int {
	i := slices.IndexFunc(tools, func(t *wrappers.Tool) bool { return ranks[t.ID] == 0 })
	if i < 0 {
		return len(tools)
	}
	return i
}

// maxMissed is how many things in a row may be too long before no more are
// tried.
const maxMissed = 30

// board is an inventory in the making.
type board struct {
	servers []*stocked // the biggest first
	short   map[*stocked]bool
	signed  map[*wrappers.Tool]bool
	shown   int // servers that have a line
	budget  int
}

func (b *board) String() string { return render(b.servers, b.short, b.signed, b.shown) }
func (b *board) fits() bool     { return price(b.String()) <= b.budget }

// sign gives as many tools as fit their signature, in their order.
func (b *board) sign(tools []*wrappers.Tool) {
	missed := 0
	for _, t := range tools {
		if b.signed[t] {
			continue
		}
		if b.signed[t] = true; b.fits() {
			missed = 0
			continue
		}
		delete(b.signed, t)
		if missed++; missed > maxMissed {
			return
		}
	}
}

// render writes the inventory: signatures, then for the first n servers the
// names of their other tools, or their number and what they are about where
// the server is short.
func render(servers []*stocked, short map[*stocked]bool, signed map[*wrappers.Tool]bool, n int) string {
	var b strings.Builder
	b.WriteString("Servers:\n")
	more, moreTools := 0, 0
	for i, s := range servers {
		var names []string
		lines := 0
		for _, t := range s.Tools {
			if signed[t] {
				b.WriteString(t.Line() + "\n")
				lines++
			} else {
				names = append(names, t.Func)
			}
		}
		plain := s.head == s.Package
		switch {
		case i >= n && len(names) > 0:
			more, moreTools = more+1, moreTools+len(names)
		case len(names) == 0 && lines > 0 && plain:
		case len(names) == 0:
			b.WriteString(s.head + "\n")
		case short[s]:
			fmt.Fprintf(&b, "%s %d: %s\n", s.head, len(s.Tools), s.topics)
		default:
			fmt.Fprintf(&b, "%s: %s\n", s.head, strings.Join(names, " "))
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more servers, %d tools\n", more, moreTools)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// price is what a part of the description costs on the wire.
func price(text string) int { return Tokens(string(quote(text))) }

// plainWords stand in the names of tools of all kinds, and tell nothing of a
// server.
const plainWords = " get list create update delete set add remove search find read write query run execute fetch all by to of for the and in from with mcp tool tools info details data item items new use show is make check put post send upsert batch "

// about is what a server is about: the three most frequent words in the names
// of its tools that are not in every server's.
func (s *stocked) about() []string {
	count := map[string]int{}
	for _, t := range s.Tools {
		seen := map[string]bool{}
		for _, w := range splitName(t.Func) {
			if len(w) > 2 && !seen[w] && !strings.Contains(plainWords, " "+w+" ") && !strings.Contains(s.Package, w) {
				seen[w] = true
				count[w]++
			}
		}
	}
	words := make([]string, 0, len(count))
	for w := range count {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	return words[:min(3, len(words))]
}

// splitName splits a Go name into lower-case words.
func splitName(name string) []string {
	var out []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] >= 'A' && name[i] <= 'Z' && (name[i-1] < 'A' || name[i-1] > 'Z') {
			out = append(out, strings.ToLower(name[start:i]))
			start = i
		}
	}
	return out
}

// databaseSchemes are the URLs whose path is the name of a database.
const databaseSchemes = " postgres postgresql mysql mariadb mongodb mongodb+srv redis sqlite sqlserver clickhouse "

// domain is what a server works on, where its definition or its instructions
// tell: a folder, a file, a database. Of an argument only what cannot be a
// secret is shown: a path that exists, a database's name.
func domain(cat *harness.Catalog, server string) string {
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
				if info, err := os.Stat(arg); err == nil && (info.IsDir() || !strings.Contains(" .js .mjs .py .ts ", " "+filepath.Ext(arg)+" ") && info.Mode()&0o111 == 0) {
					return shortPath(arg)
				}
			}
		}
	}
	if reg, ok := cat.Registry.Server(server); ok {
		for _, word := range strings.Fields(reg.Instructions[:min(len(reg.Instructions), 2000)]) {
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
