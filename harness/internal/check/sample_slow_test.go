//go:build slow

package check

// isSlow says that the build tag slow is set.
const isSlow = true
