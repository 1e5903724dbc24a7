package tools

import (
	"io"
	"os"

	"github.com/sourcegraph/conc/stream"
)

// batch are files of one folder that one goroutine opens and searches: to hand
// over each by itself would cost more than the search of most.
type batch struct {
	of     *os.Root // to tell folders apart; it may be closed meanwhile
	folder *handle
	files  []entry
}

// searched is what there is in a file.
type searched struct {
	rel  string
	scan *scan
	err  error
}

// flush hands over the files that have come together. It waits while enough
// goroutines of this search are at work.
func (g *grepping) flush() {
	b := g.batch
	g.batch = batch{}
	if b.of == nil {
		return
	}
	g.pool.Go(func() stream.Callback {
		defer b.folder.close()
		found := g.searchAll(b)
		return func() {
			for _, f := range found {
				g.take(f)
			}
		}
	})
}

// searchAll searches a batch, but not beyond what a result can show. It returns
// those files of which there is something to tell.
func (g *grepping) searchAll(b batch) (all []searched) {
	select {
	case g.ws.searching <- struct{}{}:
		defer func() { <-g.ws.searching }()
	case <-g.ctx.Done():
		return nil
	}
	matches := 0
	for _, e := range b.files {
		if matches > g.limit || g.ctx.Err() != nil {
			break
		}
		file, err := b.folder.open(e.Name(), &g.kernel)
		if err != nil {
			all = append(all, searched{err: err})
			continue
		}
		found := g.scan(file, "")
		file.close()
		matches += found.scan.matches
		if found.err != nil || found.scan.matches > 0 {
			found.rel = g.ws.nameIn(g.root, e.rel)
			all = append(all, found)
		}
	}
	return all
}

// scan searches a file that calls itself rel in the result.
func (g *grepping) scan(file io.Reader, rel string) searched {
	buffer := g.buffers.Get().(*[]byte)
	defer g.buffers.Put(buffer)
	s := &scan{matcher: g.matcher, context: min(g.args.Context, grepContextMax), limit: g.limit, buffer: buffer}
	err := s.run(g.ctx, file)
	return searched{rel, s, err}
}
