// Package recordtest wraps backings of records for tests.
package recordtest

import "github.com/usetools/usetools/harness/record/store"

// Through returns a Backing that passes each step that changes the records to step, which
// calls do or returns an error. The names of the steps are create, reopen, write, sync,
// beside, publish, cut, close and put.
func Through(in store.Backing, step func(name string, do func() error) error) store.Backing {
	return &through{in, step}
}

type through struct {
	store.Backing
	step func(name string, do func() error) error
}

func (t *through) Create(name string) (to store.Sink, err error) {
	err = t.step("create", func() (err error) { to, err = t.Backing.Create(name); return err })
	return t.sink(to, err)
}

func (t *through) Reopen(name string, dead bool) (to store.Sink, err error) {
	err = t.step("reopen", func() (err error) { to, err = t.Backing.Reopen(name, dead); return err })
	return t.sink(to, err)
}

func (t *through) sink(to store.Sink, err error) (store.Sink, error) {
	switch {
	case to == nil:
		return nil, err
	case err != nil:
		to.Close()
		return nil, err
	}
	return &throughSink{to, t.step}, nil
}

func (t *through) Put(name, file string, value []byte) error {
	return t.step("put", func() error { return t.Backing.Put(name, file, value) })
}

// throughSink passes the steps of a Sink to step.
type throughSink struct {
	store.Sink
	step func(name string, do func() error) error
}

func (t *throughSink) Write(b []byte) (n int, err error) {
	if e := t.step("write", func() error { n, err = t.Sink.Write(b); return err }); e != nil {
		err = e
	}
	return n, err
}

func (t *throughSink) Sync() error { return t.step("sync", t.Sink.Sync) }

func (t *throughSink) Beside(sum string, value []byte) error {
	return t.step("beside", func() error { return t.Sink.Beside(sum, value) })
}

func (t *throughSink) Publish() error { return t.step("publish", t.Sink.Publish) }

func (t *throughSink) Cut(size int64) error {
	return t.step("cut", func() error { return t.Sink.Cut(size) })
}

func (t *throughSink) Close() error { return t.step("close", t.Sink.Close) }
