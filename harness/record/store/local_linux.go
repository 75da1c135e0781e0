package store

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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
