package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/pprof"
)

// outputs are the files a run writes. They are opened before it: an hour of
// measuring must not end at a folder that is not there.
type outputs []output

type output struct {
	file  *os.File
	made  bool // by this run; a file that was there before stays, whatever happens
	write func(Report, io.Writer) error
}

func (c *command) create() (outputs, error) {
	var all outputs
	for _, f := range []struct {
		flag, name string
		write      func(Report, io.Writer) error
	}{
		{"--json", c.JSON, Report.JSON},
		{"--html", c.HTML, Report.HTML},
	} {
		if f.name == "" || f.name == "-" && f.flag == "--json" {
			continue
		}
		if err := all.open(f.name, f.write); err != nil {
			all.close()
			return nil, usage("%s: %s", f.flag, err)
		}
	}
	return all, nil
}

func (all *outputs) open(name string, write func(Report, io.Writer) error) error {
	if name == "-" {
		return errors.New("- is no file; only --json goes to standard output")
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	made := err == nil
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(name, os.O_WRONLY, 0) // not truncated before there is something new
	}
	if err != nil {
		return err
	}
	for _, o := range *all {
		if sameFile(o.file, file) {
			_ = file.Close() // It is open already.
			return fmt.Errorf("%s is where the other results go", name)
		}
	}
	*all = append(*all, output{file, made, write})
	return nil
}

func sameFile(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

func (all outputs) write(r Report) error {
	var failed error
	for _, o := range all {
		var whole bytes.Buffer // so that what was in the file stays until all is there
		if err := o.write(r, &whole); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if at, err := o.file.Stat(); err == nil && at.Mode().IsRegular() {
			failed = errors.Join(failed, o.file.Truncate(0))
		}
		_, err := o.file.Write(whole.Bytes())
		failed = errors.Join(failed, err)
	}
	return failed
}

// profile begins to note where the processor's time goes.
func (c *command) profile() (stop func(), err error) {
	if c.Profile == "" {
		return func() {}, nil
	}
	f, err := os.Create(c.Profile)
	if err != nil {
		return nil, usage("--cpuprofile: %s", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // What is missing pprof will say.
	}, nil
}

// close closes the files, and removes those that a failed run has made and left
// empty.
func (all outputs) close() {
	for _, o := range all {
		if at, err := o.file.Stat(); o.made && err == nil && at.Mode().IsRegular() && at.Size() == 0 {
			_ = os.Remove(o.file.Name()) // It was made for nothing.
		}
		_ = o.file.Close() // What was to be written has been.
	}
}
