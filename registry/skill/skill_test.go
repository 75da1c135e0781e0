package skill_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry/skill"
)

const markdown = `---
name: refunds
description: |
  Refund an order.
license: Apache-2.0
metadata: {version: 1.50, tags: [a, "b"], owner: &o {team: billing}, again: *o}
---

# Refunds

Look the order up first.
`

func TestFrontMatterKeepsItsOrderAndTheBodyIsTheRest(t *testing.T) {
	for name, text := range map[string]string{
		"plain": markdown, "a byte order mark": "\ufeff" + markdown, "fences with spaces": strings.ReplaceAll(markdown, "---\n", "--- \n"),
	} {
		front, body, err := skill.Parse([]byte(text))
		want := `{"name":"refunds","description":"Refund an order.\n","license":"Apache-2.0",` +
			`"metadata":{"version":1.50,"tags":["a","b"],"owner":{"team":"billing"},"again":{"team":"billing"}}}`
		if err != nil || string(front) != want || body != "\n# Refunds\n\nLook the order up first.\n" {
			t.Errorf("%s: %s\n%q, %v", name, front, body, err)
		}
	}
	if front, _, err := skill.Parse([]byte("---\na: [!!int '[1]', !!float '{}', !!int ' 1', -1.5e3]\n---\n")); err != nil || string(front) != `{"a":["[1]","{}"," 1",-1.5e3]}` {
		t.Errorf("texts with the tag of numbers: %s, %v", front, err)
	}
	if _, body, err := skill.Parse([]byte("---\r\nname: a\r\n---\r\nx")); err != nil || body != "x" {
		t.Errorf("%q, %v", body, err)
	}
	if _, body, err := skill.Parse([]byte("---\nname: a\n---")); err != nil || body != "" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestMarkdownThatIsNoSkillIsRefused(t *testing.T) {
	bomb := "---\na: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%[1]c [*%c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c]\n", c, c-1)
	}
	for text, want := range map[string]string{
		"":                      "no front matter",
		"# Refunds\n":           "no front matter",
		"\n---\nname: a\n---\n": "no front matter",
		"---\nname: a\n":        "again within 32768 bytes",
		"---\n" + strings.Repeat("a", 40<<10) + "\n---\n": "again within 32768 bytes",
		"---\n---\n":                   "want an object",
		"---\n- a\n---\n":              "want an object",
		"---\na: [\n---\n":             "neither JSON nor YAML",
		"---\na: *b\n---\n":            "unknown anchor",
		"---\nname: a\nname: b\n---\n": `"name" comes twice`,
		"---\nname: \xff\n---\n":       "not UTF-8",
		"---\na: &a [*a]\n---\n":       "nested deeper",
		"---\na: " + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n---\n": "nested deeper",
		bomb + "---\n": "once its aliases are written out",
	} {
		if _, _, err := skill.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v; want %q", text, err, want)
		}
	}
}

func entry(text string) *skill.Skill {
	front, _, err := skill.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	const uri = "skill://acme/refunds/SKILL.md"
	return &skill.Skill{URI: uri, Frontmatter: front, Resources: skill.Files{
		{URI: uri, Digest: skill.Digest([]byte(text)), Size: int64(len(text))},
		{URI: "skill://acme/refunds/examples/e%20mail.md", Digest: skill.Digest(nil)},
	}}
}

func TestEntryIsReadAsItIsWritten(t *testing.T) {
	for _, resources := range []string{`[{"uri":"skill://a/SKILL.md","digest":"sha256:0","size":7}]`, `[]`} {
		doc := `{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"B.","x":[1]},"resources":` + resources + `}`
		var s skill.Skill
		if err := json.Unmarshal([]byte(doc), &s); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&s)
		if string(again) != doc || err != nil || s.Name() != "a" || s.Description() != "B." {
			t.Errorf("%s, %v", again, err)
		}
	}
	for resources, want := range map[string]string{
		`"none"`: "cannot unmarshal string", `{}`: "cannot unmarshal object", `"dynamic"`: "cannot be verified",
	} {
		var s skill.Skill
		err := json.Unmarshal([]byte(`{"uri":"skill://a/SKILL.md","frontmatter":{},"resources":`+resources+`}`), &s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", resources, err)
		}
	}
}

