//go:build slow && !race

package serve_test

const raceEnabled = false
