package record

// through is a backing whose steps that change what is kept go through
// StoreOptions.Through.
type through struct {
	Backing
	step func(name string, do func() error) error
}

func (t *through) Create(name string) (to Sink, err error) {
	err = t.step("create", func() (err error) { to, err = t.Backing.Create(name); return err })
	return t.sink(to, err)
}

func (t *through) Reopen(name string, dead bool) (to Sink, err error) {
	err = t.step("reopen", func() (err error) { to, err = t.Backing.Reopen(name, dead); return err })
	return t.sink(to, err)
}

func (t *through) sink(to Sink, err error) (Sink, error) {
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

// throughSink is the same of a record that is written.
type throughSink struct {
	Sink
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
