package discovery

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
)

// To make an index takes 20 µs a tool, so it is kept in a file and read from there
// by the next process (Options.File). The file has what New computes of the tools,
// each array as it lies in memory, and nothing of what the registry says: it ranks
// tools, and what they are and do comes from the registry alone.
//
// It fits where the digest in it is that of all that it was made from: the texts of
// the tools, in their order, the names of their servers, the aliases, the words and
// weights, the model and keptVersion. So it does not matter when the registry's file
// was written or what was changed in memory since, and an index that does not fit is
// never used. A file that is damaged, of another kind of machine or not consistent
// in itself is made anew: there is a checksum over its bytes, and all numbers that
// are places in other arrays are checked before one is used.

// keptVersion is the version of the file and of what is computed for it. Whoever
// changes either raises it; a test remembers what an index had in this one.
const keptVersion = 1

// What is kept: files that were not used for longest go first.
const (
	maxKept    = 1 << 30 // bytes of one file
	keptFiles  = 64
	keptBytes  = 2 << 30 // of all files
	keptEnding = ".index"
)

// IndexFile returns where the index over the tools of a registry file is kept:
// below the user's cache folder, named by the registry's absolute path.
func IndexFile(registryFile string) (string, error) {
	folder, err := os.UserCacheDir()
	if err == nil {
		folder, err = registry.SidePath(folder, "index", registryFile)
	}
	if err != nil {
		return "", fmt.Errorf("locating the index: %w", err)
	}
	return folder + keptEnding, nil
}

// The file begins with a header of fixed size:
//
//	8 bytes   keptMagic
//	u32       CRC-32C of all that follows
//	u32       the number of parts
//	32 bytes  the digest of what the index was made from
//	u64 ×     the bytes of each part
//
// and then has the parts, each at a multiple of 8 bytes. All numbers are
// little-endian.
const (
	keptMagic  = "UTINDEX\x01"
	headerSize = 8 + 4 + 4 + sha256.Size
)

// castagnoli takes 0.2 ms to make: too long to do it when each process begins.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// part is one array of an index.
type part struct {
	size  int           // of an element, in bytes
	bytes func() []byte // the array's
	set   func([]byte)  // makes the bytes the array
}

// element is what arrays have that are kept.
type element interface {
	uint8 | uint16 | int32 | float32 | embed.Token | verbSet | headNoun
}

func partOf[T element](p *[]T) part {
	size := int(unsafe.Sizeof(*new(T)))
	return part{
		size:  size,
		bytes: func() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*p))), len(*p)*size) },
		set: func(b []byte) {
			*p = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
		},
	}
}

// parts are the arrays in the order of the file.
func (ix *Index) parts() []part {
	b, v, w := &ix.bm25, &ix.vectors, &ix.words
	return []part{
		partOf(&b.stems.text), partOf(&b.stems.start), partOf(&b.stems.sorted),
		partOf(&b.start), partOf(&b.tool), partOf(&b.score), partOf(&b.idf),
		partOf(&v.vocabulary), partOf(&v.tokens), partOf(&v.firstText), partOf(&v.textStart), partOf(&v.inverse),
		partOf(&w.stem), partOf(&w.pieceStart), partOf(&w.pieces), partOf(&w.inverse), partOf(&w.weight),
		partOf(&w.textStart), partOf(&w.text), partOf(&w.nameStart), partOf(&w.name),
		partOf(&ix.secondary.start), partOf(&ix.secondary.stems),
		partOf(&ix.sequences.start), partOf(&ix.sequences.stems),
		partOf(&ix.inName), partOf(&ix.serverMentions.outside),
		partOf(&ix.nameVerb), partOf(&ix.textVerb), partOf(&ix.nameLen), partOf(&ix.headNouns),
		partOf(&ix.deprecated), partOf(&ix.successors),
		partOf(&ix.own.tools), partOf(&ix.own.start), partOf(&ix.own.spans),
		partOf(&ix.exact.byName),
	}
}

// isLittleEndian reports whether arrays lie in memory as they do in the file.
var isLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// keep writes the index into a file. Where that cannot be done, the next process
// makes it again.
func (ix *Index) keep(path string, aliases map[string][]string) {
	folder := filepath.Dir(path)
	if !isLittleEndian || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	data := ix.encode(ix.madeFrom(aliases))
	if len(data) > maxKept || registry.WriteFile(path, data, 0o600) != nil {
		return
	}
	registry.Forget(folder, keptEnding, path, keptFiles, keptBytes)
}

func (ix *Index) encode(from [sha256.Size]byte) []byte {
	parts := ix.parts()
	size := headerSize + 8*len(parts)
	for _, p := range parts {
		size += aligned(len(p.bytes()))
	}
	data := make([]byte, 0, size)
	data = append(data, keptMagic...)
	data = binary.LittleEndian.AppendUint32(data, 0)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(parts)))
	data = append(data, from[:]...)
	for _, p := range parts {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(p.bytes())))
	}
	for _, p := range parts {
		data = append(data, p.bytes()...)
		data = data[:aligned(len(data))] // what lies between is zero
	}
	binary.LittleEndian.PutUint32(data[len(keptMagic):], crc32.Checksum(data[len(keptMagic)+4:], castagnoli()))
	return data
}

