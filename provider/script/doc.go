// Package script is a provider that plays a script: deterministic, with no
// network, for tests, demos and benchmarks.
package script
