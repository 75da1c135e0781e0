// Package cluster lets several processes, on several machines, share runs through NATS JetStream:
// front ends accept scripts, runners run them, and both read and write the same records. The
// comments call the NATS servers the engine.
//
// Records. [Cluster.Store] is a store of package store that stores each record as the messages of
// one subject of a stream. Approvals, pending runs, repeated requests and the console so work the
// same at all instances as at one with a folder. The first line of a record is published on the
// condition that its subject has no message. This is the claim: a run that has begun never begins
// again. Each further message is published on the condition that the previous one is the last. A
// process that takes a run over first writes a message; the earlier owner can then write no more
// lines, and so sends no more effect calls.
//
// Keys. A bucket ([jetstream.KeyValue]) has the living processes, the latest runs of requests,
// claims, a lock, the key that signs, and the saved scripts. Most keys expire.
//
// Runs. A front end ([Cluster.Front]) notes the run of a request under the request's key, on the
// condition that its revision has not changed since the front end looked, and puts a job into a
// work queue. A front end that receives the same request later finds the run, wherever its job is,
// or begins its record as canceled, so that no runner can begin it. A runner ([Cluster.Serve])
// takes the job, begins the record, runs the script, and sends the front end the result, which is
// in the record as well. If a job is delivered again and its record has begun, its runner died or
// was cut off: the run ends with the status lost.
package cluster
