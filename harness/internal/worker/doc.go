// Package worker holds both ends of the process boundary behind which a script
// is read, checked and run.
//
// The parent starts its own binary again ([Start]) with an empty environment
// and four pipes: frames in, frames out, the script's stdout and its stderr.
// The child ([Main]) answers in this order and no other:
//
//	parent                         worker
//	script ──────────────────────▶ parse
//	        ◀──────────── needs    phrases of UseTools, names of server packages used
//	tools  ──────────────────────▶ type-check with the generated packages, lower
//	        ◀───────────── plan    warnings; or errors, and that is the end
//	go     ──────────────────────▶ run main
//	        ◀──── call, value, warn
//	result ──────────────────────▶
//	        ◀───────────── done    then the worker exits
//
// A script that needs no tools (Script.Free), or only such as it may call
// (Tools.Go), does not wait for what it knows: tools and go are not sent then.
//
// A frame is a little-endian uint32 length, one byte for its kind, and the
// payload (JSON, for calls and results with a 4-byte number in front).
//
// Nothing that comes out of a worker is believed: frames are bounded in size,
// number and order ([Limits]), what they claim is data for the caller to
// authorise, and a worker that breaks the protocol is killed. How a run ended
// is decided from what the parent saw itself (its own deadline, its own caps,
// the exit status, which frames came), never from text alone. A worker runs
// one script and dies: it is killed before Run returns, and reaped behind it.
package worker
