package worker

import "testing"

func TestASpareCanRehearse(t *testing.T) {
	if err := rehearse(); err != nil {
		t.Error(err)
	}
}
