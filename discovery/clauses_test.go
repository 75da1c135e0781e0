package discovery_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
)

func TestPhraseIsCutIntoClauses(t *testing.T) {
	for phrase, want := range map[string][]string{
		"list the files":                       {"list the files"},
		"list files and folders":               {"list files and folders"},
		"find the file and delete it":          {"find the file", "and delete it"},
		"Open it. Read the page, then list it": {"Open it.", "Read the page,", "then list it"},
		"then":                                 nil,
		"":                                     nil,
	} {
		if diff := cmp.Diff(want, discovery.Clauses(phrase)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", phrase, diff)
		}
	}
}

func TestEveryClausesToolIsAmongTheFirst(t *testing.T) {
	ix := indexOf(t, nil, sets...)
	r := resolve(t, ix, "list the storage accounts in my azure subscription and then create a mongodb index on a "+
		"collection", nil)
	if !strings.Contains(r.Note, "asks for several tools (") || !strings.Contains(r.Note, "mongodb/create-index)") {
		t.Errorf("note %q", r.Note)
	}
	if !slices.ContainsFunc(r.Candidates[:discovery.ClauseReach], func(c discovery.Candidate) bool { return c.ID == "mongodb/create-index" }) {
		t.Errorf("%+v", r.Candidates)
	}
}
