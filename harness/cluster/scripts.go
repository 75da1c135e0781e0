package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
)

// A saved script is the last message of a subject: its file, compressed by gzip; without
// bytes it is deleted.
const (
	scriptsFolder = "scripts"
	maxScript     = 4 << 20 // bytes of a file
)

// scripts keeps a library as those of the other processes are.
type scripts struct {
	c   *Cluster
	lib *library.Library

	mu   sync.Mutex        // held while a file is written, so that the last one that is written is the newest
	last map[string]uint64 // by subject: the sequence of the message that its file is of
}

// Scripts has files take the saved scripts of the cluster: what one process saves,
// replaces or deletes all have. A copy is kept in the user's cache folder.
func (c *Cluster) Scripts(ctx context.Context, files *catalog.Files) error {
	path, err := c.copyOf()
	if err == nil {
		files.Library, err = c.spread(ctx, filepath.Join(filepath.Dir(path), scriptsFolder))
	}
	if err != nil {
		return fmt.Errorf("the saved scripts of the cluster: %w", err)
	}
	return nil
}

// spread is the library in a folder, kept as those of the other processes until Close.
func (c *Cluster) spread(ctx context.Context, dir string) (*library.Library, error) {
	s := &scripts{c: c}
	s.lib = library.OpenSpread(dir, s)
	first := make(chan error, 1)
	have := func(err error) {
		select {
		case first <- err:
		default:
		}
	}
	c.work.Go(func() {
		c.following(c.ctx, "saved scripts", func(ctx context.Context) error { return s.watch(ctx, have) })
	})
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	select {
	case err := <-first:
		return s.lib, err
	case <-ctx.Done():
		return nil, c.reached(ctx.Err())
	}
}

// watch takes all scripts and then each change, until something fails. It calls have when
// the folder is as the cluster is.
func (s *scripts) watch(ctx context.Context, have func(error)) error {
	var in jetstream.Consumer
	err := s.c.again(ctx, func(ctx context.Context) (err error) {
		in, err = s.c.js.OrderedConsumer(ctx, stateStream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{scriptSubjects + ">"}, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy})
		return err
	})
	if err != nil {
		return s.c.reached(err)
	}
	messages, err := in.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	s.mu.Lock()
	s.last = map[string]uint64{} // of another stream, if this one was made anew
	s.mu.Unlock()
	info, err := in.Info(ctx)
	if err != nil {
		return err
	}
	complete := info.NumPending == 0 && info.Delivered.Consumer == 0
	if complete {
		have(s.rest())
	}
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if err := s.take(m.Subject(), m.Data(), meta.Sequence.Stream); err != nil {
			s.c.log.Warn("a saved script of the cluster is not taken", "error", err)
		}
		if meta.NumPending == 0 && !complete {
			complete = true
			have(s.rest())
		}
	}
}

// rest deletes what only this folder has.
func (s *scripts) rest() error {
	type script struct{ of, name string }
	var gone []script
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.lib.Each(func(of, name string) {
		if s.last[scriptSubject(of, name)] == 0 {
			gone = append(gone, script{of, name})
		}
	})
	for _, g := range gone {
		err = errors.Join(err, s.lib.Take(g.of, g.name, nil))
	}
	return err
}

// take writes the file of a script as a message has it, unless it has a later one.
func (s *scripts) take(subject string, data []byte, seq uint64) error {
	of, name, ok := strings.Cut(strings.TrimPrefix(subject, scriptSubjects), ".")
	of, name = untoken(of), untoken(name)
	if !ok || scriptSubject(of, name) != subject {
		return fmt.Errorf("%.200q is the subject of no script", subject)
	}
	var file []byte
	if len(data) > 0 {
		var err error
		if file, err = unzip(data, maxScript); err != nil {
			return fmt.Errorf("the saved script %q: %w", name, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq <= s.last[subject] {
		return nil
	}
	s.last[subject] = seq
	return s.lib.Take(of, name, file)
}

// Save is that of library.Spread.
func (s *scripts) Save(of, name string, file []byte) error {
	m := nats.NewMsg(scriptSubject(of, name))
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	if file != nil {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		if _, err := zip.Write(file); err != nil {
			return err
		}
		if err := zip.Close(); err != nil {
			return err
		}
		if m.Data = b.Bytes(); len(m.Data) > part {
			return fmt.Errorf("it has %d bytes when compressed, at most %d can be sent to the others", len(m.Data), part)
		}
	}
	s.mu.Lock()
	last := s.last[m.Subject]
	s.mu.Unlock()
	ctx, cancel := s.c.bounded()
	defer cancel()
	seq, err := s.c.publish(ctx, s.c.state, m, strings.ToLower(rand.Text()), last)
	if errors.Is(err, errOther) {
		return fmt.Errorf("another process has changed the saved script %q in the meantime; look at it, and try again", name)
	}
	if err != nil {
		return err
	}
	return s.take(m.Subject, m.Data, seq)
}

// unzip returns what gzip has compressed, of at most so many bytes.
func unzip(data []byte, most int64) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(zip, most+1))
	if err == nil && int64(len(out)) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return out, err
}
