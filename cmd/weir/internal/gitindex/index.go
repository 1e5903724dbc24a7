// Package gitindex reads git's index, the list of the files that a repository
// tracks, from bytes that nobody vouches for. It runs nothing, opens nothing,
// and holds one name at a time, so what a reader keeps is all that it costs.
package gitindex

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// NameMax is the most bytes that a name may have; systems take no longer path.
const NameMax = 4096

// Modes of an entry: what kind of thing it is.
const (
	TypeMask   = 0o170000
	Regular    = 0o100000
	Link       = 0o120000
	Submodule  = 0o160000
	Executable = 0o100 // of a regular file, beside its type
)

// Errors of an index that cannot be read as a list of files.
var (
	ErrDamaged = errors.New("the index is damaged")
	ErrSplit   = errors.New("the index is split into two files")
	ErrSparse  = errors.New("the index is sparse")
)

// Entry is one file of an index.
type Entry struct {
	// Name is the path below the top of the work tree, with slashes. It has no
	// empty element, and none called `.`, `..` or `.git`, and is overwritten when
	// the next entry is read.
	Name []byte
	// Seconds and Nanoseconds are when the file was last changed, as far as git
	// knew; Nanoseconds is 0 where it did not ask.
	Seconds, Nanoseconds uint32
	Size                 uint32 // of the file, in bytes, modulo 4 GiB; 0 also if not known
	Mode                 uint32
	ID                   [sha1.Size]byte // of the content, as a blob
	// Stage is 0, or 1 to 3 for the sides of a conflict.
	Stage int
	// Assumed says that git does not look whether it has changed.
	Assumed bool
	// Skipped says that it need not be in the work tree.
	Skipped bool
	// Intended says that only the name has been added yet.
	Intended bool
}

// Sizes of the parts of an index.
const (
	headerSize = 12
	fixedSize  = 62 // of an entry before its name
	lengthMask = 0x0fff
)

// Read calls visit with each entry of an index of version 2, 3 or 4, in order,
// and ends with its error if there is one. What was visited counts only if Read
// returns nil: that an index is split or sparse is said behind the entries. Its
// time grows with data and its names, its memory with neither.
func Read(data []byte, visit func(Entry) error) error {
	if len(data) < headerSize+sha1.Size || string(data[:4]) != "DIRC" {
		return ErrDamaged
	}
	body, sum := data[:len(data)-sha1.Size], data[len(data)-sha1.Size:]
	version := binary.BigEndian.Uint32(body[4:])
	if version < 2 || version > 4 {
		return fmt.Errorf("the index is of version %d", version)
	}
	if own := sha1.Sum(body); !bytes.Equal(own[:], sum) && !bytes.Equal(make([]byte, sha1.Size), sum) {
		return ErrDamaged // a sum of zeros was not made
	}
	r := reader{rest: body[headerSize:], version: version}
	for range binary.BigEndian.Uint32(body[8:]) {
		e, err := r.entry()
		if err != nil {
			return err
		}
		if r.nameless {
			continue
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	return r.extensions()
}

type reader struct {
	rest    []byte
	version uint32
	name    []byte // of the last entry
	stage   int    // of the last entry
	// nameless says that there was an entry without a name, as only a split index
	// has them: one that stands for an entry of the other file.
	nameless bool
}

func (r *reader) entry() (Entry, error) {
	if len(r.rest) < fixedSize {
		return Entry{}, ErrDamaged
	}
	word := func(n int) uint32 { return binary.BigEndian.Uint32(r.rest[4*n:]) }
	e := Entry{Seconds: word(2), Nanoseconds: word(3), Mode: word(6), Size: word(9)}
	copy(e.ID[:], r.rest[40:])
	flags := binary.BigEndian.Uint16(r.rest[60:])
	e.Assumed, e.Stage = flags&0x8000 != 0, int(flags>>12&3)
	size := fixedSize
	if flags&0x4000 != 0 {
		if r.version < 3 || len(r.rest) < size+2 {
			return Entry{}, ErrDamaged
		}
		more := binary.BigEndian.Uint16(r.rest[size:])
		e.Skipped, e.Intended = more&0x4000 != 0, more&0x2000 != 0
		size += 2
	}
	if kind := e.Mode & TypeMask; kind != Regular && kind != Link && kind != Submodule {
		if kind == 0o040000 {
			return Entry{}, ErrSparse
		}
		return Entry{}, ErrDamaged
	}
	if err := r.takeName(size, int(flags&lengthMask), e.Stage); err != nil {
		return Entry{}, err
	}
	e.Name = r.name
	return e, nil
}

// takeName reads the name behind the first size bytes of an entry, and goes on
// to the next one. Names only ascend, so none comes twice.
func (r *reader) takeName(size, length, stage int) error {
	kept := 0 // of the last name
	tail := r.rest[size:]
	if r.version == 4 {
		strip, n := offset(tail)
		if n == 0 || strip > len(r.name) {
			return ErrDamaged
		}
		kept, tail = len(r.name)-strip, tail[n:]
	}
	end := bytes.IndexByte(tail[:min(len(tail), NameMax+1)], 0)
	if end < 0 || kept+end > NameMax || kept+end != length && length != lengthMask {
		return ErrDamaged
	}
	first := r.name == nil
	order := bytes.Compare(tail[:end], r.name[kept:]) // what is kept is equal
	r.nameless = r.nameless || kept+end == 0
	if !r.nameless && !first && (order < 0 || order == 0 && stage <= r.stage) {
		return ErrDamaged
	}
	r.name, r.stage = append(r.name[:kept], tail[:end]...), stage
	if !r.nameless && !proper(r.name) {
		return ErrDamaged
	}
	if r.version == 4 {
		r.rest = tail[end+1:]
		return nil
	}
	whole := (size + end + 8) &^ 7 // filled up with one to eight zeros
	if len(r.rest) < whole {
		return ErrDamaged
	}
	r.rest = r.rest[whole:]
	return nil
}

// offset reads a number of git's own encoding and how many bytes it has: none
// if it does not end, or is larger than any name.
func offset(data []byte) (value, size int) {
	for i, c := range data[:min(len(data), 3)] {
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
		value++
	}
	return 0, 0
}

// proper reports whether a name stays below the top and out of .git.
func proper(name []byte) bool {
	for element := range bytes.SplitSeq(name, []byte("/")) {
		switch s := string(element); {
		case s == "", s == ".", s == "..", strings.EqualFold(s, ".git"):
			return false
		}
	}
	return true
}

// extensions looks at what stands behind the entries. What begins with a small
// letter must be understood to understand the index.
func (r *reader) extensions() error {
	for len(r.rest) > 0 {
		if len(r.rest) < 8 {
			return ErrDamaged
		}
		name, size := string(r.rest[:4]), binary.BigEndian.Uint32(r.rest[4:])
		switch {
		case name == "link":
			return ErrSplit
		case name == "sdir":
			return ErrSparse
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("the index has an extension %q", name)
		case uint64(size) > uint64(len(r.rest)-8):
			return ErrDamaged
		}
		r.rest = r.rest[8+size:]
	}
	if r.nameless {
		return ErrDamaged
	}
	return nil
}
