//go:build slow && !race

package serve

const raceEnabled = false
