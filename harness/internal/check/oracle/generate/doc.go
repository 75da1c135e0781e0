// Package generate writes random Go programs that terminate, print what they
// do and print the same whenever they run, so that two implementations of Go
// can be compared by them.
//
// A program is a function of its seed. It is made of two things:
//
//   - The core (types.go, expr.go, stmt.go, fn.go) is directed by types: it
//     declares random types with methods and writes expressions of a type that
//     is asked for and statements over the variables in scope.
//   - The scenes (grammar/*.txt) are situations in which implementations go
//     wrong, written as a grammar whose texts are Go with holes. What a hole may
//     hold says [expander].
//
// Some programs are archives of several files, with imports of their own and
// files that Go leaves out (archive.go).
//
// Each seed enables a random part of both, because a program with every feature
// in it is refused for one of them and then tests none.
//
// What the specification leaves open is avoided rather than filtered: the
// functions that expressions call write nothing that the rest of the statement
// reads, divisors are odd, maps are printed by fmt or summed up, no address is
// printed, and what panics stands alone in its statement. Loops and calls burn a
// common fuel, so that every program ends.
package generate
