//go:build slow

package serve

func init() {
	largeRegistries = []int{10_000}
	randomDocuments = 60
}
