package store

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes what was written to a file durable, with the size, and without
// the times.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

func syncDir(d *os.File) error { return d.Sync() }

// release frees what was reserved behind the end of a file.
func release(f *os.File, end int64) error { return f.Truncate(end) }

// reserve takes space on the disk for n bytes behind the end of a file, where its
// file system can do that. An error says that there is none.
func reserve(f *os.File, end, n int64) error {
	for {
		switch err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, end, n); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT), errors.Is(err, unix.EFBIG):
			return err
		default:
			return nil
		}
	}
}

// networks are the file systems, by the type that statfs says, of which another
// machine, or a program, may have the files too, and not the locks.
var networks = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xfe534d42: "SMB", 0xff534d42: "CIFS", 0x65735546: "FUSE", 0x01021997: "9P",
	0x00c36400: "Ceph", 0x5346414f: "AFS", 0x6b414653: "AFS", 0x73757245: "Coda", 0x0bd00bd0: "Lustre",
	0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x20030528: "OrangeFS", 0x7461636f: "OCFS2", 0x01161970: "GFS2",
	0x786f4256: "VirtualBox", 0xbacbacbc: "VMware", 0x564c: "NCP",
}

// localFile returns an error for an open file on a file system of a network: its
// locks may not count on other machines.
func localFile(f *os.File) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return err
	}
	if name, ok := networks[uint32(st.Type)]; ok {
		return fmt.Errorf("%w, %s", errNetwork, name)
	}
	return nil
}
