package discovery

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// example is a phrase's candidates: their scores, their features, and whether
// they are right.
type example struct {
	score    []float64
	features []features
	gold     []bool
}

// examples asks an index all queries of a set.
func examples(t testing.TB, ix *Index, queries []devQuery) []example {
	t.Helper()
	var out []example
	for _, dq := range queries {
		q := ix.ask(t.Context(), dq.Query)
		ranked := q.rank(nil)
		var e example
		for _, c := range ranked {
			e.score = append(e.score, c.score)
			e.features = append(e.features, c.features)
			e.gold = append(e.gold, slices.Contains(dq.Gold, ix.id(c.tool)))
		}
		q.done()
		out = append(out, e)
	}
	return out
}

// loss is the mean of -log of the share that the right tools have of the
// softmax when a feature has another weight; top1 in percent.
func loss(examples []example, feature int, weight float64) (nll, top1 float64) {
	weight -= loadTables().coef[feature]
	found := 0.0
	for _, e := range examples {
		var all, right float64
		best, highest := -1, math.Inf(-1)
		for i := range e.score {
			s := e.score[i] + weight*e.features[i][feature]
			if s > highest {
				best, highest = i, s
			}
			share := math.Exp(s - e.score[0])
			all += share
			if e.gold[i] {
				right += share
			}
		}
		if best >= 0 && e.gold[best] {
			top1++
		}
		if right > 0 {
			nll -= math.Log(right / all)
			found++
		}
	}
	return nll / found, 100 * top1 / float64(len(examples))
}

// hurried is what an agent in a hurry would write for a phrase: five words.
func hurried(t *tables, phrase string) string {
	var words []string
	for w := range lowerWords(strings.ReplaceAll(t.normalise(phrase), "|", " ")) {
		if len(words) < 5 && !t.polite[w] && !t.stop[w] {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// What goes beyond the reference is chosen without the set that it is measured
// on: for each development set the least weight that gains four fifths of what
// the best one gains on the other two.
// It must not lower any set, whole or cut to five words.
func TestLeaveOneOut(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes a minute under the race detector")
	}
	all := map[string][]example{}
	for _, set := range sets {
		all[set] = examples(t, indexOf(t, nil, set), queriesOf(t, set))
	}
	for feature := numReference; feature < numFeatures; feature++ {
		if loadTables().coef[feature] > 0 {
			t.Run(featureNames[feature], func(t *testing.T) { leaveOneOut(t, all, feature) })
		}
	}
}

func leaveOneOut(t *testing.T, all map[string][]example, feature int) {
	weights := []float64{0, .25, .5, .75, 1, 1.5, 2, 3, 4, 5, 6, 7, 8}
	for _, held := range sets {
		losses := make([]float64, len(weights))
		for i, w := range weights {
			for _, set := range sets {
				if set != held {
					nll, _ := loss(all[set], feature, w)
					losses[i] += nll
				}
			}
		}
		enough := losses[0] - .8*(losses[0]-slices.Min(losses))
		best := weights[slices.IndexFunc(losses, func(l float64) bool { return l <= enough })]
		_, without := loss(all[held], feature, 0)
		_, with := loss(all[held], feature, best)
		t.Logf("%s: weight %.2f by the other sets: top-1 %.1f, without %.1f", held, best, with, without)
		if with < without-.3 {
			t.Errorf("%s: the feature lowers top-1 from %.1f to %.1f", held, without, with)
		}
	}
}

func TestBeyondTheReferenceNoSetIsLowered(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes a minute under the race detector")
	}
	pools := map[string][]string{"all": sets}
	for _, s := range sets {
		pools[s] = []string{s}
	}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		reference, here := indexOf(t, &Options{reference: true}, pools[name]...), indexOf(t, nil, pools[name]...)
		for _, short := range []bool{false, true} {
			var queries []devQuery
			for _, set := range pools[name] {
				queries = append(queries, queriesOf(t, set)...)
			}
			label := name
			if short {
				label += ", five words"
				for i := range queries {
					queries[i].Query = hurried(here.t, queries[i].Query)
				}
			}
			before, after := measure(t, reference, queries), measure(t, here, queries)
			t.Logf("%s: reference %.1f, here %.1f", label, before, after)
			if after.Top1 < before.Top1-.3 || after.Recall5 < before.Recall5-.3 {
				t.Errorf("%s is lowered from %.1f to %.1f", label, before, after)
			}
		}
	}
}

func TestLastNounOfTheNameIsTheObjectOfThePhrase(t *testing.T) {
	ix := index(t, nil,
		tool("store", "syncgroup_delete", "Delete a sync group."),
		tool("store", "syncgroup_endpoint_delete", "Delete an endpoint of a sync group."),
		tool("store", "index_list", "List the indexes of a collection."),
		tool("store", "query", "Query a collection by its index."))
	for phrase, want := range map[string]string{
		"delete the endpoint from the sync group": "store.syncgroup_endpoint_delete",
		"is there an index for the user's name":   "store.index_list",
		"are there indexes on the collection":     "store.index_list",
	} {
		if r := resolve(t, ix, phrase, nil); r.Candidates[0].ID != want {
			t.Errorf("%q: %+v, want %s first", phrase, r.Candidates, want)
		}
	}
}

// A phrase whose tool is not there must not be taken for another one's: the
// development sets without the right tools, of which siblings stay.
func TestMissingToolIsSeldomTakenForAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes a minute under the race detector")
	}
	for _, set := range sets {
		falsely := func(ix *Index) float64 {
			n := 0
			queries := queriesOf(t, set)
			for _, dq := range queries {
				q := ix.ask(t.Context(), dq.Query)
				others := slices.DeleteFunc(slices.Clone(ix.all), func(i int32) bool { return slices.Contains(dq.Gold, ix.id(i)) })
				ranked := q.rank(others)
				if right, _ := ix.t.confidence.judge(ranked); right >= ix.threshold {
					n++
				}
				q.done()
			}
			return 100 * float64(n) / float64(len(queries))
		}
		before, after := falsely(indexOf(t, &Options{reference: true}, set)), falsely(indexOf(t, nil, set))
		t.Logf("%s: resolved to another tool: reference %.1f %%, here %.1f %%", set, before, after)
		if after > before+.3 {
			t.Errorf("%s: %.1f %% instead of %.1f %%", set, after, before)
		}
	}
}
