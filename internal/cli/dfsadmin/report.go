package dfsadmin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/admin"
)

func (s *shell) report(args []string) error {
	for _, a := range args {
		if !slices.Contains([]string{"-live", "-dead", "-decommissioning"}, a) {
			return fmt.Errorf("unknown option %s: want -live, -dead or -decommissioning", a)
		}
	}
	all := len(args) == 0
	nodes, err := s.c.Report(s.ctx)
	if err != nil {
		return err
	}
	stats, err := s.c.Stats(s.ctx)
	if err != nil {
		return err
	}
	on, err := s.c.SafeMode(s.ctx, admin.GetSafeMode)
	if err != nil {
		return err
	}
	if on {
		s.printf("Safe mode is ON\n")
	}
	s.totals(stats)
	if all || slices.Contains(args, "-live") {
		s.nodes(all, "Live", nodes, func(d admin.DataNode) bool { return d.Live })
	}
	if all || slices.Contains(args, "-dead") {
		s.nodes(all, "Dead", nodes, func(d admin.DataNode) bool { return !d.Live })
	}
	if all || slices.Contains(args, "-decommissioning") {
		s.nodes(all, "Decommissioning", nodes, func(d admin.DataNode) bool { return d.State == admin.Decommissioning })
	}
	return nil
}

func (s *shell) totals(t admin.Stats) {
	present := t.Used + t.Remaining
	s.printf("Configured Capacity: %s\nPresent Capacity: %s\nDFS Remaining: %s\nDFS Used: %s\nDFS Used%%: %s\n",
		amount(t.Capacity), amount(present), amount(t.Remaining), amount(t.Used), percent(t.Used, present))
	b := t.Replicated
	s.printf("Replicated Blocks:\n\tUnder replicated blocks: %d\n\tBlocks with corrupt replicas: %d\n\tMissing blocks: "+
		"%d\n"+
		"\tMissing blocks (with replication factor 1): %d\n\tLow redundancy blocks with highest priority to recover: "+
		"%d\n\tPending deletion blocks: %d\n",
		b.LowRedundancy, b.Corrupt, b.Missing, b.MissingReplOne, b.HighestPriority, b.PendingDeletion)
	b = t.Striped
	s.printf("Erasure Coded Block Groups: \n\tLow redundancy block groups: %d\n\tBlock groups with corrupt internal "+
		"blocks: %d\n\tMissing block groups: %d\n"+
		"\tLow redundancy blocks with highest priority to recover: %d\n\tPending deletion blocks: %d\n\n",
		b.LowRedundancy, b.Corrupt, b.Missing, b.HighestPriority, b.PendingDeletion)
	s.printf("-------------------------------------------------\n")
}

// nodes prints title and the DataNodes that satisfy the condition which. If all is set, it prints
// nothing for an empty list, because the user did not ask for this list in particular.
func (s *shell) nodes(all bool, title string, nodes []admin.DataNode, which func(admin.DataNode) bool) {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(d admin.DataNode) bool { return !which(d) })
	if all && len(nodes) == 0 {
		return
	}
	s.printf("%s datanodes (%d):\n\n", title, len(nodes))
	for _, d := range nodes {
		s.node(d)
	}
}

func (s *shell) node(d admin.DataNode) {
	s.printf("Name: %s (%s)\nHostname: %s\n", d.Addr(), d.Host, d.Host)
	if d.Rack != "" && d.Rack != "/default-rack" {
		s.printf("Rack: %s\n", d.Rack)
	}
	s.printf("Decommission Status : %s\n", d.State)
	s.printf("Configured Capacity: %s\nDFS Used: %s\nNon DFS Used: %s\nDFS Remaining: %s\nDFS Used%%: %s\nDFS "+
		"Remaining%%: %s\n",
		amount(d.Capacity), amount(d.Used), amount(d.NonDFSUsed), amount(d.Remaining), percent(d.Used, d.Capacity),
		percent(d.Remaining, d.Capacity))
	rest := d.CacheCapacity - d.CacheUsed
	s.printf("Configured Cache Capacity: %s\nCache Used: %s\nCache Remaining: %s\nCache Used%%: %s\nCache Remaining%%: "+
		"%s\n",
		amount(d.CacheCapacity), amount(d.CacheUsed), amount(rest), percent(d.CacheUsed, d.CacheCapacity),
		remaining(rest, d.CacheCapacity))
	s.printf("Xceivers: %d\nLast contact: %s\nLast Block Report: %s\nNum of Blocks: %d\n\n\n", d.Xceivers,
		date(d.LastContact), date(d.LastReport), d.Blocks)
}

// percent returns part as a percentage of whole. If whole is 0, it returns 100%, because nothing is
// free.
func percent(part, whole int64) string {
	if whole <= 0 {
		return "100.00%"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(part)/float64(whole))
}

// remaining returns part as a percentage of whole, or 0% if whole is 0.
func remaining(part, whole int64) string {
	if whole <= 0 {
		return "0.00%"
	}
	return percent(part, whole)
}

// date formats a time as Java does, and the zero time as "Never".
func date(t time.Time) string {
	if t.IsZero() {
		return "Never"
	}
	return t.Local().Format("Mon Jan 02 15:04:05 MST 2006")
}

// amount formats a number of bytes twice, exactly and in human-readable form.
func amount(n int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB", "PB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v /= 1024
		u++
	}
	text := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
	return fmt.Sprintf("%d (%s %s)", n, text, units[u])
}

// stateNames contains the names of DataNode states in -printTopology.
var stateNames = map[admin.State]string{admin.InService: "In Service",
	admin.Decommissioning: "Decommission In Progress", admin.Decommissioned: "Decommissioned",
	admin.EnteringMaintenance: "Entering Maintenance", admin.InMaintenance: "In Maintenance"}

// topology prints the racks and their nodes, sorted by name.
func (s *shell) topology([]string) error {
	nodes, err := s.c.Report(s.ctx)
	if err != nil {
		return err
	}
	racks := map[string][]string{}
	var names []string
	for _, d := range nodes {
		if racks[d.Rack] == nil {
			names = append(names, d.Rack)
		}
		racks[d.Rack] = append(racks[d.Rack], fmt.Sprintf("   %s (%s) %s", d.Addr(), d.Host, stateNames[d.State]))
	}
	slices.Sort(names)
	for _, r := range names {
		slices.Sort(racks[r])
		s.printf("Rack: %s\n%s\n\n", r, strings.Join(racks[r], "\n"))
	}
	return nil
}
