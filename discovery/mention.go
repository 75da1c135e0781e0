package discovery

import (
	"math"
	"slices"
)

// A phrase may name the server that it means: "list my issues on GitHub". A word of a server's
// name is evidence if a cue stands beside it ("in …", "… server", "…:"); otherwise it is a word
// like any other. An ordinary word ("time", "search") that many tools of other servers use is
// weaker evidence.

// mentionLeg is an index of the words of the servers' names.
type mentionLeg struct {
	serverOf []int32     // per tool
	names    [][]wordSet // per server: its name and additional names
	words    map[int32]serverWord
	together map[[2]int32]bool // two stems that are words of one name
}

// wordSet is the distinct stems of one name of a server.
type wordSet []int32

// serverWord says how much the mention of a word of a server's name counts.
type serverWord struct {
	rarity  float64 // 1 if one server has it, 0 if all have it
	share   float64 // of the tools that mention it, the share that is on such a server
	servers []int32
}

// readServers reads the names of the servers that have tools, in the order of the tools. number
// returns the number of a stem.
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

// addServer registers a server's names, given as stems. It drops empty names.
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

// finish sets the weight of each word. outside is, per word, how many tools of other servers have
// it in their text.
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
	id         int32 // of the stem, or -1 if the registry lacks it
	end        int   // of the run
}

// readMentions returns for each server, from 0 to 1, how certainly a folded phrase means it. It
// returns nil if the phrase mentions no server with a cue.
func (ix *Index) readMentions(folded string) []float64 {
	words := ix.phraseWords(folded)
	mentions := map[int32]float64{} // evidence by the stem of a word
	for k, w := range words {
		sw, known := ix.serverMentions.words[w.id]
		if !known || ix.t.stop[w.text] || isShort(w.text) {
			continue
		}
		before, after := ix.neighbours(words, k)
		if after < len(words) && isGeneric(words[after].text) || ix.cued(folded, words, before, after) {
			mentions[w.id] = sw.rarity * math.Sqrt(sw.share)
		}
	}
	if len(mentions) == 0 {
		return nil
	}
	return ix.serverMentions.worth(mentions)
}

func (ix *Index) phraseWords(folded string) []phraseWord {
	var words []phraseWord
	var texts []string
	for start, end := ix.t.nextRun(folded, 0); start < end; start, end = ix.t.nextRun(folded, end) {
		texts = ix.t.appendWords(ix.model, texts[:0], folded[start:end])
		for _, w := range texts {
			s := ix.t.stem(w)
			words = append(words, phraseWord{w, s, ix.bm25.lookup(s), end})
		}
	}
	return words
}

// neighbours returns the indexes of the words before and after mention k. It skips other words of
// the same server's name, and articles before the mention.
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

// cued reports whether the words around a mention show that a server is meant: a colon or bracket
// after it, a cue word before it, or a verb after a mention that opens the phrase.
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

// worth sums the mentions per server. A name that is only partly mentioned counts less than a
// full one.
func (h *mentionLeg) worth(mentions map[int32]float64) []float64 {
	perServer := make([]float64, len(h.names))
	for x := range mentions {
		for _, server := range h.words[x].servers {
			for _, name := range h.names[server] {
				sum, mentioned, all := 0., 1e-9, 1e-9
				for _, y := range name {
					all += h.words[y].rarity
					if m, ok := mentions[y]; ok {
						sum += m
						mentioned += h.words[y].rarity
					}
				}
				perServer[server] = max(perServer[server], (.7+.3*mentioned/all)*min(1, sum))
			}
		}
	}
	return perServer
}
