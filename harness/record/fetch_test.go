package record_test

import "testing"

func TestAResultIsFetchedOnce(t *testing.T) {
	for name, s := range stores(t, nil) {
		run, _ := waiting(t, s)
		if !s.Fetch(run) || s.Fetch(run) || s.Fetch("zzz") {
			t.Errorf("%s: it is not fetched once", name)
		}
	}
}
