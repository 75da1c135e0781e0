package store_test

import "testing"

func TestAResultIsFetchedOnce(t *testing.T) {
	for name, s := range stores(t, nil) {
		run, _ := waiting(t, s)
		if s.Fetched(run) || !s.Fetch(run) || s.Fetch(run) || !s.Fetched(run) || s.Fetch("zzz") {
			t.Errorf("%s: it is not fetched once", name)
		}
		if s.Recover(run) {
			t.Errorf("%s: it was not missed", name)
		}
		if err := s.Miss(run); err != nil || !s.Recover(run) || s.Recover(run) {
			t.Errorf("%s: it is not recovered once, %v", name, err)
		}
	}
}
