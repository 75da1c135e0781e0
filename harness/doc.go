// Package harness runs Go scripts that say in plain words which tools they need. It is what a
// program embeds: [New] makes a [Harness], and [Harness.Run] runs a [Script] and returns an
// [outcome.Result].
//
// A program that uses this package must call [RunWorker] first in its main, because workers
// are the same binary started again.
//
// # A run
//
// A worker process parses the script and names its phrases. The harness finds the tools and
// generates the Go packages for just those. The worker type-checks the script against them.
// Only a script that compiles as a whole is run, in the worker. The harness authorises and
// validates each call again before it sends the call to a server.
//
// Three promises hold. Nothing runs before everything is known. A script means what Go says it
// means, or is refused by name. Nothing that comes out of a worker is believed.
//
// A script's fault is data in the Result, whose Status says which kind. An error from Run is a
// fault of the harness itself.
//
// # Resume and replay
//
// A run whose record is kept can end before its script does: when a call needs approval
// (status waiting), or when the outcome of an effect call is unknown (status uncertain). Only
// the record is left of it. Once a person has answered, [Harness.Resume] runs the script again
// from its beginning, answers the calls that it made before from the record, and sends those
// that follow. It does the same after a crash. All effect calls of a run belong to one
// execution of its script, and each is sent at most once. One gate ensures this
// ([record.Gate]): an execution sends an effect call only after it has repeated all that were
// sent before.
//
// [Harness.Replay] runs the script again from a record without any server.
//
// # The packages
//
// In reading order, each uses of the others only those above it:
//
//   - harness/outcome is the result of a run and its parts, as plain data.
//   - harness/internal/bind finds the tools that the phrases and names of a script mean, and
//     explains errors.
//   - harness/internal/journal writes the record of a run while it runs.
//   - harness/internal/engine runs one script in a worker, and decides on its calls and makes
//     them.
//   - harness/internal/rerun runs a script again from its record, to replay or to resume it.
//   - harness, this package, is the facade: options, scripts, and runs in other processes
//     ([Elsewhere]).
//
// Beside them, harness/catalog has the tools that scripts can use, harness/policy decides which
// they may call, harness/flow says where the values in their arguments come from,
// harness/record defines records, harness/record/store keeps them,
// harness/approval answers pending calls, and harness/internal/worker is the process that runs
// a script.
package harness
