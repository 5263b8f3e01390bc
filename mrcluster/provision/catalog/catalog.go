// Package catalog lists the back ends of pools. It alone knows all of them.
package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/command"
	"github.com/howdah/howdah/mrcluster/provision/docker"
	"github.com/howdah/howdah/mrcluster/provision/local"
	"github.com/howdah/howdah/mrcluster/provision/netns"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// Default is the back end of those who name none.
const Default = "local"

var builders = map[string]func(*conf.Config, provision.Options) (provision.Backend, error){
	Default: func(c *conf.Config, o provision.Options) (provision.Backend, error) {
		return local.New(o, node.GroupsOf(c))
	},
	"command": func(c *conf.Config, o provision.Options) (provision.Backend, error) {
		cfg, err := command.FromConf(c)
		if err != nil {
			return nil, err
		}
		return command.New(o, cfg)
	},
	"docker": func(c *conf.Config, o provision.Options) (provision.Backend, error) {
		cfg, err := docker.FromConf(c)
		if err != nil {
			return nil, err
		}
		return docker.New(context.Background(), o, cfg)
	},
	"netns": func(c *conf.Config, o provision.Options) (provision.Backend, error) {
		cfg, err := netns.FromConf(c)
		if err != nil {
			return nil, err
		}
		return netns.New(o, cfg)
	},
}

// Names lists the back ends, sorted.
func Names() []string { return slices.Sorted(maps.Keys(builders)) }

// Open opens a back end by its name; "" = Default. What a back end needs beside o it reads from c. An unknown name is of kind Config.
func Open(name string, c *conf.Config, o provision.Options) (provision.Backend, error) {
	if name == "" {
		name = Default
	}
	if err := Check(name); err != nil {
		return nil, err
	}
	return builders[name](c, o)
}

// Check refuses a name that is none of Names, with kind Config.
func Check(name string) error {
	if builders[name] != nil {
		return nil
	}
	return failure.New(failure.Config, "open back end", name, errors.New("there is none of that name")).
		Fix("choose one of " + strings.Join(Names(), ", "))
}
