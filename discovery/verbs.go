package discovery

import (
	"iter"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// The verb says what a tool does, and it distinguishes siblings: "list branches" and "delete
// branches" share all other words. Verbs are mapped to classes (list, get, create …), and two
// classes agree to some degree.

// verbSet is a set of verb classes.
type verbSet uint32

func setOfClasses(cs []class) verbSet {
	var s verbSet
	for _, c := range cs {
		s |= 1 << c
	}
	return s
}

// agreement returns how far two sets of classes agree, 0 to 1. known is false if either set is
// empty.
func (t *tables) agreement(a, b verbSet) (v float64, known bool) {
	if a == 0 || b == 0 {
		return 0, false
	}
	if a&b != 0 {
		return 1, true
	}
	for x := a; x != 0; x &= x - 1 {
		for y := b; y != 0; y &= y - 1 {
			v = max(v, t.compatible[bits.TrailingZeros32(uint32(x))][bits.TrailingZeros32(uint32(y))])
		}
	}
	return v, true
}

// nominal reports whether a word that shares its stem with a verb is a noun:
// "deployments", "filters".
func nominal(w string) bool {
	for _, suffix := range [...]string{"ment", "ments", "tion", "tions", "ers", "ors", "ings", "ables"} {
		if strings.HasSuffix(w, suffix) {
			return true
		}
	}
	return false
}

// phraseVerb returns the verb of a normalised phrase with its classes, or nil and "" if it has no
// verb.
func (t *tables) phraseVerb(norm string) ([]class, string) {
	n := 0
	for w := range lowerWords(norm) {
		if t.polite[w] {
			continue
		}
		if n == 6 {
			break
		}
		s := t.stem(w)
		if cs := t.verbs[s]; cs != nil && (n == 0 || !t.openerStem[s]) && !nominal(w) {
			return cs, w
		}
		n++
	}
	return nil, ""
}

// deed returns the first word of a normalised phrase if it is in no class of verbs and stands
// before a determiner, as only a verb does: "watch a repository". Otherwise it returns "".
func (t *tables) deed(norm string) string {
	words := strings.Fields(norm)
	if len(words) < 3 || t.stop[words[0]] || t.polite[words[0]] || t.preposition[words[0]] ||
		t.verbs[t.stem(words[0])] != nil || !t.grammar.determiner[words[1]] {
		return ""
	}
	return words[0]
}

// imperative reports whether a verb asks for something. "files changed" and "comments on a page"
// begin with a word that may be a noun.
func imperative(verb string) bool {
	return !strings.HasSuffix(verb, "s") || strings.HasSuffix(verb, "ss")
}

// toolVerbs returns the classes of the verb in a tool's name (its camel-case words in lower case,
// without those of its server) and of the verbs that open its description.
func (t *tables) toolVerbs(name []string, description string) (inName, inDescription verbSet) {
	i := 0
	head := text.First(description, 80)
	for w := range letterWords(head) {
		w = strings.ToLower(w)
		if i == 5 {
			break
		}
		s := t.stem(w)
		if cs := t.verbs[s]; cs != nil && (i == 0 || t.strongStem[s]) && !nominal(w) {
			inDescription |= setOfClasses(cs[:min(2, len(cs))])
		}
		i++
	}
	// Strong verbs and edge positions win; ties go to the one that agrees
	// with the description, then to the first.
	limit := 1.0
	if len(name) <= 2 {
		limit = 2
	}
	best, bestAgrees := limit, false
	for i, w := range name {
		s := t.stem(w)
		cs := t.verbs[s]
		if cs == nil || nominal(w) {
			continue
		}
		edge := i == 0 || i == len(name)-1
		penalty := 0.0
		if !t.strongStem[s] {
			penalty++
		}
		if !edge {
			penalty += .5
			if t.openerStem[s] {
				penalty++
			}
		}
		cls := setOfClasses(cs[:min(2, len(cs))])
		agrees := cls&inDescription != 0
		if i >= 2 && name[i-1] == "or" && inName != 0 { // create_or_update
			inName |= cls
			continue
		}
		if penalty < best || penalty == best && inName != 0 && agrees && !bestAgrees {
			inName, best, bestAgrees = cls, penalty, agrees
		}
	}
	return inName, inDescription
}

// letterWords yields the maximal sequences of ASCII letters in a text.
func letterWords(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// lowerWords yields the maximal sequences of lower-case ASCII letters and
// digits in a text.
func lowerWords(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// notWords matches <name>, with 1 to 60 characters inside, and URLs, in text with collapsed white
// space.
var notWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]{1,60}>|https?://[^ ]+`) })

// normalise prepares a phrase for parsing. It collapses white space, replaces placeholders, URLs
// and quoted literals by a bar, converts to lower case, and replaces verbs of two words by one
// ("set up" is setup).
func (t *tables) normalise(phrase string) string {
	s := " " + strings.Join(strings.FieldsFunc(phrase, isSpace), " ") + " "
	s = notWords().ReplaceAllString(s, " | ")
	s = replaceMatches(s, literalAt)
	s = strings.ToLower(s)
	for _, p := range t.phrases {
		s = strings.ReplaceAll(s, p[0], p[1])
	}
	return s
}

// isSpace reports whether r is Unicode white space or one of the four information
// separators.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// replaceMatches replaces each match by " | ". at returns the length of the match at position i,
// or 0.
func replaceMatches(s string, at func(s string, i int) int) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		n := at(s, i)
		if n == 0 {
			i++
			continue
		}
		b.WriteString(s[from:i])
		b.WriteString(" | ")
		i += n
		from = i
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// literalAt matches a quoted literal of 1 to 80 characters that is not part of a word.
func literalAt(s string, i int) int {
	const quotes = "\"'`"
	if strings.IndexByte(quotes, s[i]) < 0 || i == 0 {
		return 0
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:i]); before != '(' && !isSpace(before) {
		return 0
	}
	end := strings.IndexAny(s[i+1:], quotes)
	if end < 1 || s[i+1+end] != s[i] || utf8.RuneCountInString(s[i+1:i+1+end]) > 80 {
		return 0
	}
	after, n := utf8.DecodeRuneInString(s[i+end+2:])
	if n == 0 || !isSpace(after) && !strings.ContainsRune(",.;:!?)", after) {
		return 0
	}
	return end + 2
}

// head returns the distinct content words of a normalised phrase's first clause, its verb and its
// object, in order: "list · branches" of "list branches that were merged".
func (t *tables) head(norm string) []string {
	var out []string
	object := false // a word other than a verb was seen
	for i := 0; i < len(norm); {
		w, next := headToken(norm, i)
		i = next
		switch {
		case w == "":
		case t.preposition[w] || len(w) == 1 && strings.Contains("|,.;:?!", w):
			if w != "of" && object {
				return distinct(out)
			}
		case t.polite[w] || t.stop[w]:
		default:
			for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == '_' || r == '-' }) {
				out = append(out, part)
				if t.isObject(part) {
					object = true
				}
			}
		}
	}
	return distinct(out)
}

// isObject reports whether a word of a phrase's head names its object: it is not a verb, or has a
// plural form ("which groups").
func (t *tables) isObject(w string) bool {
	return t.verbs[t.stem(w)] == nil || t.opener[w] || !imperative(w)
}

// headToken returns the token at i, or "", and the index after it.
func headToken(s string, i int) (token string, next int) {
	c := s[i]
	switch {
	case c >= utf8.RuneSelf:
		_, n := utf8.DecodeRuneInString(s[i:])
		return s[i : i+n], i + n
	case isWordByte(c) && c != '_' && c != '-':
		for next = i + 1; next < len(s) && isWordByte(s[next]); next++ {
		}
		return s[i:next], next
	case strings.IndexByte("|,.;:?!", c) >= 0:
		return s[i : i+1], i + 1
	}
	return "", i + 1
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// distinct removes repeated words. It keeps the order of the first ones.
func distinct(words []string) []string {
	out := words[:0]
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
