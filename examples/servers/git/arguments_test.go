package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestBadArgumentsSayWhatIsAllowed(t *testing.T) {
	c := serve(t, demoDir(t))
	for _, test := range []struct {
		tool      string
		arguments args
		want      string
	}{
		{"git_log", args{"max_count": 501}, `argument "max_count" is out of range: 501, allowed are 1 to 500`},
		{"git_log", args{"max_count": 0}, "allowed are 1 to 500"},
		{"git_log", args{"max_count": -1}, "allowed are 1 to 500"},
		{"git_log", args{"max_count": 1e300}, "allowed are 1 to 500"},
		{"git_log", args{"max_count": "ten"}, `argument "max_count" must be an integer, got "ten"`},
		{"git_log", args{"max_count": 1.5}, "must be an integer, got 1.5"},
		{"git_log", args{"revision": 7}, `argument "revision" must be a text, got 7`},
		{"git_log", args{"limit": 5}, `unknown argument "limit": this tool takes repo_path, max_count, skip`},
		{"git_log", args{"since": "a while ago"}, `since: "a while ago" is not time: write 2026-01-31`},
		{"git_log", args{"until": "2026-02-30"}, "until:"},
		{"git_log", args{"path": "../x"}, "relative to the top of the repository"},
		{"git_log", args{"path": "/etc/passwd"}, "relative to the top of the repository"},
		{"git_log", args{"revision": "mian"},
			`unknown revision "mian": no branch, tag or commit has that name; nearest: "main"`},
		{"git_log", args{"revision": "coutdown~2"}, `nearest: "countdown"`},
		{"git_log", args{"revision": "0.1.0"}, `nearest: "v0.1.0"`},
		{"git_log", args{"revision": "something-else"}, `there are "countdown", "main", "sound", "v0.1.0"`},
		{"git_log", args{"revision": "main..sound"}, "give its two ends separately"},
		{"git_log", args{"revision": "main~9999"}, "is the first commit and has no parent"},
		{"git_log", args{"revision": "main^2"}, "has no parent number 2, it has 1"},
		{"git_log", args{"revision": "main~99999999999999999999"}, "is too large"},
		{"git_log", args{"revision": "main~2x"}, `"x" is not understood`},
		{"git_log", args{"revision": strings.Repeat("x", 5000)}, "is too long: 5000 bytes, at most 4096"},
		{"git_log", args{"revision": "a\x00b"}, "NUL"},
		{"git_diff", nil, `argument "from" is required`},
		{"git_diff", args{"from": "main", "patch": "yes"}, `argument "patch" must be true or false, got "yes"`},
		{"git_diff", args{"from": "nothing", "to": "main"}, `from: unknown revision "nothing"`},
		{"git_blame", args{"path": "gone.go"}, `path "gone.go" does not exist in commit`},
		{"git_blame", args{"path": "."}, "give the path of a file"},
		{"git_blame", args{"path": "main.go", "start_line": 1000}, "beyond the last line"},
		{"git_blame", args{"path": "main.go", "start_line": 5, "end_line": 4}, "end_line 4 is before start_line 5"},
	} {
		if message := c.fails(test.tool, test.arguments); !strings.Contains(message, test.want) {
			t.Errorf("%s(%.80v):\ngot  %s\nwant …%s…", test.tool, test.arguments, message, test.want)
		}
	}
}

func TestOmittedAndNullArgumentsMeanTheirDefaults(t *testing.T) {
	c := serve(t, demoDir(t))
	for _, arguments := range []args{{}, {"max_count": nil, "revision": nil}, {"max_count": 20.0}, {"revision": ""},
		{"revision": "@"}} {
		if got := call[LogResult](c, "git_log", arguments); len(got.Commits) != 19 {
			t.Errorf("git_log(%v): got %d commits, want 19", arguments, len(got.Commits))
		}
	}
}