func aligned(n int) int { return (n + 7) &^ 7 }

// read takes the index from a file, false where the file does not fit or cannot be
// used; then the legs are empty as before.
func (ix *Index) read(path string, aliases map[string][]string) bool {
	if !isLittleEndian {
		return false
	}
	data, err := registry.ReadFile(path, maxKept)
	if err != nil || !ix.decode(data, ix.madeFrom(aliases)) || !ix.isConsistent() || !ix.knowsServers(aliases) {
		for _, p := range ix.parts() {
			p.set(nil)
		}
		ix.serverMentions = mentionLeg{}
		return false
	}
	const often = 24 * time.Hour
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > often {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // that it is used
	}
	return true
}

// decode makes the arrays those in data.
func (ix *Index) decode(data []byte, from [sha256.Size]byte) bool {
	parts := ix.parts()
	at := headerSize + 8*len(parts)
	if len(data) < at || string(data[:8]) != keptMagic || !bytes.Equal(data[16:headerSize], from[:]) ||
		binary.LittleEndian.Uint32(data[12:]) != uint32(len(parts)) ||
		binary.LittleEndian.Uint32(data[8:]) != crc32.Checksum(data[12:], castagnoli()) ||
		uintptr(unsafe.Pointer(unsafe.SliceData(data)))%8 != 0 {
		return false
	}
	for i, p := range parts {
		size := binary.LittleEndian.Uint64(data[headerSize+8*i:])
		if size > uint64(len(data)-at) || size%uint64(p.size) != 0 || aligned(int(size)) > len(data)-at {
			return false
		}
		p.set(data[at : at+int(size) : at+int(size)])
		at += aligned(int(size))
	}
	return at == len(data)
}

// knowsServers reads the names of the servers, whose words the index must know.
func (ix *Index) knowsServers(aliases map[string][]string) bool {
	known := true
	ix.readServers(aliases, func(stem string) int32 {
		n := ix.bm25.lookup(stem)
		known = known && n >= 0
		return n
	})
	return known
}

// isConsistent reports whether all places that are read from a file lie in the
// arrays that they are places of.
func (ix *Index) isConsistent() bool {
	b, v, w := &ix.bm25, &ix.vectors, &ix.words
	tools, stems, words, texts := len(ix.reg.Tools), len(b.stems.sorted), len(w.stem), len(v.textStart)-1
	return all(
		func() bool {
			return areStarts(b.stems.start, stems, len(b.stems.text)) && areBelow(b.stems.sorted, stems) &&
				areStarts(b.start, stems, len(b.tool)) && len(b.score) == len(b.tool) && len(b.idf) == stems &&
				len(ix.inName) == stems && areSmall(b.idf)
		},
		func() bool { return areBelow(b.tool, tools) },
		func() bool { return areSmall(b.score) },
		func() bool {
			return areBelow(v.vocabulary, ix.model.Tokens()) && areBelow(v.tokens, len(v.vocabulary))
		},
		func() bool {
			// A tool has at least two texts.
			apart := func(i int) bool { return v.firstText[i+1]-v.firstText[i] >= 2 }
			return areStarts(v.firstText, tools, texts) && every(tools, apart) &&
				areStarts(v.textStart, texts, len(v.tokens)) && len(v.inverse) == texts && areSmall(v.inverse)
		},
		func() bool {
			return areBelow(w.stem, stems) && areStarts(w.pieceStart, words, len(w.pieces)) &&
				areBelow(w.pieces, ix.model.Tokens()) && len(w.inverse) == words && len(w.weight) == words &&
				areSmall(w.inverse) && areSmall(w.weight)
		},
		func() bool { return areStarts(w.textStart, tools, len(w.text)) && areBelow(w.text, words) },
		func() bool { return areStarts(w.nameStart, tools, len(w.name)) && areBelow(w.name, words) },
		func() bool {
			// Their stems are only compared.
			return areStarts(ix.secondary.start, tools, len(ix.secondary.stems)) &&
				areStarts(ix.sequences.start, 2*tools, len(ix.sequences.stems)) && len(ix.serverMentions.outside)%2 == 0
		},
		func() bool { return ix.areVerbs(ix.nameVerb) && ix.areVerbs(ix.textVerb) && len(ix.nameLen) == tools },
		func() bool {
			return len(ix.headNouns) == tools && every(tools, func(i int) bool {
				n := ix.headNouns[i]
				return n.word >= -1 && n.left >= -1 && n.right >= -1 && (n.left < 0) == (n.right < 0) &&
					int(max(n.word, n.left, n.right)) < words
			})
		},
		func() bool {
			return areBelow(ix.deprecated, tools) && len(ix.successors) == len(ix.deprecated) &&
				every(len(ix.successors), func(i int) bool { return -1 <= ix.successors[i] && int(ix.successors[i]) < tools })
		},
		func() bool {
			o := &ix.own
			return areBelow(o.tools, tools) && areStarts(o.start, len(o.tools), len(o.spans)) &&
				every(len(o.tools), func(i int) bool {
					spans, size := o.spans[o.start[i]:o.start[i+1]], len(ix.reg.Tools[o.tools[i]].Description)
					return len(spans)%2 == 0 && slices.IsSorted(spans) && areBelow(spans, size+1)
				})
		},
		func() bool {
			return len(ix.exact.byName) == tools && areBelow(ix.exact.byName, tools) &&
				every(tools-1, func(i int) bool { return ix.exact.compare(ix.exact.byName[i], ix.exact.byName[i+1]) < 0 })
		},
	)
}

