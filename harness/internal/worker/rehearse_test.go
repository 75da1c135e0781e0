package worker

import "testing"

func TestASpareCanRehearse(t *testing.T) {
	for i, f := range rehearsals {
		if err := f(); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}
