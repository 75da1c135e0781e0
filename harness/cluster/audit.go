package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// auditWait is how long Write waits for the engine to store lines.
const auditWait = 4 * time.Second

// Audit returns a writer for the audit lines of this process. Write returns when the engine has
// stored them.
func (c *Cluster) Audit() io.Writer { return auditor{c} }

type auditor struct{ c *Cluster }

func (a auditor) Write(lines []byte) (n int, err error) {
	ctx, cancel := context.WithTimeout(a.c.ctx, auditWait)
	defer cancel()
	id := strings.ToLower(rand.Text())
	for i := 0; n < len(lines); i++ {
		some := lines[n:]
		if len(some) > maxPart {
			some = some[:maxPart]
			if end := bytes.LastIndexByte(some, '\n'); end >= 0 { // else the next message continues this line
				some = some[:end+1]
			}
		}
		err := a.c.retry(ctx, func(ctx context.Context) error {
			_, err := a.c.js.PublishMsg(ctx, &nats.Msg{Subject: auditSubject(a.c.o.Name), Data: some},
				jetstream.WithMsgID(id+"."+strconv.Itoa(i)), jetstream.WithRetryAttempts(0))
			return err
		})
		if err != nil {
			return n, a.c.reached(err)
		}
		n += len(some)
	}
	return n, nil
}

// ReadAudit writes the audit lines that all processes have stored since a time, in the order in
// which they were stored.
func (c *Cluster) ReadAudit(ctx context.Context, since time.Time, w io.Writer) error {
	err := c.eachOf(ctx, auditStream, &jetstream.OrderedConsumerConfig{FilterSubjects: []string{auditSubjects + "*"},
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &since},
		func(m jetstream.Msg) error {
			_, err := w.Write(m.Data())
			return err
		})
	if err != nil && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("reading the audit of the cluster: %w", err)
	}
	return err
}
