package cluster_test

import (
	"testing"

	"github.com/usetools/usetools/harness/cluster"
)

var (
	connect, begin, add, must, effect = cluster.ConnectTo, cluster.BeginRun, cluster.AddLines, cluster.Must, cluster.EffectCall
	eventually, home, late            = cluster.Eventually, cluster.Home, cluster.Late
)

func receive[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	return cluster.Receive(t, c)
}
