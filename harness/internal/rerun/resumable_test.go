package rerun

import (
	"testing"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
)

func TestARecordDoesNotSayWhatAReplayMayTake(t *testing.T) {
	much := worker.Limits{Timeout: 1 << 60, CPU: 1 << 60, Memory: 1 << 50, Stdout: 1 << 50}
	if l := BoundedLimits(much); l.Timeout > time.Hour || l.CPU > time.Hour || l.Memory > 8<<30 || l.Stdout > 1<<30 {
		t.Errorf("%+v", l)
	}
	if own := (worker.Limits{Timeout: time.Second, Memory: worker.MinMemory}); BoundedLimits(own) != own {
		t.Error("small limits do not stay")
	}
}
