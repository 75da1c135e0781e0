// Package store keeps the records of runs, of package record: one append-only file for
// each run, from which history, replay and dry runs are made.
//
// A [Store] keeps the records of a folder, or the latest in memory. In a folder a
// record is TIME-ID.run.jsonl, so that names sort by time, and its large values are
// in TIME-ID.run. [Store.Begin] returns the [Writer] of a new one, which owns it (by
// a lock that its process's death frees) until it is closed. The rule of order is the
// writer's: a line is handed to the system before Add returns, and Sync makes all
// lines before it durable; the harness syncs before an effect call leaves. A write or a
// sync that fails ends the writing. [Store.Load] reads a record. Readers
// never write to it.
//
// A list is read from an index, which is in the file "index" of a folder. It is a cache:
// a row that it lacks is made from the first and the last line of the record.
//
// A person's answer to an ask is a file beside the record, signed with the store's key (see
// [Store.Answer]): the first one counts. [Store.Reopen] makes its caller the only owner of
// a run that is not under way, for another attempt; [Store.Settle] records the outcome of
// a call whose outcome was unknown.
package store
