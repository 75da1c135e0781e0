//go:build !unix

package config

import "io/fs"

// writable says nothing where files have no owner and mode to ask.
func writable(fs.FileInfo) string { return "" }

func readable(fs.FileInfo) string { return "" }
