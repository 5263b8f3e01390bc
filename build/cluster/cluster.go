// Package cluster contains the files that howdah cluster installs on hosts.
package cluster

import _ "embed"

// Script is the shell script that does the work on a host. Its head describes the layout of the
// cluster's directory there.
//
//go:embed host.sh
var Script string

// Unit is the systemd unit of a daemon, with @DIR@ and @NAME@ for the cluster's directory and the
// daemon's name.
//
//go:embed howdah.service
var Unit string
