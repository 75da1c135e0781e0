// Package worker holds both ends of the process boundary behind which a script
// is read, checked and run.
//
// The parent starts its own binary again with nothing but GOMAXPROCS in its environment
// and four pipes: frames in, frames out, the script's stdout and its stderr.
// The child ([Main]) answers in this order and no other:
//
//	parent                         worker
//	script ──────────────────────▶ parse
//	        ◀──────────── needs    phrases of UseTools, names of server packages used
//	tools  ──────────────────────▶ type-check with the generated packages, lower
//	        ◀───────────── plan    warnings; or errors, and that is the end
//	go     ──────────────────────▶ run main
//	        ◀──── call, value, warn; clock, with Script.Clock; still
//	result, failed, parked, advance, live ▶
//	        ◀───────────── done    then the worker exits
//
// A script that needs no tools (Script.Free), or only such as it may call
// (Tools.Go), does not wait for what it knows: tools and go are not sent then.
//
// A frame is a little-endian uint32 length, one byte for its kind, and the
// payload: JSON, for calls with a 4-byte number in front, and for a script what
// brief.go says. A result has its call's number, 8 bytes for the time and then the
// tool's result as it is.
//
// # Which call is which
//
// A script that runs again makes its calls in another order: goroutines and maps
// have none. So a call says where it comes from, and the parent tells by that which
// of an earlier run's it is.
//
// Call.Place is where the script names the tool, as "LINE:COLUMN" of the text as
// sent, from 1, the column in bytes: 12:3 for git.Log(p) as well as for the
// git.Log of log := git.Log, wherever log is called. The place is put into the
// lowered program (package lower, place.go) and handed over with the call; the
// line that is noted while the script runs is shared by its goroutines. "?" is the
// place of what the library calls by itself.
//
// Call.Path is the goroutine that makes the call: "" for main, which also
// initialises the script's variables, else the place of each go, WaitGroup.Go,
// time.AfterFunc and context.AfterFunc on the way, with its number at that place in
// the goroutine around it:
//
//	for range 2 {
//		wg.Go(func() {          // 2:2#1 and 2:2#2
//			go git.Log(p)   // 2:2#1/3:3#1 and 2:2#2/3:3#1
//		})
//	}
//
// What else a path can hold says package runtime, strand.go. The same code makes
// the same paths in any schedule, as far as it does the same in each goroutine.
//
// Random functions of the library that have no source of their own draw from
// Script.Seed, those of each goroutine from a stream that follows from its path:
// ChaCha8 with the SHA-256 of seed and path as its key. So a script that runs again
// with its seed draws what it drew. They are the functions of math/rand and
// math/rand/v2, and of crypto/rand with its Reader. What draws by itself does not:
// keys and signatures of package crypto, boundaries of mime/multipart, maphash.
//
// A script that has calls visits its maps in an order that follows from Script.Seed,
// the place of the range statement and the keys, so that it makes its calls in the
// same order again: another one in each run, as in Go. Keys with pointers or channels
// in them have none, and neither have reflect's MapRange and native code.
//
// # Time
//
// With Script.Clock the worker notes what the script reads from its clock: the
// results of time.Now, Since and Until, and the times that come out of the channels
// of timers; and when a script begins that names any of these. They are sent before
// the next call, or before done. They have no monotonic part, which a record could
// not give back, and go on evenly all the same.
//
// With Script.Replay no time passes for the script. When all its goroutines are
// blocked, the worker sends still, and goes on with what it reads next: a result, or
// advance, for which the first timer goes off that somebody waits for. So just one
// thing happens at a time, in the order that the parent chooses. A still that
// crossed a result says so by its number, and counts for nothing.
//
// With Script.Resume the parent may answer live in place of that: the replay is over.
// The script's clock jumps to that of the world, as if the machine had slept. Sleeps,
// timers and the deadlines of contexts that are set go off after what was left of
// their time; timers and tickers may be stopped and set again as before. From then on
// Limits.Parallel holds, and readings of the clock are noted.
//
// # Waiting
//
// A run is not held for a call whose answer may take days. The Host parks it
// ([ErrParked]), and the worker is told that it gets no answer. When all else of the
// script is blocked, too, and no other call is under way, the worker sends still, and
// the run ends with status [Waiting], at once, or, where sleeps or timers are
// pending, after a second in which nothing came from the worker. A run that ends by
// itself meanwhile has ended so. The script of a run that waits can be resumed.
//
// # Trust
//
// Nothing that comes out of a worker is believed: frames are bounded in size,
// number and order ([Limits]), what they claim is data for the caller to
// authorise, and a worker that breaks the protocol is killed. How a run ended
// is decided from what the parent saw itself (its own deadline, its own caps,
// the exit status, which frames came), never from text alone. A worker runs
// one script and dies: it is killed before Run returns, and reaped behind it.
package worker
