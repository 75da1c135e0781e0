// Package store keeps the records of runs (package record): one append-only file for each
// run, from which history, replay and dry runs are made.
//
// A [Store] keeps its records in a folder, or the latest ones in memory. In a folder a
// record is TIME-ID.run.jsonl, so that names sort by time, and its large values are in
// TIME-ID.run. [Store.Begin] returns the [Writer] of a new record, which owns it until it
// is closed, by a lock that ends with its process. The writer keeps the order: a line is
// passed to the system before Add returns, and Sync makes all lines before it durable. The
// harness syncs before it sends an effect call. After a failed write or sync, nothing more
// is written. [Store.Load] reads a record; readers never write to it.
//
// Lists are read from an index, the file "index" of a folder. It is a cache: a missing row
// is made from the first and the last line of the record.
//
// A person's answer to an Ask is a file next to the record, signed with the store's key (see
// [Store.Answer]): only the first one is valid. [Store.Reopen] makes its caller the only owner of
// a run that is not under way, for another attempt; [Store.Settle] records the outcome of
// a call whose outcome was unknown.
package store
