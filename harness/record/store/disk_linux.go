package store

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes the content and size of a file durable, but not its times.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

func syncDir(d *os.File) error { return d.Sync() }

// release frees the space reserved after the end of a file.
func release(f *os.File, end int64) error { return f.Truncate(end) }

// reserve reserves n bytes of disk space after the end of a file, if its file system can. It
// returns an error if the disk is full.
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

// networks has the file systems, by their statfs type, whose files another machine or program may
// access without seeing the locks.
var networks = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xfe534d42: "SMB", 0xff534d42: "CIFS", 0x65735546: "FUSE", 0x01021997: "9P",
	0x00c36400: "Ceph", 0x5346414f: "AFS", 0x6b414653: "AFS", 0x73757245: "Coda", 0x0bd00bd0: "Lustre",
	0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x20030528: "OrangeFS", 0x7461636f: "OCFS2", 0x01161970: "GFS2",
	0x786f4256: "VirtualBox", 0xbacbacbc: "VMware", 0x564c: "NCP",
}

// localFile returns an error for an open file on a network file system, because other machines may
// ignore its locks.
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
