package discovery_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
)

func settings(t testing.TB, value string) *discovery.Settings {
	t.Helper()
	s, err := discovery.ParseSettings([]byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSettingsBecomeOptions(t *testing.T) {
	s := settings(t, `{"aliases": {"github": ["the forge"]}, "prefer": ["github"], "threshold": 0.9, "memory": false,
		"embedder": {"type": "ollama", "model": "nomic-embed-text"}, "of another package": 1}`)
	o, err := s.Options()
	if err != nil {
		t.Fatal(err)
	}
	if o.Embedder.Identity().Name != "ollama:nomic-embed-text" || o.Prefer[0] != "github" ||
		o.Aliases["github"][0] != "the forge" || o.Threshold != .9 || s.Remembers() {
		t.Errorf("%+v", o)
	}
	for _, none := range []string{"", " ", "null", "{}"} {
		s := settings(t, none)
		if o, err := s.Options(); err != nil || o.Embedder != nil || !s.Remembers() {
			t.Errorf("%q: %+v, %v", none, o, err)
		}
	}
}

func TestFirstFilesSettingsWin(t *testing.T) {
	a := settings(t, `{"aliases": {"x": ["one"]}, "prefer": ["b", "a"], "memory": false, "threshold": 0.7}`)
	b := settings(t, `{"aliases": {"x": ["two", "one"], "y": ["three"]}, "prefer": ["a", "c"], "threshold": 0.9, "memory": true, "embedder": {"type": "ollama", "model": "m"}}`)
	want := settings(t, `{"aliases": {"x": ["one", "two"], "y": ["three"]}, "prefer": ["b", "a", "c"], "threshold": 0.7, "memory": false, "embedder": {"type": "ollama", "model": "m"}}`)
	if diff := cmp.Diff(want, a.Merge(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	for value, want := range map[string]string{
		`[]`:                              "reading usetools",
		`{"prefer": "x"}`:                 "prefer",
		`{"embedder": {"type": "x"}}`:     "no model",
		`{"embedder": {"model": "m"}}`:    `type is ""`,
		`{"aliases": {"x": "the forge"}}`: "aliases",
		`{"threshold": 1.5}`:              "threshold is 1.5",
		`{"threshold": -0.1}`:             "threshold is -0.1",
	} {
		s, err := discovery.ParseSettings([]byte(value))
		if err == nil {
			_, err = s.Options()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", value, err, want)
		}
	}
}

func TestThresholdDecidesWhatIsResolved(t *testing.T) {
	const phrase = "show the changes between two commits"
	before := resolve(t, index(t, nil, gitTools...), phrase, nil)
	if before.Verdict != discovery.Resolved || before.Confidence == 1 {
		t.Fatalf("%+v", before)
	}
	after := resolve(t, index(t, &discovery.Options{Threshold: 1}, gitTools...), phrase, nil)
	if after.Verdict != discovery.Ambiguous || after.Confidence != before.Confidence {
		t.Errorf("with a threshold of 1: %+v", after)
	}
}
