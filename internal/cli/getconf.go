package cli

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/howdah/howdah/conf"
)

const getconfUsage = `hdfs getconf is utility for getting configuration information from the config file.

hdfs getconf 
	[-namenodes]			gets list of namenodes in the cluster.
	[-includeFile]			gets the include file path that defines the datanodes that can join the cluster.
	[-excludeFile]			gets the exclude file path that defines the datanodes that need to decommissioned.
	[-nnRpcAddresses]		gets the namenode rpc addresses
	[-confKey [key]]		gets a specific key from the configuration
`

// getconf runs `hdfs getconf`, which prints settings for scripts, and returns the exit code.
func (s *session) getconf(args []string) int {
	const failed = 255 // Java's System.exit(-1)
	if len(args) == 0 {
		fmt.Fprint(s.err, getconfUsage)
		return failed
	}
	c, err := s.config()
	if err != nil {
		s.report(err)
		return failed
	}
	missing := ""
	switch strings.ToLower(args[0]) {
	case "-confkey":
		if len(args) != 2 {
			fmt.Fprint(s.err, getconfUsage)
			return failed
		}
		missing = s.printKey(c, args[1])
	case "-includefile":
		missing = s.printKey(c, conf.DFSHosts.Name)
	case "-excludefile":
		missing = s.printKey(c, conf.DFSHostsExclude.Name)
	case "-namenodes":
		fmt.Fprintln(s.out, strings.Join(nameNodes(c, false), " "))
	case "-nnrpcaddresses":
		fmt.Fprintln(s.out, strings.Join(nameNodes(c, true), "\n"))
	default:
		fmt.Fprint(s.err, getconfUsage)
		return failed
	}
	if missing != "" {
		fmt.Fprintf(s.err, "Configuration %s is missing.\n", missing)
		return failed
	}
	return 0
}

// printKey prints the value of key. It returns key if the value is missing, and "" otherwise.
func (s *session) printKey(c *conf.Config, key string) string {
	value, _, ok := c.Lookup(key)
	if !ok {
		return key
	}
	fmt.Fprintln(s.out, strings.TrimSpace(value))
	return ""
}

// nameNodes returns the hosts of the NameNodes or, with ports, their addresses. It uses all name
// services, or the default file system if there are no name services.
func nameNodes(c *conf.Config, ports bool) []string {
	var addresses []string
	for _, service := range conf.DFSNameServices.Get(c) {
		nodes := conf.DFSHANameNodes.Suffix(service).Get(c)
		for _, n := range nodes {
			addresses = append(addresses, conf.DFSNameNodeRPCAddress.Suffix(service+"."+n).Get(c))
		}
		if len(nodes) == 0 {
			addresses = append(addresses, conf.DFSNameNodeRPCAddress.Suffix(service).Get(c))
		}
	}
	if len(addresses) == 0 {
		if u, err := url.Parse(conf.FSDefaultFS.Get(c)); err == nil && u.Scheme == "hdfs" {
			addresses = append(addresses, u.Host)
		}
	}
	for i, a := range addresses {
		if host, _, ok := strings.Cut(a, ":"); ok && !ports {
			addresses[i] = host
		}
	}
	return addresses
}
