package flow

import (
	"regexp"
	"slices"
	"strings"
)

// Patterns of addresses in normal form. The benchmark in testdata was measured with these.
var (
	mail = regexp.MustCompile(`[\pL\pN_.+-]+@[\pL\pN_-]+(?:\.[\pL\pN_-]+)+`)
	site = regexp.MustCompile(`(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[^\s]*)?`)
	iban = regexp.MustCompile(`\b[a-z]{2}\d{2}[a-z0-9]{10,30}\b`)
)

// addresses returns the addresses in a text in normal form, each once, at most MaxTargets+1: e-mail
// addresses, domains, URLs without their scheme and their hosts, and texts in the form of an IBAN.
func addresses(text string) []string {
	var out []string
	add := func(a string) {
		if a = strings.TrimRight(a, `.,;:!?)'"`); a != "" && len(out) <= MaxTargets && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	for word := range strings.SplitSeq(text, " ") {
		if strings.Contains(word, "@") {
			for _, a := range mail.FindAllString(word, -1) {
				add(a)
			}
			word = mail.ReplaceAllString(word, " ")
		}
		if strings.Contains(word, ".") {
			for _, a := range site.FindAllString(word, -1) {
				add(a)
				host, _, _ := strings.Cut(a, "/")
				add(host)
			}
		}
		if len(word) >= 14 && strings.ContainsAny(word, "0123456789") {
			for _, a := range iban.FindAllString(word, -1) {
				add(a)
			}
		}
	}
	return out
}

// isWhole reports whether an address is the whole text, except for a scheme.
func isWhole(address, text string) bool {
	_, bare, ok := strings.Cut(text, "://")
	return address == text || ok && address == bare
}
