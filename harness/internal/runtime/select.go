package runtime

import (
	"reflect"
	"time"
)

// A Case is one case of a select statement.
type Case struct{ c reflect.SelectCase }

func sending(ch, v any) Case {
	c := reflect.ValueOf(ch)
	return Case{reflect.SelectCase{Dir: reflect.SelectSend, Chan: c, Send: argument(v, c.Type().Elem())}}
}

func receiving(ch any) Case {
	return Case{reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)}}
}

// selectCase runs a select. It returns the number of the case, or -1 for default, and the
// received value.
func (t *Timers) selectCase(list []Case, hasDefault bool) (int, any, bool) {
	cases := make([]reflect.SelectCase, 0, len(list)+1)
	for _, c := range list {
		cases = append(cases, c.c)
	}
	if hasDefault {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
	}
	done := t.selecting(cases)
	i, v, ok := reflect.Select(cases)
	done()
	if i == len(list) {
		return -1, nil, false
	}
	if cases[i].Dir == reflect.SelectSend {
		return i, nil, false
	}
	received := v.Interface()
	if t.clocked() {
		if x, isTime := received.(time.Time); isTime {
			received = t.arrived(x)
		}
	}
	return i, received, ok
}
