package harness

import "github.com/usetools/usetools/harness/internal/room"

const (
	// DefaultRoom is the size of a Room, in bytes of results. MaxRoom is the size of all Rooms of a
	// process together.
	DefaultRoom = room.Default
	MaxRoom     = room.Max
)

// Room bounds the memory of tool results that are under way, in bytes, from the call until the
// script has its result. One Room bounds the results of a session's scripts. MaxRoom bounds those
// of the process; one Tenant has at most half of it. A call waits for room before it is sent. A
// result that turns out larger than the free room is refused.
type Room = room.Room

// Tenant groups Rooms. The results of all its Rooms count together against those of other tenants,
// and the known result sizes of its tools are not used for other tenants. The zero value is ready
// to use.
type Tenant = room.Tenant

// NewRoom returns a Room of max bytes that belongs to a tenant. If max is zero, it is DefaultRoom.
// If tenant is nil, the Room has its own. A single result always fits.
func NewRoom(max int64, tenant *Tenant) *Room { return room.New(max, tenant) }
