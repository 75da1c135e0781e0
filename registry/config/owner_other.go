//go:build !unix

package config

import "io/fs"

// writable returns "", because files have no owner and mode here.
func writable(fs.FileInfo) string { return "" }

func readable(fs.FileInfo) string { return "" }
