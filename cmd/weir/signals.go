package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signals says what a signal does now. While nothing is set it ends the
// process with the signal's exit code.
type signals struct {
	mu  sync.Mutex
	act func(syscall.Signal)
}

// watchSignals takes over the signals that end the program. Its goroutine ends
// with the process. A write to a reader that has left is an error, not a
// signal; children get the usual disposition of it.
func watchSignals() *signals {
	s := &signals{}
	all := make(chan os.Signal, 8)
	signal.Notify(all, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		for sig := range all {
			if n, ok := sig.(syscall.Signal); ok {
				s.got(n)
			}
		}
	}()
	return s
}

func (s *signals) got(n syscall.Signal) {
	s.mu.Lock()
	act := s.act
	s.mu.Unlock()
	if act == nil {
		os.Exit(exitSignal + int(n))
	}
	act(n)
}

// during sets what a signal does, nil for the end of the process. act is called
// by the goroutine of signals, so it must not block.
func (s *signals) during(act func(syscall.Signal)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.act = act
}