func (ix *Index) areVerbs(sets []verbSet) bool {
	return len(sets) == len(ix.reg.Tools) &&
		every(len(sets), func(i int) bool { return uint64(sets[i])>>len(ix.t.className) == 0 })
}

// all reports whether all are true; they are called concurrently.
func all(checks ...func() bool) bool {
	held := make([]bool, len(checks))
	var wg sync.WaitGroup
	for i, check := range checks {
		wg.Go(func() { held[i] = check() })
	}
	wg.Wait()
	return !slices.Contains(held, false)
}

func every(n int, is func(int) bool) bool {
	for i := range n {
		if !is(i) {
			return false
		}
	}
	return true
}

// areStarts reports whether s has where each of n parts of something of a length
// begins, and where the last ends.
func areStarts(s []int32, n, length int) bool {
	if n < 0 || len(s) != n+1 || s[0] != 0 || int(s[n]) != length {
		return false
	}
	return slices.IsSorted(s)
}

// areBelow reports whether all are at least 0 and below a limit.
func areBelow[T int32 | uint16 | embed.Token](s []T, limit int) bool {
	var most uint32
	for _, x := range s {
		most = max(most, uint32(x)) // below 0 is above all
	}
	return len(s) == 0 || int64(most) < int64(limit)
}

// areSmall reports whether no sum of some thousands of them is infinite.
func areSmall(s []float32) bool {
	const limit = 1e9
	var most uint32
	for _, x := range s {
		most = max(most, math.Float32bits(x)&^(1<<31))
	}
	return most < math.Float32bits(limit)
}

// madeFrom is the digest of all that the index is made from.
func (ix *Index) madeFrom(aliases map[string][]string) (digest [sha256.Size]byte) {
	const share = 256 // tools that are read by one goroutine at a time
	tools := ix.reg.Tools
	sums := make([][sha256.Size]byte, (len(tools)+share-1)/share)
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(sums))
	for first := range workers {
		wg.Go(func() {
			for k := first; k < len(sums); k += workers {
				h := newTextHash()
				for i := k * share; i < min(len(tools), (k+1)*share); i++ {
					t := &tools[i]
					title := ""
					if t.Annotations != nil {
						title = t.Annotations.Title
					}
					for _, s := range [...]string{t.Server, t.Name, t.Title, title, t.Description} {
						h.add(s)
					}
					h.addBytes(t.Input)
				}
				sums[k] = h.sum()
			}
		})
	}
	wg.Wait()
	h := newTextHash()
	h.add(fmt.Sprint(keptMagic, keptVersion, len(tools)))
	h.add(embed.Identity().SHA256)
	h.addBytes(fusionJSON)
	h.addBytes(beyondJSON)
	for i := range sums {
		h.addBytes(sums[i][:])
	}
	for i := range ix.reg.Servers {
		h.add(ix.reg.Servers[i].Name)
		h.add(ix.reg.Servers[i].Title)
	}
	for _, server := range slices.Sorted(maps.Keys(aliases)) {
		h.add(fmt.Sprintf("%q", aliases[server]))
		h.add(server)
	}
	return h.sum()
}

// textHash is the digest of a sequence of texts. It gathers short ones, because a
// call of the hash for each takes longer than what it does.
type textHash struct {
	hash     hash.Hash
	gathered []byte
}

func newTextHash() *textHash { return &textHash{sha256.New(), make([]byte, 0, 8<<10)} }

func (h *textHash) add(s string) {
	h.begin(len(s))
	if len(s) > cap(h.gathered)-len(h.gathered) {
		h.flush()
		_, _ = io.WriteString(h.hash, s)
		return
	}
	h.gathered = append(h.gathered, s...)
}

func (h *textHash) addBytes(b []byte) {
	h.begin(len(b))
	h.flush()
	h.hash.Write(b)
}

// begin adds the length of the next text, so that each sequence has its own digest.
func (h *textHash) begin(size int) {
	if cap(h.gathered)-len(h.gathered) < binary.MaxVarintLen64 {
		h.flush()
	}
	h.gathered = binary.AppendUvarint(h.gathered, uint64(size))
}

func (h *textHash) flush() {
	h.hash.Write(h.gathered)
	h.gathered = h.gathered[:0]
}

func (h *textHash) sum() (digest [sha256.Size]byte) {
	h.flush()
	h.hash.Sum(digest[:0])
	return digest
}