func TestSchemasStateDefaultsAndLimits(t *testing.T) {
	encoded, err := json.Marshal(inputSchema(diffDefaults))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"required":["from"]`,
		`"max_files":{"type":"integer","description":"Greatest number of files to list","default":200,"minimum":1,"maximum":1000}`,
		`"default":"HEAD"`, `"default":false`,
	} {
		if !strings.Contains(string(encoded), want) {
			t.Errorf("the schema of git_diff lacks %s:\n%s", want, encoded)
		}
	}
}

func TestParseWhen(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		text string
		end  bool
		want string
	}{
		{"2026-03-01", false, "2026-03-01T00:00:00Z"},
		{"2026-03-01", true, "2026-03-01T23:59:59Z"},
		{"2026-03-01 10:30", false, "2026-03-01T10:30:00Z"},
		{"2026-03-01T10:30:05", true, "2026-03-01T10:30:05Z"},
		{"2026-03-01T10:30:05+02:00", false, "2026-03-01T10:30:05+02:00"},
		{"now", false, "2026-03-20T12:00:00Z"},
		{"yesterday", false, "2026-03-19T12:00:00Z"},
		{"2 weeks ago", false, "2026-03-06T12:00:00Z"},
		{" 1 Month ago ", false, "2026-02-20T12:00:00Z"},
		{"3.days.ago", false, "2026-03-17T12:00:00Z"},
		{"90 minutes", false, "2026-03-20T10:30:00Z"},
		{"1 year ago", false, "2025-03-20T12:00:00Z"},
	} {
		got, err := parseWhen(test.text, test.end, now)
		if err != nil || got.Format(time.RFC3339) != test.want {
			t.Errorf("parseWhen(%q, %v): got %v, %v; want %s", test.text, test.end, got, err, test.want)
		}
	}
	for _, text := range []string{"", "soon", "-1 days ago", "1 day since", "2026-13-01", "999999999 years ago"} {
		if got, err := parseWhen(text, false, now); err == nil {
			t.Errorf("parseWhen(%q): got %v, want an error", text, got)
		}
	}
}

// FuzzArguments sends any arguments to every tool: the answer is a result or an
// error in words, never a panic, and nothing outside the root.
func FuzzArguments(f *testing.F) {
	f.Add(0, `{"max_count": 3, "author": "yuki", "since": "2 weeks ago"}`)
	f.Add(1, `{"from": "HEAD~3", "to": "sound", "patch": true, "max_patch_bytes": 150}`)
	f.Add(2, `{"revision": "main~2^2", "path": "folder/../main.go"}`)
	f.Add(3, `{"repo_path": "../.."}`)
	f.Add(4, `{"remote": true, "max_count": null}`)
	f.Add(5, `{"path": "main.go", "start_line": 3, "end_line": 1e1}`)
	f.Add(0, `{"revision": "HEAD^{commit}~1^0^{}"}`)
	f.Add(0, `{"revision": "\u0000:/x@{-1}"}`)
	f.Add(0, `[`)
	dir := f.TempDir()
	if err := makeDemo(dir, demoNow); err != nil {
		f.Fatal(err)
	}
	r, err := newRoot(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, tool int, text string) {
		raw := json.RawMessage(text)
		var source Source
		var err error
		switch ctx := t.Context(); tool {
		case 0:
			source, err = answer(raw, logDefaults,
				func(p LogParams) (Source, error) { out, err := r.log(ctx, p); return out.Source, err })
		case 1:
			source, err = answer(raw, diffDefaults,
				func(p DiffParams) (Source, error) { out, err := r.diff(ctx, p); return out.Source, err })
		case 2:
			source, err = answer(raw, showDefaults,
				func(p ShowParams) (Source, error) { out, err := r.show(ctx, p); return out.Source, err })
		case 3:
			source, err = answer(raw, statusDefaults,
				func(p StatusParams) (Source, error) { out, err := r.status(ctx, p); return out.Source, err })
		case 4:
			source, err = answer(raw, branchesDefaults,
				func(p BranchesParams) (Source, error) { out, err := r.branches(ctx, p); return out.Source, err })
		case 5:
			source, err = answer(raw, blameDefaults,
				func(p BlameParams) (Source, error) { out, err := r.blame(ctx, p); return out.Source, err })
		default:
			return
		}
		if err == nil && !strings.HasPrefix(source.Repository, strings.ReplaceAll(r.dir, `\`, "/")) {
			t.Errorf("%s reads %q, outside the root", text, source.Repository)
		}
		if err != nil && err.Error() == "" {
			t.Errorf("%s fails without a word", text)
		}
	})
}

func answer[In any](raw json.RawMessage, defaults In, run func(In) (Source, error)) (Source, error) {
	params, err := parseArguments(raw, defaults)
	if err != nil {
		return Source{}, fmt.Errorf("arguments: %w", err)
	}
	return run(params)
}
