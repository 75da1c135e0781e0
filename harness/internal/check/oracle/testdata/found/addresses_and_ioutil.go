package main

import (
	"errors"
	"fmt"
	"io/ioutil"
	"net"
	"sort"
	"strings"
)

type host struct {
	ip   net.IP
	port string
}

func main() {
	b, err := ioutil.ReadAll(strings.NewReader("10.0.0.1:80\n[::1]:443\nbad\n192.168.1.77:22"))
	fmt.Println(err)
	var hosts []host
	for _, l := range strings.Split(string(b), "\n") {
		h, p, err := net.SplitHostPort(l)
		if err != nil {
			var ae *net.AddrError
			fmt.Println(err, errors.As(err, &ae))
			continue
		}
		hosts = append(hosts, host{net.ParseIP(h), p})
	}
	sort.Slice(hosts, func(i, j int) bool { return hosts[i].port < hosts[j].port })
	_, n, err := net.ParseCIDR("192.168.0.0/16")
	fmt.Println(n, err, n.Mask)
	for _, h := range hosts {
		fmt.Println(h.ip, h.ip.To4() != nil, h.ip.IsPrivate(), h.ip.IsLoopback(), n.Contains(h.ip), net.JoinHostPort(h.ip.String(), h.port), h)
	}
	m := map[string]net.IP{"a": net.IPv4(1, 2, 3, 4)}
	fmt.Println(m, m["a"].Equal(net.ParseIP("1.2.3.4")), net.ParseIP("x") == nil, net.CIDRMask(20, 32))
	ones, bits := n.Mask.Size()
	fmt.Println(ones, bits, len(m["a"]), net.IPv4len)
	_, err = net.ParseMAC("zz")
	fmt.Println(err)
	fmt.Fprintln(ioutil.Discard, "x")
}
