package console

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func hueOfTest(pkg string) string { return map[string]string{"git": "s5", "shop": "s1"}[pkg] }

func TestHighlightedGo(t *testing.T) {
	source := "import \"servers/git\"\n\nfunc main() {\n\tUseTools(`a\r\nb`)\n\tr, err := git.Log(git.LogParams{N: 0x1F}) // é\u202e\n" +
		"\tx.git.Log(\"\x00\")\n}"
	want := [][]span{
		{{"k", "import"}, {"", " "}, {"s", `"servers/git"`}},
		{},
		{{"k", "func"}, {"", " main() {"}},
		{{"", "\t"}, {"p", "UseTools"}, {"", "("}, {"s", "`a"}},
		{{"s", "b`"}, {"", ")"}},
		{{"", "\tr, err := "}, {"call s5", "git.Log"}, {"", "("}, {"t", "git.LogParams"}, {"", "{N: "}, {"n", "0x1F"},
			{"", "}) "}, {"c", `// é\u202e`}},
		{{"", "\tx.git.Log("}, {"s", `"\x00"`}, {"", ")"}},
		{{"", "}"}},
	}
	if diff := cmp.Diff(want, highlight(source, hueOfTest)); diff != "" {
		t.Error(diff)
	}
}

func FuzzHighlightKeepsTheText(f *testing.F) {
	f.Add("func main() {\n\tgit.Log(`a`) // b\n}\n")
	f.Add("package\xff\x00 /* \r\n */ 'x\n\"")
	f.Add("git.\nLog(git . Log)")
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1000 {
			return
		}
		var got, want []string
		for _, line := range highlight(source, hueOfTest) {
			text := ""
			for _, s := range line {
				text += s.Text
			}
			got = append(got, text)
		}
		for _, line := range strings.Split(strings.ReplaceAll(source, "\r\n", "\n"), "\n") {
			want = append(want, shownLine(line))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", source, diff)
		}
	})
}
