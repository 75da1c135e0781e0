// Package worker contains both ends of the process boundary behind which a script is parsed,
// checked and run.
//
// The parent starts its own binary again. The environment contains only GOMAXPROCS, and there
// are four pipes: frames in, frames out, the script's stdout and its stderr. The child ([Main])
// follows this protocol strictly:
//
//	parent                         worker
//	script ──────────────────────▶ parse
//	        ◀──────────── needs    phrases of UseTools, names of server packages used
//	tools  ──────────────────────▶ type-check with the generated packages, lower
//	        ◀───────────── plan    warnings; or errors, which end the conversation
//	go     ──────────────────────▶ run main
//	        ◀──── call, value, warn; clock, with Script.Clock; still
//	result, failed, parked, advance, live ▶
//	        ◀───────────── done    then the worker exits
//
// With Script.Free, neither tools nor go is sent for a script that needs no tools. With
// Tools.Go, go is not sent.
//
// A frame is a little-endian uint32 length, one byte for its kind, and the payload: JSON, with
// a 4-byte number in front for calls. A script's frame is described at Script.encode. A result
// consists of its call's number, 8 bytes for the time, and the tool's unchanged result.
//
// # Identity of calls
//
// A script that is run again may make its calls in another order, because goroutines and maps
// have none. So each call reports where it comes from, and the parent uses that to find the
// same call of the earlier run.
//
// Call.Place is the place where the script names the tool, as "LINE:COLUMN" of the text as
// sent, from 1, the column in bytes: 12:3 for git.Log(p) as well as for the git.Log of log :=
// git.Log, wherever log is called. Package lower (place.go) puts the place into the program,
// and the call passes it on. The current line that the running script notes would not do,
// because its goroutines share it. "?" is the place of calls by the library itself.
//
// Call.Path identifies the calling goroutine. It is "" for main, which also initialises the
// script's variables. Otherwise it lists each go, WaitGroup.Go, time.AfterFunc and
// context.AfterFunc that led to the goroutine: the place, and its number at that place within
// the enclosing goroutine:
//
//	for range 2 {
//		wg.Go(func() {          // 2:2#1 and 2:2#2
//			go git.Log(p)   // 2:2#1/3:3#1 and 2:2#2/3:3#1
//		})
//	}
//
// Package runtime (goroutine_path.go) describes the other elements of a path. The same code makes the
// same paths in any schedule, as far as each goroutine does the same.
//
// Random functions of the library without an explicit source are seeded with Script.Seed. Each
// goroutine has its own stream: ChaCha8 keyed with the SHA-256 of seed and path. So a script
// that is run again with its seed draws the same numbers. This applies to math/rand and
// math/rand/v2, and to crypto/rand with its Reader. It does not apply to keys and signatures of
// package crypto, boundaries of mime/multipart, and maphash.
//
// A script with calls visits its maps in an order that is derived from Script.Seed, the place
// of the range statement and the keys, so that it repeats its calls in the same order. The
// order differs between seeds, as in Go between runs. Keys that contain pointers or channels,
// reflect's MapRange and native code have no repeatable order.
//
// # Time
//
// With Script.Clock the worker records the times that the script reads from its clock: the
// results of time.Now, Since and Until, the times received from channels of timers, and the
// start time of a script that names any of these. It sends them before the next call, or before
// done. The times have no monotonic part, because a record could not restore it, but they
// advance steadily.
//
// With Script.Replay no time passes for the script. When all its goroutines are blocked, the
// worker sends still, and continues with the next frame that it reads: a result, or advance,
// which fires the first timer with a waiter. So one thing happens at a time, in the order that
// the parent chooses. A still that crossed a result shows this by its number, and is ignored.
//
// With Script.Resume the parent may answer with live instead, which ends the replay. The
// script's clock jumps to the current time, as if the machine had slept. Pending sleeps, timers
// and context deadlines fire after their remaining time; timers and tickers can be stopped and
// reset as before. From then on Limits.Parallel applies, and clock readings are recorded.
//
// # Waiting
//
// A run does not stay open for a call whose answer may take days. The Host parks the call
// ([ErrParked]), and the worker learns that it gets no answer. When the rest of the script is
// blocked too, and no other call is under way, the worker sends still, and the run ends with
// status [Waiting]: at once or, if sleeps or timers are pending, after a second without a frame
// from the worker. A script that ends by itself in the meantime ends the run normally. A
// waiting run's script can be resumed.
//
// # Trust
//
// The parent trusts nothing that a worker sends. Frames are limited in size, number and order
// ([Limits]), their claims are data that the caller must authorise, and a worker that breaks
// the protocol is killed. The parent derives a run's status from its own observations (its
// deadline, its limits, the exit status, the frames received), never from text alone. A worker
// runs one script. Run kills it before it returns, and reaps it in the background.
package worker
