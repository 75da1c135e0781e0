// Package harness runs Go scripts that say in plain words which tools they
// need.
//
// [Harness.Run] takes a script through the whole pipeline and returns one
// [Result]. A worker process (harness/internal/worker) parses the script and
// names its phrases; the harness finds the tools and generates the Go packages
// for just those (harness/internal/bind, by way of discovery and wrappers), and
// hands them to the worker, which type-checks and lowers the script. Only a script that compiles
// as a whole is run, in the worker; each call that it makes is authorised and
// validated here again before a backend sees it.
//
// Three promises hold: nothing runs before everything is known; a script means
// what Go says it means or is refused by name; and nothing that comes out of a
// worker is believed.
//
// A run whose record is kept can end before its script does: where a call waits for
// a person (status waiting), or where nobody knows what became of one that may have
// changed something (uncertain). Nothing of it is left but the record. When the
// person has answered, [Harness.Resume] runs the script again from its beginning,
// answers from the record what was called before, and sends what comes behind it;
// so too after a crash. All effects that a run ever sends are those of one execution
// of its script, each is sent at most once, and what nobody knows is said. What holds
// that is one gate (record.Gate): no effect is sent by an execution that has not
// asked for all effects that were sent before.
//
// Parts of it are packages of their own: what scripts can use (harness/catalog),
// which of that they may call (harness/policy), and the record of a run
// (harness/record), from which [Harness.Replay] does it again without a server. Types
// of the first two have names here too.
//
// A script's fault is data in the Result (its Status says which kind); an
// error from Run is a fault of the harness itself. The two are never mixed.
//
// A program that uses this package must call [RunWorker] first thing in its
// main, because workers are the same binary started again.
package harness
