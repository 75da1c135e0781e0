// Package oracle contains tests that compare scripts with Go itself. The front end and the
// interpreter must either print what go run prints, with the same exit code and panic, or
// refuse the program with a reason. No third outcome exists.
//
// The programs come from four places:
//
//   - package generate, which writes any number of them from a seed; a difference
//     is shrunk and kept in testdata/found:
//
//     go test ./harness/internal/check/oracle -run Generated -programs 5000 -seed 1
//
//   - testdata/found: fixed differences, with Go's output, and testdata/open:
//     differences that are still to be fixed or refused;
//
//   - the corpus of package check;
//
//   - Go's own tests, as a ratchet: testdata/gotest.txt lists the tests that pass
//     and those that are refused, and a test that passed must not fail:
//
//     go test ./harness/internal/check/oracle -tags slow -run GoTests
//
// To run one script, and shrink the difference if there is one:
//
//	go test ./harness/internal/check/oracle -run OneScript -script FILE.go -v
//
// With -update the tests write their findings into testdata.
//
// Scripts run in a separate process (see subject_test.go), which is restarted when a script
// ends or breaks it. For Go's side, many programs are compiled into one binary (see
// golang_test.go).
package oracle
