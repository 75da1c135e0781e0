// Package record keeps what happened in a run of a script: one append-only file
// for each run, from which history, replay and dry runs are made.
//
// A record is a sequence of lines, each a JSON object with a type, a time and a
// CRC-32C: [Begin] first, then [Tools], a [Call] for each call that is about to be
// sent and its [Done], [Note]s of what the script printed and which clock readings
// it had, and [End]. Values over 64 KiB stand beside the file, by their SHA-256.
//
// A [Store] keeps the records of a folder, or the latest in memory. In a folder a
// record is TIME-ID.run.jsonl, so that names sort by time, and its large values are
// in TIME-ID.run. [Store.Begin] returns the [Writer] of a new one, which owns it (by
// a lock that its process's death frees) until it is closed. The rule of order is the
// writer's: a line is handed to the system before Add returns, and Sync makes all
// lines before it durable; the harness syncs before anything leaves that is not a
// read. A write or a sync that fails ends the writing for good.
//
// What is secret is hidden before a line is written, and values of tools whose
// answers are not to be kept are digests with a key of the store: see [Data].
//
// [Store.Load] reads a record into a [Run]. A tail that does not verify is left
// out, since the writer may be at it or may have died in it; a good line after a
// bad one means that the record is damaged, and so does one that is not later than
// the line before it. Readers never write.
//
// A run that needs a person ends, with an [Ask]. What a person says is a file beside
// the record, signed with the store's key (see [Store.Answer]): the first one counts.
// [Store.Reopen] makes its caller the only owner of a run that is not under way, for
// another [Attempt]; [Store.Settle] says what became of a call of which nobody knew.
// "Now" is the later of the clock and the last line, so that nothing that has expired
// is good again.
//
// A [Gate] decides which line of a record answers a call of the script when that
// runs again, and a [State] what may become of a call.
package record
