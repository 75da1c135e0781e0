package record

// through is a backing whose steps that change what is kept go through
// StoreOptions.Through.
type through struct {
	backing
	step func(name string, do func() error) error
}

func (t *through) create(name string) (to sink, err error) {
	err = t.step("create", func() (err error) { to, err = t.backing.create(name); return err })
	return t.sink(to, err)
}

func (t *through) reopen(name string) (to sink, err error) {
	err = t.step("reopen", func() (err error) { to, err = t.backing.reopen(name); return err })
	return t.sink(to, err)
}

func (t *through) sink(to sink, err error) (sink, error) {
	switch {
	case to == nil:
		return nil, err
	case err != nil:
		to.Close()
		return nil, err
	}
	return &throughSink{to, t.step}, nil
}

func (t *through) put(name, file string, value []byte) error {
	return t.step("put", func() error { return t.backing.put(name, file, value) })
}

// throughSink is the same of a record that is written.
type throughSink struct {
	sink
	step func(name string, do func() error) error
}

func (t *throughSink) Write(b []byte) (n int, err error) {
	if e := t.step("write", func() error { n, err = t.sink.Write(b); return err }); e != nil {
		err = e
	}
	return n, err
}

func (t *throughSink) Sync() error { return t.step("sync", t.sink.Sync) }

func (t *throughSink) beside(sum string, value []byte) error {
	return t.step("beside", func() error { return t.sink.beside(sum, value) })
}

func (t *throughSink) publish() error { return t.step("publish", t.sink.publish) }

func (t *throughSink) cut(size int64) error {
	return t.step("cut", func() error { return t.sink.cut(size) })
}

func (t *throughSink) Close() error { return t.step("close", t.sink.Close) }
