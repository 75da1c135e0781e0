package cluster

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Roles of processes.
const (
	RoleFront  = "front"  // takes scripts, and calls tools for its clients
	RoleRunner = "runner" // runs those of a pool
	RoleAdmin  = "admin"  // makes the streams, and runs nothing
)

// Roles are all roles.
func Roles() []string { return []string{RoleFront, RoleRunner, RoleAdmin} }

// Permissions are the subjects that a user needs, and no others.
type Permissions struct {
	Publish   []string `json:"publish"`
	Subscribe []string `json:"subscribe"`
}

// PermissionsOf are those of a user whose processes have some roles. pool is that of a
// runner, empty: DefaultPool. key is the public nkey of the user (U…), behind which its
// answers come; empty: it has none, and shares the subjects of answers with all others.
//
// What they do not tell apart: who may read a stream reads all of it, and who may purge
// one may purge all of it; NATS grants that by stream. So front ends and runners trust each
// other with the records of all, and with the key that signs answers. An account is what
// keeps tenants apart; a pool keeps apart what is run, not what may be read.
func PermissionsOf(roles []string, pool, key string) (*Permissions, error) {
	p := &Permissions{}
	for _, role := range roles {
		switch role {
		case RoleFront:
			p.front()
		case RoleRunner:
			p.runner(token(cmp.Or(pool, DefaultPool)))
		case RoleAdmin:
			p.publish(api+"STREAM.CREATE.*", api+"STREAM.UPDATE.*", api+"CONSUMER.CREATE."+queueStream+".>")
			p.look()
		default:
			return nil, fmt.Errorf("no role %q; there are %s", role, strings.Join(Roles(), ", "))
		}
	}
	p.publish(userInfoSubject)
	p.subscribe(inboxes(key) + ".>")
	for _, list := range []*[]string{&p.Publish, &p.Subscribe} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return p, nil
}

const api = "$JS.API."

// allStreams are the names of the streams.
var allStreams = []string{queueStream, recordsStream, stateStream, keptStream, auditStream, filesStream}

func (p *Permissions) publish(subjects ...string)   { p.Publish = append(p.Publish, subjects...) }
func (p *Permissions) subscribe(subjects ...string) { p.Subscribe = append(p.Subscribe, subjects...) }

// look is what a Status asks, but for what processes say of themselves.
func (p *Permissions) look() {
	for _, stream := range allStreams {
		p.publish(api + "STREAM.INFO." + stream)
	}
	p.publish(api + "CONSUMER.INFO." + queueStream + ".*")
}

// read is reading of streams, also with a consumer that ends with its reader.
func (p *Permissions) read(streams ...string) {
	for _, stream := range streams {
		p.publish(api+"STREAM.MSG.GET."+stream, api+"CONSUMER.CREATE."+stream+".>", api+"CONSUMER.INFO."+stream+".*",
			api+"CONSUMER.MSG.NEXT."+stream+".*", api+"CONSUMER.DELETE."+stream+".*")
	}
}

// process is what each process of a cluster does that has records.
func (p *Permissions) process() {
	p.look()
	p.read(recordsStream, stateStream, filesStream)
	p.publish(prefix+"rec.>", prefix+"val.>", prefix+"req.*", prefix+"once.*", prefix+"alive.*", keySubject, lockSubject,
		api+"STREAM.PURGE."+recordsStream, api+"STREAM.PURGE."+stateStream, api+"STREAM.MSG.GET."+queueStream)
	p.subscribe(newsSubjects + ">")
}

func (p *Permissions) front() {
	p.process()
	p.read(keptStream, auditStream)
	p.publish(prefix+"run.>", prefix+"cancel.*", prefix+"ping.*", prefix+"kept.>", auditSubjects+"*", scriptSubjects+">",
		"$O."+filesBucket+".>", api+"STREAM.PURGE."+keptStream, api+"STREAM.PURGE."+filesStream,
		api+"STREAM.MSG.DELETE."+queueStream)
	p.subscribe(prefix+"event.*.*", prefix+"done.*.*", prefix+"ask.*.*", prefix+"ping.*")
}

func (p *Permissions) runner(pool string) {
	p.process()
	p.publish(api+"CONSUMER.CREATE."+queueStream+"."+pool+"."+prefix+"run."+pool+".>",
		api+"CONSUMER.MSG.NEXT."+queueStream+"."+pool, "$JS.ACK."+queueStream+"."+pool+".>",
		prefix+"event.*.*", prefix+"done.*.*", prefix+"ask.*.*")
	p.subscribe(prefix + "cancel.*")
}

// inboxes are where the answers to a user come, with a token for each process behind it.
func inboxes(key string) string {
	if key == "" {
		return "_INBOX"
	}
	return "_INBOX." + key
}

// WriteTo writes the permissions as the configuration of nats-server has them.
func (p *Permissions) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	list := func(name string, subjects []string) {
		fmt.Fprintf(&b, "  %s: [\n", name)
		for _, s := range subjects {
			fmt.Fprintf(&b, "    %q\n", s)
		}
		b.WriteString("  ]\n")
	}
	b.WriteString("# Front ends and runners read and write the records of all in their account, and may delete them:\n" +
		"# who is not trusted with that gets an account of its own.\n")
	b.WriteString("permissions: {\n")
	if slices.Contains(p.Subscribe, inboxes("")+".>") {
		b.WriteString("  # _INBOX.> is what all users share: with -cluster-creds FILE it is the user's own, which it needs then.\n")
	}
	list("publish", p.Publish)
	list("subscribe", p.Subscribe)
	b.WriteString("  allow_responses: { max: -1, expires: \"1h\" }\n}\n")
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// Lacks are the permissions that a user needs and does not have.
func (u *User) Lacks(p *Permissions) (lacks []string) {
	if u.Permissions == nil {
		return nil
	}
	for _, of := range []struct {
		what string
		has  *Grants
		all  []string
	}{{"publish", u.Permissions.Publish, p.Publish}, {"subscribe", u.Permissions.Subscribe, p.Subscribe}} {
		for _, subject := range of.all {
			if !of.has.allows(subject) {
				lacks = append(lacks, of.what+" "+subject)
			}
		}
	}
	if u.Permissions.Responses == nil && !u.Permissions.Publish.allows("_INBOX.>") {
		lacks = append(lacks, "allow_responses")
	}
	return lacks
}

// allows reports whether all that a pattern names is granted.
func (g *Grants) allows(pattern string) bool {
	if g == nil {
		return true
	}
	for _, d := range g.Deny {
		if overlap(d, pattern) {
			return false
		}
	}
	return len(g.Allow) == 0 || slices.ContainsFunc(g.Allow, func(a string) bool { return covers(a, pattern) })
}

// covers reports whether a pattern names all subjects that another one does.
func covers(all, some string) bool {
	a, s := strings.Split(all, "."), strings.Split(some, ".")
	for i, t := range a {
		switch {
		case i >= len(s):
			return false
		case t == ">":
			return true
		case s[i] == ">" || t != "*" && t != s[i]:
			return false
		}
	}
	return len(a) == len(s)
}

// overlap reports whether two patterns name a subject in common.
func overlap(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if x[i] == ">" || y[i] == ">" {
			return true
		}
		if x[i] != "*" && y[i] != "*" && x[i] != y[i] {
			return false
		}
	}
	return len(x) == len(y)
}
