package discovery_test

import "testing"

func TestSimilarToolsAreTheNearestNeighbours(t *testing.T) {
	ix := index(t, nil, gitTools...)
	got, err := ix.Similar("memory.search", 2)
	if err != nil || len(got) != 2 || got[0].ID != "my files.search" || got[0].Score < got[1].Score {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ix.Similar("memory.search", 100); err != nil || len(got) != len(gitTools)-1 {
		t.Errorf("more than there are: %d, %v", len(got), err)
	}
	if _, err := ix.Similar("memory.gone", 2); err == nil {
		t.Error("an unknown tool has neighbours")
	}
	if got, err := index(t, nil, tool("s", "北", ""), tool("s", "x", "")).Similar("s.北", 1); err != nil || len(got) != 0 {
		t.Errorf("a text without known words: %v, %v", got, err)
	}
}
