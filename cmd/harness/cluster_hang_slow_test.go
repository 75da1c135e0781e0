//go:build slow && unix

package main

import (
	"testing"
	"time"

	"github.com/usetools/usetools/harness/outcome"
)

// A front end that hangs, and whose client sends its request to another one: both give the
// answer of one run.
func TestAFrontEndThatHangs(t *testing.T) {
	t.Parallel()
	c, shop, own, out := hanging(t, 2, 20*time.Second)
	hangs := c.kinds["front"][0]
	hangs.freeze(true)
	again := send(t, c.fronts[1])
	close(shop.hold)
	a := within(t, "the other front end answers", again)
	if a.err != nil || a.Status != outcome.OK {
		t.Fatalf("%+v, %v", a.answerOf, a.err)
	}
	hangs.freeze(false)
	if late := within(t, "the front end answers", out); late.err != nil || late.Status != outcome.OK || late.Run != a.Run {
		t.Errorf("%+v, %v", late.answerOf, late.err)
	}
	if run := theRun(t, own.Store(nil)); run.End == nil || run.Begin.ID != a.Run {
		t.Errorf("%+v", run)
	}
	if shop.receipt("first") == 0 || shop.receipt("second") == 0 || len(shop.twice) != 0 {
		t.Errorf("bought: %v, twice %v", shop.bought, shop.twice)
	}
}
