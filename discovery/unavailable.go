package discovery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// A server that failed when the registry was built keeps the tools of an earlier build, which are
// found as usual and marked stale. A server without an earlier build has no tools. A phrase that
// means such a server is answered with Unavailable, not with NotFound.

// unavailableServer is a server that failed and has no tools.
type unavailableServer struct {
	name  string
	why   string
	names [][]string // stems of its name, its title and its aliases
}

// findUnavailable returns the servers of the registry that failed and have no
// tools.
func (ix *Index) findUnavailable(aliases map[string][]string) []unavailableServer {
	var out []unavailableServer
	for i := range ix.reg.Servers {
		s := &ix.reg.Servers[i]
		if s.Error == nil || s.Tools > 0 {
			continue
		}
		d := unavailableServer{name: s.Name, why: unreachable(s)}
		for _, name := range append([]string{s.Name, s.Title}, aliases[s.Name]...) {
			if stems := ix.nameStems(name); len(stems) > 0 {
				d.names = append(d.names, stems)
			}
		}
		out = append(out, d)
	}
	return out
}

// maxWhy bounds the part of a server's error that a note repeats, in characters.
const maxWhy = 200

func unreachable(s *registry.Server) string {
	why := strings.TrimPrefix(*s.Error, fmt.Sprintf("server %q: ", s.Name))
	why = text.Cut(strings.Join(strings.Fields(why), " "), maxWhy)
	return fmt.Sprintf("server %q could not be asked for its tools: %s", s.Name, why)
}

// nameStems returns the stems of a server's name that may distinguish it from others.
func (ix *Index) nameStems(name string) []string {
	name = text.First(name, maxName)
	var stems []string
	for _, w := range ix.t.words(ix.model, name) {
		if s := ix.t.stem(w); !ix.t.stop[w] && !isShort(w) && !ix.t.serverStop[s] && !slices.Contains(stems, s) {
			stems = append(stems, s)
		}
	}
	return stems
}

// unavailable changes the answer to a phrase that means an unavailable server. A name with a cue
// ("on gitlab") always means the server, whatever other servers offer. A mere mention decides
// only if nothing else was found.
func (ix *Index) unavailable(r *Resolution, server string) {
	if len(ix.unavailableServers) == 0 || r.By == ByMemory || r.By == ByExact {
		return
	}
	words := ix.phraseWords(ix.t.fold(text.FirstBytes(r.Phrase, MaxPhrase)))
	for i := range ix.unavailableServers {
		d := &ix.unavailableServers[i]
		mentioned, cued := ix.mentions(r.Phrase, words, d)
		switch {
		case server == d.name, server == "" && (spells(r.Phrase, d.name) || cued || mentioned && r.NoTool):
			r.Verdict, r.By, r.Tool, r.Confidence = Unavailable, "", "", 0
			r.Server, r.Note = d.name, d.why
			return
		case mentioned && r.Verdict == Ambiguous && server == "":
			r.Note = d.why
		}
	}
}

// spells reports whether the phrase is the exact name of a tool on the server.
func spells(phrase, server string) bool {
	phrase = strings.TrimSpace(phrase)
	if strings.ContainsAny(phrase, " \t\r\n") {
		return false
	}
	return strings.HasPrefix(phrase, server+".") || strings.HasPrefix(phrase, server+"/") ||
		strings.HasPrefix(phrase, "mcp__"+plainName(server)+"__")
}

// mentions reports whether a phrase names the server. cued reports whether it does so with a cue,
// and with a word that few tools use.
func (ix *Index) mentions(phrase string, words []phraseWord, d *unavailableServer) (mentioned, cued bool) {
	for _, name := range d.names {
		first, last := len(words), -1
		complete, telling := true, false
		for _, stem := range name {
			at := slices.IndexFunc(words, func(w phraseWord) bool { return w.stem == stem })
			if at < 0 {
				complete = false
				break
			}
			first, last = min(first, at), max(last, at)
			telling = telling || ix.isTelling(stem)
		}
		if !complete {
			continue
		}
		mentioned = true
		for first--; first >= 0 && isArticle(words[first].text); first-- {
		}
		generic := last+1 < len(words) && isGeneric(words[last+1].text)
		if telling && (generic || ix.cued(ix.t.fold(text.FirstBytes(phrase, MaxPhrase)), words, first, last+1)) {
			return true, true
		}
	}
	return mentioned, false
}

// isTelling reports whether hardly any tool uses a word and no available server has it in its
// name.
func (ix *Index) isTelling(stem string) bool {
	id := ix.bm25.lookup(stem)
	if id < 0 {
		return true
	}
	if _, named := ix.serverMentions.words[id]; named {
		return false
	}
	tools := int(ix.bm25.start[id+1] - ix.bm25.start[id])
	return tools <= max(3, len(ix.reg.Tools)/20)
}

// markStale marks an answer if the tool's server failed in the last build, so that the tool is
// from an earlier build.
func (ix *Index) markStale(r *Resolution) {
	if r.Tool == "" {
		return
	}
	t, ok := ix.reg.Tool(r.Tool)
	if !ok || !t.Stale {
		return
	}
	r.Stale, r.Note = true, fmt.Sprintf("server %q could not be asked for its tools; this tool is from an earlier "+
		"build", t.Server)
	if s, ok := ix.reg.Server(t.Server); ok && s.Error != nil {
		r.Note = unreachable(s) + "; this tool is from an earlier build"
	}
}
