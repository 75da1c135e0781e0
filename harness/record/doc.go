// Package record defines the record of a run of a script: its lines and their meaning.
// It does no I/O: package store keeps records.
//
// A record is a sequence of lines, each a JSON object with a type, a time and a
// CRC-32C: [Begin] first, then [Tools], a [Call] for each call that is about to be
// sent and its [Done], [Note]s of what the script printed and which clock readings
// it had, and [End]. Values over 64 KiB stand beside the record, by their SHA-256.
//
// An [Encoder] turns lines into bytes. It hides secrets first, and replaces values of
// tools whose answers are not kept by keyed digests: see [Data].
//
// [Parse] turns the bytes of a record into a [Run]. It leaves out a tail that does not
// verify, since its writer may be adding to it or may have died. A good line after a bad
// one means that the record is damaged, and so does one that is not later than the line
// before it.
//
// A run that needs a person ends, with an [Ask]; another [Attempt] resumes it. Its time is
// the later of the clock and the last line, so that nothing that has expired is valid
// again.
//
// A [Gate] decides which line of a record answers a call of the script when that
// runs again, and a [State] what may become of a call.
package record
