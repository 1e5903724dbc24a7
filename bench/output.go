package bench

import (
	"errors"
	"io"
	"os"
	"runtime/pprof"
)

// outputs are the files a run writes. They are opened before it: an hour of
// measuring must not end at a folder that is not there.
type outputs []output

type output struct {
	file  *os.File
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
		file, err := os.OpenFile(f.name, os.O_WRONLY|os.O_CREATE, 0o666) // not truncated before there is something new
		if err != nil {
			all.close()
			return nil, usage("%s: %s", f.flag, err)
		}
		all = append(all, output{file, f.write})
	}
	return all, nil
}

func (all outputs) write(r Report) error {
	var failed error
	for _, o := range all {
		failed = errors.Join(failed, o.file.Truncate(0), o.write(r, o.file))
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

// close closes the files, and removes those that a failed run has left empty.
func (all outputs) close() {
	for _, o := range all {
		if at, err := o.file.Stat(); err == nil && at.Size() == 0 {
			_ = os.Remove(o.file.Name()) // It was made for nothing.
		}
		_ = o.file.Close() // What was to be written has been.
	}
}
