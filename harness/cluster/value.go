package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// putValue stores a value under a subject. A large value takes several messages; the first one,
// which has the subject, is published last, so that a value is complete as soon as it is visible.
// If there is a value already, the error is fs.ErrExist.
func (c *Cluster) putValue(ctx context.Context, in jetstream.Stream, subject string, value []byte) error {
	m := nats.NewMsg(subject)
	nonce := strings.ToLower(rand.Text())
	first := value[:min(len(value), maxPart)]
	n := 0
	for rest := range slices.Chunk(value[len(first):], maxPart) {
		n++
		p := nats.NewMsg(restSubject(subject, nonce, n))
		p.Data = rest
		if _, err := c.publish(ctx, in, p, nonce+"."+strconv.Itoa(n), 0); err != nil {
			return err
		}
	}
	m.Data = first
	m.Header.Set(ownerHeader, nonce)
	m.Header.Set(partsHeader, strconv.Itoa(n))
	_, err := c.publish(ctx, in, m, nonce+".0", 0)
	if errors.Is(err, errConflict) {
		err = fs.ErrExist
		if n > 0 {
			err = errors.Join(err, c.purge(ctx, in, subject+"."+nonce+".*"))
		}
	}
	return err
}

// restSubject returns the subject of a further part of a value.
func restSubject(subject, nonce string, n int) string {
	return subject + "." + token(nonce) + "." + strconv.Itoa(n)
}

// value returns the value under a subject, of at most max bytes. If it does not exist, the error is
// fs.ErrNotExist.
func (c *Cluster) value(ctx context.Context, in jetstream.Stream, subject string, max int64) ([]byte, error) {
	m, err := c.last(ctx, in, subject)
	if err != nil {
		return nil, err
	}
	nonce := m.Header.Get(ownerHeader)
	n, err := strconv.Atoi(m.Header.Get(partsHeader))
	if err != nil || n < 0 || int64(n) > max/maxPart || len(nonce) > maxName {
		return nil, fmt.Errorf("message %d of %s has no valid %s and %s, or its value has more than %d bytes",
			m.Sequence, subject, ownerHeader, partsHeader, max)
	}
	value := m.Data
	for i := 1; i <= n && int64(len(value)) <= max; i++ {
		if m, err = c.last(ctx, in, restSubject(subject, nonce, i)); err != nil {
			return nil, err
		}
		value = append(value, m.Data...)
	}
	if int64(len(value)) > max {
		return nil, fmt.Errorf("it has more than %d bytes", max)
	}
	return value, nil
}

// apartSubjects are the subjects of a value that putApart has stored, before the last tokens.
func apartSubjects(run, name string) string {
	return prefix + "val." + run + ".apart." + token(name) + "."
}

// putApart stores the content of a message that is too large beside the record of its run, and
// returns its name.
func (c *Cluster) putApart(ctx context.Context, run string, value []byte) (name string, err error) {
	name = strings.ToLower(rand.Text())
	return name, c.putValue(ctx, c.records, apartSubjects(run, name)+"value", value)
}

// apart returns a value that putApart has stored, of at most max bytes.
func (c *Cluster) apart(ctx context.Context, run, name string, max int64) ([]byte, error) {
	return c.value(ctx, c.records, apartSubjects(run, name)+"value", max)
}

// dropApart deletes a value that putApart has stored, if it exists. If that fails, the value is
// deleted with the record.
func (c *Cluster) dropApart(run, name string) {
	if name == "" {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, requestTimeout)
	defer cancel()
	if err := c.purge(ctx, c.records, apartSubjects(run, name)+">"); err != nil {
		c.log.Warn("the content of a large message was not deleted", "run", run, "error", err)
	}
}
