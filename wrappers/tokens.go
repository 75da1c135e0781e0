package wrappers

import "github.com/usetools/usetools/registry/text"

// Tokens is text.Tokens.
func Tokens(s string) int { return text.Tokens(s) }

// NameTokens is text.Tokens.
func NameTokens(name string) int { return text.Tokens(name) }
