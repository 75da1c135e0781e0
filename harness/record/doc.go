// Package record defines the record of a run: its lines, what they mean, and how a run resumes from
// them. It does no I/O; package store keeps records.
//
// A record is a sequence of lines, each a JSON object with a type, a time and a CRC-32C. [Begin]
// has the script and its inputs, and [Tools] the tools that it was compiled against. A [Call] is
// written before the call is sent, and its [Done] has the result. A [Note] has printed text and
// clock readings, and [End] has the status. Values over 64 KiB are stored beside the record: in
// files of their own next to its file, named by their SHA-256.
//
// An [Encoder] turns lines into bytes. It hides secrets first, and replaces values that must not be
// kept by keyed digests: see [Data].
//
// [Parse] turns the bytes of a record into a [Run]. It ignores a tail that does not verify, because
// its writer may still be adding to it or may have died. A record is damaged if a valid line
// follows an invalid one. A line that is not later than the line before it is invalid.
//
// A run that needs a person writes an [Ask], a request for approval or input, and ends. After the
// [Answer], another [Attempt] runs the script again from its beginning. The time of a record never
// goes back, so that nothing expired becomes valid again. A [Gate] answers the repeated calls from
// the record, and lets new calls be sent once the script has repeated all effect calls that were
// sent. A [State] is how far a call has got.
package record
