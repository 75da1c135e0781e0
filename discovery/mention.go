package discovery

import (
	"math"
	"slices"
	"strings"
)

// A phrase may name the server that it means: "list my issues on GitHub". An
// ordinary word ("time", "search") that many other tools use is weak evidence
// even when some server is called so; a cue ("in …", "… server", "…:") makes
// it strong. A mention with a cue is cut from the phrase, so that the server
// counts once, as a server and not as a topic.

// mentionLeg is an index of the words of the servers' names.
type mentionLeg struct {
	serverOf []int32     // per tool
	names    [][]wordSet // per server: its name, and further names
	words    map[int32]serverWord
	together map[[2]int32]bool // two stems that are words of one name
}

// wordSet is the distinct stems of one name of a server.
type wordSet []int32

// serverWord says what the mention of a word of a server's name is worth.
type serverWord struct {
	rarity  float64 // 1 when one server has it, 0 when all have
	share   float64 // of the tools that mention it, those on such a server
	servers []int32
}

// mention is the evidence that a phrase means one server, 0 to 1 for each word of
// its name: by plain mentions, and by those with a cue.
type mention struct{ plain, cued float64 }

// readServers reads the names of the servers that have tools, in order of the
// tools; number returns the number of a stem.
func (ix *Index) readServers(aliases map[string][]string, number func(stem string) int32) {
	h := &ix.serverMentions
	h.serverOf = make([]int32, len(ix.reg.Tools))
	h.words, h.together = map[int32]serverWord{}, map[[2]int32]bool{}
	servers := map[string]int32{}
	words := func(name string) (set wordSet) {
		for _, s := range ix.nameStems(name) {
			set = append(set, number(s))
		}
		return set
	}
	for i := range ix.reg.Tools {
		name := ix.reg.Tools[i].Server
		if i > 0 && name == ix.reg.Tools[i-1].Server {
			h.serverOf[i] = h.serverOf[i-1]
			continue
		}
		at, known := servers[name]
		if !known {
			at = int32(len(servers))
			servers[name] = at
			names := []wordSet{words(name)}
			if info, ok := ix.reg.Server(name); ok && info.Title != "" {
				names = append(names, words(info.Title))
			}
			for _, a := range aliases[name] {
				names = append(names, words(a))
			}
			h.addServer(names)
		}
		h.serverOf[i] = at
	}
}

// addServer registers a server's names, given as stems. Names without a word
// that tells anything are left out.
func (h *mentionLeg) addServer(names []wordSet) {
	server := int32(len(h.names))
	names = slices.DeleteFunc(names, func(s wordSet) bool { return len(s) == 0 })
	h.names = append(h.names, names)
	for _, name := range names {
		for _, x := range name {
			w := h.words[x]
			if n := len(w.servers); n == 0 || w.servers[n-1] != server {
				w.servers = append(w.servers, server)
			}
			h.words[x] = w
			for _, y := range name {
				if x != y {
					h.together[[2]int32{x, y}] = true
				}
			}
		}
	}
}

// finish sets what each word is worth; outside is the number of tools of other
// servers whose text has it.
func (h *mentionLeg) finish(outside map[int32]int32) {
	toolsOn := make([]int, len(h.names))
	for _, server := range h.serverOf {
		toolsOn[server]++
	}
	servers := float64(len(h.names))
	for x, w := range h.words {
		if servers > 1 {
			w.rarity = math.Log(servers/float64(len(w.servers))) / math.Log(servers)
		}
		inside := 0
		for _, server := range w.servers {
			inside += toolsOn[server]
		}
		if all := inside + int(outside[x]); all > 0 {
			w.share = float64(inside) / float64(all)
		}
		h.words[x] = w
	}
}

// phraseWord is a word of a folded phrase and the run that it comes from.
type phraseWord struct {
	text, stem string
	id         int32 // of the stem, -1 when the registry lacks it
	start, end int   // of the run
	inRun      int   // words of the run
}

