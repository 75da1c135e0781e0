package harness

import "github.com/usetools/usetools/harness/internal/room"

const (
	// DefaultRoom is the size of a Room, in bytes of results; MaxRoom is that
	// of all Rooms of a process together.
	DefaultRoom = room.Default
	MaxRoom     = room.Max
)

// Room bounds the results of tools that are under way, in bytes, from the call
// until the script has its result: one Room bounds those of a session's scripts,
// and MaxRoom those of the process, of which one Tenant has half at most. A call
// that finds no room waits before it is sent. A result that turns out to be
// larger than there is room for is refused.
type Room = room.Room

// Tenant groups Rooms: the results of all its Rooms count together against
// those of other tenants. The sizes of its tools' results are not used for
// other tenants. The zero value is ready to use.
type Tenant = room.Tenant

// NewRoom returns a Room of max bytes (0: DefaultRoom) that belongs to a
// tenant; nil means a tenant of its own. A single result always fits.
func NewRoom(max int64, of *Tenant) *Room { return room.New(max, of) }
