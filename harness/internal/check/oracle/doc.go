// Package oracle holds the tests that compare scripts with Go itself: what the
// front end and the interpreter make of a program must be what go run prints,
// with the same exit code and the same panic, or a refusal that says why. There
// is no third outcome.
//
// The programs come from four places:
//
//   - package generate, which writes as many as are asked for, from a seed; a
//     difference is shrunk and kept in testdata/found:
//
//     go test ./harness/internal/check/oracle -run Generated -programs 5000 -seed 1
//
//   - testdata/found: what was found that way and mended, with what Go prints,
//     and testdata/open: what is still to be mended or refused;
//
//   - the corpus of package check;
//
//   - Go's own tests, as a ratchet: testdata/gotest.txt lists what runs right and
//     what is refused, and nothing that was right may fail:
//
//     go test ./harness/internal/check/oracle -tags slow -run GoTests
//
// One script, with the difference shrunk when there is one:
//
//	go test ./harness/internal/check/oracle -run OneScript -script FILE.go -v
//
// With -update the tests write what they find into testdata.
//
// A script runs in a process of its own kind (see subject_test.go), that is
// started again when a script ends or breaks it. Go's side compiles many
// programs into one binary (see golang_test.go).
package oracle
