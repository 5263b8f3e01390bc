// Package catalog lists the back ends of pools. It is the only package that imports all of them.
// Start with Open.
package catalog

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/command"
	"github.com/howdah/howdah/mrcluster/provision/docker"
	"github.com/howdah/howdah/mrcluster/provision/local"
	"github.com/howdah/howdah/mrcluster/provision/netns"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// Default is the back end that an empty name selects.
const Default = "local"

type builder func(*conf.Config, provision.Options) (provision.Backend, error)

var builders = map[string]builder{
	Default:   build(func(c *conf.Config) (cgroup.Config, error) { return node.GroupsOf(c), nil }, local.New),
	"command": build(command.FromConf, command.New),
	"docker":  build(docker.FromConf, docker.New),
	"netns":   build(netns.FromConf, netns.New),
}

// build returns a builder that opens a back end with the settings that read returns.
func build[C any, B provision.Backend](read func(*conf.Config) (C, error),
	open func(provision.Options, C) (B, error)) builder {
	return func(c *conf.Config, o provision.Options) (provision.Backend, error) {
		cfg, err := read(c)
		if err != nil {
			return nil, err
		}
		return open(o, cfg)
	}
}

// Names returns the sorted names of the back ends.
func Names() []string { return slices.Sorted(maps.Keys(builders)) }

// Open opens the named back end; "" means Default. The back end reads its settings from c. Open
// returns an error of kind Config if the name is unknown.
func Open(name string, c *conf.Config, o provision.Options) (provision.Backend, error) {
	if name == "" {
		name = Default
	}
	if err := Check(name); err != nil {
		return nil, err
	}
	return builders[name](c, o)
}

// Check returns an error of kind Config if name is not in Names.
func Check(name string) error {
	if builders[name] != nil {
		return nil
	}
	return failure.New(failure.Config, "open back end", name, errors.New("unknown back end")).
		Fix("choose one of " + strings.Join(Names(), ", "))
}
