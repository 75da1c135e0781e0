//go:build slow

package shorten

func init() { randomDocuments = 60 }
