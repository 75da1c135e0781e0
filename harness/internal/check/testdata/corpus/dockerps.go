package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

const psOut = `CONTAINER ID   IMAGE          STATUS                   PORTS                                      NAMES
3f4c2a         nginx:1.25     Up 3 hours               0.0.0.0:80->80/tcp, 443/tcp                web_1
77aa01         redis:7        Up 2 days (healthy)      6379/tcp                                   cache
b00b5e         app:dev        Exited (137) 5 min ago                                              worker-3`

const stats = `{"name":"web_1","cpu":"12.5%","mem":"128MiB / 1GiB"}
{"name":"cache","cpu":"0.03%","mem":"1.5GiB / 2GiB"}
{"name":"ghost","cpu":"--","mem":"-- / --"}`

type Size int64

func (s Size) String() string {
	f, u := float64(s), 0
	for ; f >= 1024 && u < 3; u++ {
		f /= 1024
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + [...]string{"B", "KiB", "MiB", "GiB"}[u]
}
func (s *Size) Set(v string) error {
	m := regexp.MustCompile(`^([\d.]+)(B|KiB|MiB|GiB)$`).FindStringSubmatch(v)
	if m == nil {
		return fmt.Errorf("size %q", v)
	}
	f, err := strconv.ParseFloat(m[1], 64)
	*s = Size(f * float64(map[string]int{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[m[2]]))
	return err
}

type State struct {
	Running, Healthy bool
	Code             *int
}
type Port struct {
	Host, Container uint16
	Proto           string
}
type Container struct {
	ID, Image, Name string
	State           State
	Ports           []Port
	CPU             float64
	Mem             [2]Size
}

func columns(header string) (starts []int, names []string) {
	for _, m := range regexp.MustCompile(`\S+( \S+)*`).FindAllStringIndex(header, -1) {
		starts = append(starts, m[0])
		names = append(names, header[m[0]:m[1]])
	}
	return
}

func parsePorts(s string) (ps []Port, err error) {
	for part := range strings.SplitSeq(s, ", ") {
		if part == "" {
			continue
		}
		var p Port
		left, proto, ok := strings.Cut(part, "/")
		if !ok {
			return nil, fmt.Errorf("port %q has no protocol", part)
		}
		p.Proto = proto
		if host, cont, mapped := strings.Cut(left, "->"); mapped {
			h, e := strconv.ParseUint(host[strings.LastIndexByte(host, ':')+1:], 10, 16)
			err = errors.Join(err, e)
			p.Host, left = uint16(h), cont
		}
		c, e := strconv.ParseUint(left, 10, 16)
		err = errors.Join(err, e)
		p.Container = uint16(c)
		ps = append(ps, p)
	}
	return
}

func parseState(s string) (st State) {
	st.Running = strings.HasPrefix(s, "Up")
	st.Healthy = strings.Contains(s, "(healthy)")
	var code int
	if n, _ := fmt.Sscanf(s, "Exited (%d)", &code); n == 1 {
		st.Code = &code
	}
	return
}

func parse(out string) (list []*Container, err error) {
	lines := strings.Split(out, "\n")
	starts, names := columns(lines[0])
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, n := range names {
			end := len(l)
			if i+1 < len(starts) {
				end = min(end, starts[i+1])
			}
			row[n] = strings.TrimSpace(l[min(starts[i], len(l)):end])
		}
		ports, err := parsePorts(row["PORTS"])
		if err != nil {
			return list, fmt.Errorf("%s: %w", row["NAMES"], err)
		}
		list = append(list, &Container{ID: row["CONTAINER ID"], Image: row["IMAGE"], Name: row["NAMES"], State: parseState(row["STATUS"]), Ports: ports})
	}
	return
}

func main() {
	list, err := parse(psOut)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	dec := json.NewDecoder(strings.NewReader(stats))
	for {
		var s struct{ Name, CPU, Mem string }
		if err := dec.Decode(&s); err == io.EOF {
			break
		} else if err != nil {
			panic(err)
		}
		i := slices.IndexFunc(list, func(c *Container) bool { return c.Name == s.Name })
		if i == -1 {
			fmt.Println("no container", s.Name)
			continue
		}
		c := list[i]
		c.CPU, _ = strconv.ParseFloat(strings.TrimSuffix(s.CPU, "%"), 64)
		for j, part := range strings.Split(s.Mem, " / ") {
			if err := c.Mem[j].Set(part); err != nil {
				fmt.Println(err)
			}
		}
	}
	tw := tabwriter.NewWriter(os.Stdout, 0, 2, 2, ' ', 0)
	for i, c := range list {
		code := "-"
		if c.State.Code != nil {
			code = strconv.Itoa(*c.State.Code)
		}
		fmt.Fprintf(tw, "%d\t%s\t%v\t%s\t%.2f\t%v\t%v\n", i, c.Name, c.State.Running, code, c.CPU, c.Mem[0], c.Ports)
	}
	tw.Flush()
	b, _ := json.Marshal(list[0])
	fmt.Println(string(b))
	_, err = parsePorts("80")
	fmt.Println(err)
	_, err = parsePorts("99999/tcp, x->y/udp")
	fmt.Println(err, errors.Is(err, strconv.ErrRange), errors.Is(err, strconv.ErrSyntax))
	var sz Size
	fmt.Println(sz.Set("5XB"), sz.Set("1.5MiB"), sz, Size(2047), []Size{1, 1 << 31})
}
