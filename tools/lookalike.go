package tools

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// similar finds the one name in the folder at that looks like name: the same
// but for the kind of blank, of quotation mark, the composition of letters, or
// written as this package shows it. Two that do are an error that lists both. A
// name that a deny rule covers is not found, and no error tells of it.
func (k *walk) similar(r *root, at, name string) (string, error) {
	_, rel := k.w.holder(at)
	dir, err := r.handle.Open(rel)
	if err != nil {
		return "", plain(err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return "", plain(err)
	}
	var alike []string
	for _, n := range names {
		if (folded(n) == folded(name) || shown(n) == name) && !k.withheld(at, n) {
			alike = append(alike, n)
		}
	}
	switch len(alike) {
	case 0:
		return "", errors.New("no such file" + k.meant(at, name, names))
	case 1:
		k.note = fmt.Sprintf("(there is no %s; this is %s, which looks like it)", quoteCapped(name), ascii(alike[0]))
		return filepath.Join(at, alike[0]), nil
	}
	for i, n := range alike {
		alike[i] = ascii(n)
	}
	return "", errors.New("no file has exactly that name, and several look like it: " + strings.Join(alike, ", "))
}

// ascii quotes a name so that what looks alike does not look alike.
func ascii(name string) string { return fmt.Sprintf("%+q", name) }

// withheld reports whether a deny rule covers a name of the folder at.
func (k *walk) withheld(at, name string) bool {
	return k.withholds != nil && k.withholds(filepath.Join(at, name))
}

// meant suggests the nearest name of the folder at.
func (k *walk) meant(at, name string, names []string) string {
	if len(names) > 10_000 {
		return ""
	}
	names = slices.DeleteFunc(names, func(n string) bool { return k.withheld(at, n) })
	if best := nearest(name, names); best != "" {
		return fmt.Sprintf("; did you mean %s?", shown(best))
	}
	return ""
}

// folded returns what names that look alike have in common.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case isBlank(r):
			return ' '
		case strings.ContainsRune("‘’‛′", r):
			return '\''
		case strings.ContainsRune("“”‟″", r):
			return '"'
		}
		return r
	}, norm.NFC.String(name))
}
