// Package cluster lets several processes, on several machines, share runs through NATS
// JetStream: front ends take scripts, runners run them, and both read and write the same
// records.
//
// What outlives a request is a record. [Cluster.Store] is a store of package record
// whose records are messages of a stream, one subject for each; with it approvals, runs
// that wait, requests that are sent again and the console work at all instances as they
// do at one with a folder. The first line of a record is published on the condition that
// its subject has no message: that is the claim, and a run that has begun is never begun
// again. Each further message is published on the condition that the one before it is
// the last: whoever took the run over has written one, so that nobody else can write a
// line any more, and nothing that is no read is sent without its line.
//
// A front end ([Cluster.Front]) notes whose request it is, on the condition that nobody
// has noted it since it looked, and puts a job into a work queue. Who is sent the same
// request later finds the run, wherever its job is, or begins its record as canceled, so
// that nobody else can. A runner ([Cluster.Runner])
// takes it, begins the record, runs the script and tells the front end the result, which
// the record has, too. A job that is delivered again and whose record has begun is of a
// runner that died or was cut off: the run ends with the status lost.
package cluster