func TestEntriesAndFilesThatContradictEachOtherAreRefused(t *testing.T) {
	if err := entry(markdown).Verify([]byte(markdown)); err != nil {
		t.Fatal(err)
	}
	moved := strings.NewReplacer("license: Apache-2.0\n", "", "---\n\n#", "license: Apache-2.0\n---\n\n#", "1.50", "1.5").Replace(markdown)
	spelled := entry(moved)
	spelled.Frontmatter = entry(markdown).Frontmatter
	if err := spelled.Verify([]byte(moved)); err != nil {
		t.Errorf("order of fields and spelling of numbers: %v", err)
	}
	front := func(from, to string) func(*skill.Skill) {
		return func(s *skill.Skill) {
			s.Frontmatter = json.RawMessage(strings.Replace(string(s.Frontmatter), from, to, 1))
		}
	}
	file := func(i int, change func(f *skill.File)) func(*skill.Skill) {
		return func(s *skill.Skill) { change(&s.Resources[i]) }
	}
	uri := func(uri string) func(*skill.Skill) {
		return func(s *skill.Skill) { s.URI, s.Resources[0].URI = uri, uri }
	}
	for name, c := range map[string]struct {
		change func(s *skill.Skill)
		want   string
	}{
		"no address":           {uri(""), "want the address"},
		"no scheme":            {uri("acme/refunds/SKILL.md"), "want the address"},
		"another file":         {uri("skill://acme/refunds/README.md"), "want the address"},
		"a query":              {uri("skill://acme/refunds?x=/SKILL.md"), "want the address"},
		"a way up":             {uri("skill://acme/../refunds/SKILL.md"), "want the address"},
		"another folder":       {uri("skill://acme/billing/SKILL.md"), "is not that of its folder"},
		"capitals":             {front("refunds", "Refunds"), "want lowercase letters"},
		"hyphens":              {front("refunds", "re--funds"), "want lowercase letters"},
		"long name":            {front("refunds", strings.Repeat("a", 65)), "want lowercase letters"},
		"number as name":       {front(`"refunds"`, "7"), "want lowercase letters"},
		"no description":       {front(`Refund an order.\n`, " "), "no description"},
		"long description":     {front("Refund", strings.Repeat("é", 1024)), "longer than 1024"},
		"other description":    {front("Refund", "Refuse"), `"description" in the front matter`},
		"another field":        {front(`"license"`, `"allowed-tools":"Bash","license"`), `"allowed-tools" in the front matter`},
		"missing field":        {front(`"license":"Apache-2.0",`, ""), `"license" in the front matter`},
		"other member":         {front(`"b"`, `"c"`), `"metadata" in the front matter`},
		"outside":              {file(1, func(f *skill.File) { f.URI = "skill://acme/other/x.md" }), "outside"},
		"outside by dots":      {file(1, func(f *skill.File) { f.URI = "skill://acme/refunds/../x.md" }), "outside"},
		"outside by escapes":   {file(1, func(f *skill.File) { f.URI = "skill://acme/refunds/%2e%2e/x.md" }), "outside"},
		"outside by backslash": {file(1, func(f *skill.File) { f.URI = `skill://acme/refunds/..\x.md` }), "outside"},
		"control character":    {file(1, func(f *skill.File) { f.URI = "skill://acme/refunds/%1b[2J" }), "outside"},
		"turned text":          {file(1, func(f *skill.File) { f.URI = "skill://acme/refunds/\u202ex" }), "outside"},
		"folder as file":       {file(1, func(f *skill.File) { f.URI = "skill://acme/refunds/x/" }), "outside"},
		"twice":                {file(1, func(f *skill.File) { f.URI = "skill://acme/refunds/SKILL.md" }), "listed twice"},
		"digest's form":        {file(1, func(f *skill.File) { f.Digest = strings.ToUpper(f.Digest) }), "64 hexadecimal digits"},
		"negative size":        {file(1, func(f *skill.File) { f.Size = -1 }), "larger than"},
		"large files":          {file(1, func(f *skill.File) { f.Size = skill.MaxBytes }), "larger than"},
		"other size":           {file(0, func(f *skill.File) { f.Size++ }), "its entry says"},
		"other digest":         {file(0, func(f *skill.File) { f.Digest = skill.Digest(nil) }), "has the digest"},
		"SKILL.md missing":     {func(s *skill.Skill) { s.Resources = s.Resources[1:] }, "not among its files"},
		"no resources":         {func(s *skill.Skill) { s.Resources = nil }, "not among its files"},
		"too many files":       {func(s *skill.Skill) { s.Resources = make([]skill.File, 513) }, "513 files"},
	} {
		s := entry(markdown)
		c.change(s)
		if err := s.Verify([]byte(markdown)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(markdown))
	f.Add([]byte("---\na: &a {b: *a}\n? [x]\n: !!binary eA==\n---\n"))
	f.Add([]byte("---\nname: 0x10\ndescription: 1_000\nx: ~\ny: 2001-01-01\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		front, body, err := skill.Parse(data)
		if err != nil {
			return
		}
		if !json.Valid(front) || len(front) > 1<<20 || !strings.HasSuffix(string(data), body) {
			t.Errorf("%.1000s\n%.1000q", front, body)
		}
		again := append([]byte("---\n"), append(front, "\n---\n"+body...)...)
		if len(front) < skill.MaxFront { // JSON is YAML
			front2, body2, err := skill.Parse(again)
			if d := cmp.Diff([]string{string(front), body}, []string{string(front2), body2}); d != "" || err != nil {
				t.Error(d, err)
			}
		}
	})
}
