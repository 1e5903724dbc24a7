package main

import "path/filepath"

// dirs are weir's own folders; empty where there is no home to put them in.
type dirs struct{ config, state string }

// dirs returns the folders of this user.
func (a *app) dirs() dirs {
	under := func(variable string, fallback ...string) string {
		if dir := a.env(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "weir")
		}
		home := a.env("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		return filepath.Join(append(append([]string{home}, fallback...), "weir")...)
	}
	return dirs{config: under("XDG_CONFIG_HOME", ".config"), state: under("XDG_STATE_HOME", ".local", "state")}
}

// all returns the folders there are.
func (d dirs) all() []string {
	var all []string
	for _, dir := range []string{d.config, d.state} {
		if dir != "" {
			all = append(all, dir)
		}
	}
	return all
}
