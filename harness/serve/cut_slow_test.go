//go:build slow

package serve

func init() { randomDocuments = 60 }
