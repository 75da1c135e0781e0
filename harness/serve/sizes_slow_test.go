//go:build slow

package serve_test

func init() { largeRegistries = []int{10_000} }