// read finds the mentions of servers in a folded phrase. It returns what they
// are worth per server (nil when there are none), and the phrase without
// those that were made with a cue.
func (ix *Index) readMentions(folded string) (perServer []mention, rest string) {
	words := ix.phraseWords(folded)
	mentions := map[int32]mention{}
	var cut [][2]int
	for k, w := range words {
		sw, known := ix.serverMentions.words[w.id]
		if !known || ix.t.stop[w.text] || isShort(w.text) {
			continue
		}
		before, after := ix.neighbours(words, k)
		generic := after < len(words) && isGeneric(words[after].text)
		cue := generic || ix.cued(folded, words, before, after)
		if cue && w.inRun == 1 && sw.share >= ix.t.mentionCutShare {
			cut = append(cut, [2]int{w.start, w.end})
			for ; generic && after < len(words) && isGeneric(words[after].text); after++ {
				cut = append(cut, [2]int{words[after].start, words[after].end})
			}
			if before >= 0 && (words[before].text == "use" || words[before].text == "using") {
				cut = append(cut, [2]int{words[before].start, words[before].end})
			}
		}
		if _, again := mentions[w.id]; !again {
			m := mention{plain: sw.rarity * sw.share}
			if cue {
				m.cued = sw.rarity * math.Sqrt(sw.share)
			}
			mentions[w.id] = m
		}
	}
	if len(mentions) == 0 {
		return nil, folded
	}
	return ix.serverMentions.worth(mentions), ix.cutMentions(folded, cut)
}

func (ix *Index) phraseWords(folded string) []phraseWord {
	var words []phraseWord
	var texts []string
	for start, end := ix.t.nextRun(folded, 0); start < end; start, end = ix.t.nextRun(folded, end) {
		texts = ix.t.appendWords(ix.model, texts[:0], folded[start:end])
		for _, w := range texts {
			s := ix.t.stem(w)
			words = append(words, phraseWord{w, s, ix.bm25.lookup(s), start, end, len(texts)})
		}
	}
	return words
}

// neighbours returns the places of the words before and after the mention k:
// other words of the same server's name do not count, nor articles before.
func (ix *Index) neighbours(words []phraseWord, k int) (before, after int) {
	together := func(a, b int32) bool { return ix.serverMentions.together[[2]int32{a, b}] }
	x := words[k].id
	for before = k - 1; before >= 0; before-- {
		w := words[before]
		if !isArticle(w.text) && (!together(w.id, x) || ix.t.cue[w.text]) {
			break
		}
	}
	for after = k + 1; after < len(words) && together(x, words[after].id); after++ {
	}
	return before, after
}

// cued reports whether the words around a mention show that a server is
// meant: a colon or bracket after it, a cue word before it, or a verb after a
// mention that opens the phrase.
func (ix *Index) cued(folded string, words []phraseWord, before, after int) bool {
	if end := words[after-1].end; end < len(folded) && (folded[end] == ':' || folded[end] == ')') {
		return true
	}
	if before >= 0 {
		return ix.t.cue[words[before].text]
	}
	return after < len(words) && ix.t.verbs[words[after].stem] != nil && !ix.t.openerStem[words[after].stem]
}

func isArticle(w string) bool { return w == "the" || w == "my" || w == "our" }

func isGeneric(w string) bool { return w == "server" || w == "mcp" }

// worth sums up the mentions per server. A name that is mentioned in part
// counts less than one mentioned in full.
func (h *mentionLeg) worth(mentions map[int32]mention) []mention {
	perServer := make([]mention, len(h.names))
	for x := range mentions {
		for _, server := range h.words[x].servers {
			for _, name := range h.names[server] {
				var sum mention
				mentioned, all := 1e-9, 1e-9
				for _, y := range name {
					all += h.words[y].rarity
					if m, ok := mentions[y]; ok {
						sum.plain += m.plain
						sum.cued += m.cued
						mentioned += h.words[y].rarity
					}
				}
				cover := .7 + .3*mentioned/all
				best := &perServer[server]
				best.plain = max(best.plain, cover*min(1, sum.plain))
				best.cued = max(best.cued, cover*min(1, sum.cued))
			}
		}
	}
	return perServer
}

// cutMentions replaces the places by one space each, unless nothing that
// tells anything would be left.
func (ix *Index) cutMentions(folded string, cut [][2]int) string {
	slices.SortFunc(cut, func(a, b [2]int) int { return a[0] - b[0] })
	cut = slices.Compact(cut)
	var b strings.Builder
	from := 0
	for _, c := range cut {
		b.WriteString(folded[from:c[0]])
		b.WriteByte(' ')
		from = c[1]
	}
	b.WriteString(folded[from:])
	rest := b.String()
	for _, w := range ix.phraseWords(rest) {
		if !ix.t.stop[w.text] && !ix.t.cue[w.text] {
			return rest
		}
	}
	return folded
}
