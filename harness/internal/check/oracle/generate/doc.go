// Package generate writes random Go programs that terminate, print what they do, and print the
// same in every run. They serve to compare two implementations of Go.
//
// A program is a function of its seed. It consists of two things:
//
//   - The core (types.go, expr.go, stmt.go, fn.go) is directed by types: it
//     declares random types with methods, and writes expressions of a requested
//     type and statements over the variables in scope.
//   - The scenes (grammar/*.txt) are situations that implementations often get
//     wrong, written as a grammar of Go texts with holes. [expander] lists the
//     possible holes.
//
// Some programs are archives of several files, with their own imports and with files that Go
// ignores (archive.go).
//
// Each seed enables a random part of both, because a program with every feature would be
// refused for one of them and test nothing else.
//
// Unspecified behaviour is avoided rather than filtered: functions called in expressions write
// nothing that the rest of the statement reads, divisors are odd, maps are printed by fmt or
// summed up, addresses are not printed, and a panic is alone in its statement. Loops and calls
// share a limited fuel, so every program ends.
package generate
