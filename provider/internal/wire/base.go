package wire

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Base is where a vendor's paths hang.
type Base struct {
	Root  string // with scheme and host, ends with a slash
	Query string // of the base URL, goes with every request
	// Secrets are what the URL held of users, passwords and query values.
	Secrets []string
}

// version is a path segment such as v1 or v1beta.
var version = regexp.MustCompile(`^v[0-9]+[a-z0-9]*$`)

// ParseBase reads a base URL in any of the forms people give: with or without
// scheme, version, trailing slash, port, query, or one of the endpoints pasted
// whole. The version is added unless the path has one or names a deployment,
// which has none.
func ParseBase(base, ver string, endpoints ...string) (Base, error) {
	base = strings.TrimSpace(base)
	if !strings.Contains(base, "://") {
		base = scheme(base) + base
	}
	u, err := url.Parse(base)
	if err != nil {
		return Base{}, fmt.Errorf("the base URL cannot be parsed: %w", unquoted(err))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return Base{}, fmt.Errorf("the base URL %s is none of http or https with a host", ShownURL(u))
	}
	path := strings.Trim(u.EscapedPath(), "/")
	for _, e := range endpoints {
		if rest, ok := strings.CutSuffix("/"+path, "/"+e); ok {
			path = strings.Trim(rest, "/")
			break
		}
	}
	if !versioned(path) {
		path = strings.TrimPrefix(path+"/"+ver, "/")
	}
	b := Base{Query: u.RawQuery}
	password, _ := u.User.Password()
	b.Secrets = append(userSecrets(u.User.Username(), password), querySecrets(u.Query())...)
	root := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	b.Root = root.String() + "/" + collapse(path) + "/"
	return b, nil
}

// Path returns the reference of an endpoint below the root.
func (b Base) Path(endpoint string) string {
	if b.Query == "" {
		return endpoint
	}
	return endpoint + "?" + b.Query
}

// scheme is what an address without one gets.
func scheme(base string) string {
	host, _, _ := strings.Cut(base, "/")
	name := strings.ToLower(host)
	if strings.HasPrefix(name, "localhost") || strings.HasPrefix(name, "127.") || strings.HasPrefix(name, "[") ||
		strings.Contains(name, ":") || !strings.Contains(name, ".") {
		return "http://"
	}
	return "https://"
}

func versioned(path string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if version.MatchString(seg) || seg == "deployments" {
			return true
		}
	}
	return false
}

func collapse(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// unquoted drops what a parse error repeats of the URL: where an @ is missing
// or a place is wrong it is a password.
func unquoted(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return errors.New(quoted.ReplaceAllString(err.Error(), "…"))
}

// quoted is a Go string in a text, and all of the text if it is cut.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*("|$)`)

// ShownURL returns u without user, query and fragment.
func ShownURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
