// Package harness runs Go scripts that describe in plain words the tools they need.
//
// A client, often a language model, sends a script. A script is an ordinary Go program that calls
// tools as Go functions. The harness runs it in a locked worker process. The script itself can
// reach no file and no network: only the harness talks to the servers that have the tools, and it
// checks each call first. A program embeds the harness like this: [New] makes a [Harness], and
// [Harness.Run] runs a [Script] and returns an [outcome.Result]. Its main must call [RunWorker]
// first, because a worker is the same binary started again.
//
// This comment is the first stop of a tour. Continue with go doc ./harness/record, ./discovery,
// ./wrappers and ./registry.
//
// # A run
//
//  1. A worker parses the script and lists the phrases that describe tools.
//  2. The harness finds a tool for each phrase (discovery) in the list of known tools (registry)
//     and generates Go packages for just these tools (wrappers).
//  3. The worker type-checks the script against the packages. Only a script that compiles as a
//     whole is run.
//  4. The worker runs the script. It sends each tool call to the harness, which authorises and
//     validates it again before it sends it to a server.
//  5. If records are kept, the harness writes each step to the run's record (record).
//
// Three promises hold. Nothing runs before everything is known. A script means what Go says it
// means, or it is refused with a reason. The harness trusts nothing that comes out of a worker.
//
// A fault of the script is data in the Result; its Status says which kind. An error from Run is a
// fault of the harness itself.
//
// # Resume and replay
//
// A run can end before its script does: when a call needs approval (status waiting), or when the
// outcome of an effect call, one that may change something, is unknown (status uncertain). Its
// worker is gone then; its record remains. Once a person has answered, [Harness.Resume] runs the
// script again from its beginning. It answers the calls of the record from the record and sends the
// calls that follow. After a crash it does the same. All effect calls of a run belong to one
// execution of its script, and each is sent at most once: a [record.Gate] lets a resumed script
// send an effect call only after it has repeated all effect calls of the record.
//
// [Harness.Replay] runs the script again from a record without any server.
//
// # The packages
//
// In this order, each of these packages imports of the others only those above it:
//
//   - harness/outcome: the result of a run and its parts, as plain data.
//   - harness/internal/bind: finds the tools for the phrases and names of a script, and explains
//     errors.
//   - harness/internal/journal: writes the record of a run while it runs.
//   - harness/internal/engine: runs one script in a worker, and decides on its calls and makes
//     them.
//   - harness/internal/rerun: runs a script again from its record, to replay or to resume it.
//   - harness: options, scripts, and runs in other processes ([Elsewhere]).
//
// Beside them, harness/catalog has the tools that scripts can use, harness/policy decides which of
// them a script may call, harness/flow explains where the values in the arguments come from,
// harness/record defines records, harness/record/store stores them, harness/approval answers
// pending calls, and harness/internal/worker is the process that runs a script.
package harness
