package fs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/dfs"
)

// quotaTypes are the storage types with quotas, in Hadoop's order.
var quotaTypes = []string{"SSD", "DISK", "ARCHIVE", "PROVIDED", "NVDIMM"}

// counter prints the output of -count.
type counter struct {
	*shell
	o     options
	types []string // storage types to print quotas for; nil = print counts
}

func count(s *shell, o options, args []string) error {
	c := &counter{shell: s, o: o}
	if o.has("t") && (o.has("q") || o.has("u")) {
		if err := c.parseTypes(o["t"]); err != nil {
			return err
		}
	}
	if o.has("x") && (o.has("q") || o.has("u")) {
		s.printf("q or u option is given, the -x option is ignored.\n")
		delete(o, "x")
	}
	if o.has("v") {
		c.header()
	}
	s.each(args, c.line)
	return nil
}

// parseTypes parses the value of -t.
func (c *counter) parseTypes(list string) error {
	if list == "" || strings.EqualFold(list, "all") {
		c.types = quotaTypes
		return nil
	}
	for t := range strings.SplitSeq(list, ",") {
		t = strings.ToUpper(t)
		if !slices.Contains(quotaTypes, t) && t != "RAM_DISK" {
			return usagef("No enum constant org.apache.hadoop.fs.StorageType.%s", t)
		}
		c.types = append(c.types, t)
	}
	return nil
}

// Formats of the columns.
const (
	quotaColumns    = "%12s %15s %15s %15s "
	countColumns    = "%12s %12s %18s "
	typeColumns     = "%14s %18s "
	policyColumn    = "%20s "
	snapshotColumns = "%18s %24s %24s %28s "
)

// replicated is the policy name that HDFS shows for files without erasure coding.
const replicated = "Replicated"

func (c *counter) header() {
	switch {
	case c.types != nil:
		for _, t := range c.types {
			c.printf(typeColumns, t+"_QUOTA", "REM_"+t+"_QUOTA")
		}
	default:
		if c.o.has("q") || c.o.has("u") {
			c.printf(quotaColumns, "QUOTA", "REM_QUOTA", "SPACE_QUOTA", "REM_SPACE_QUOTA")
		}
		if !c.o.has("u") {
			c.printf(countColumns, "DIR_COUNT", "FILE_COUNT", "CONTENT_SIZE")
		}
		if c.o.has("e") {
			c.printf(policyColumn, "ERASURECODING_POLICY")
		}
		if c.o.has("s") {
			c.printf(snapshotColumns, "SNAPSHOT_LENGTH", "SNAPSHOT_FILE_COUNT", "SNAPSHOT_DIR_COUNT", "SNAPSHOT_SPACE_CONSUMED")
		}
	}
	c.printf("PATHNAME\n")
}

func (c *counter) line(i *item) error {
	t, err := c.present(c.o, i)
	if err != nil {
		return err
	}
	switch {
	case c.types != nil:
		c.typeQuotas(t)
	default:
		if c.o.has("q") || c.o.has("u") {
			c.quotas(t)
		}
		if !c.o.has("u") {
			c.printf(countColumns, size(c.o, t.Dirs), size(c.o, t.Files), size(c.o, t.Bytes))
		}
		if c.o.has("e") {
			policy := t.ErasureCoding
			if policy != replicated {
				policy = "EC:" + policy
			}
			c.printf(policyColumn, policy)
		}
		if c.o.has("s") {
			c.printf(snapshotColumns, size(c.o, t.Snapshot.Bytes), size(c.o, t.Snapshot.Files), size(c.o, t.Snapshot.Dirs),
				size(c.o, t.Snapshot.Space))
		}
	}
	c.printf("%s\n", i.shown)
	return nil
}

// quotas prints each quota and how much of it is unused.
func (c *counter) quotas(t dfs.Summary) {
	names, rest, space, restSpace := "none", "inf", "none", "inf"
	if t.Quota > 0 {
		names, rest = fmt.Sprint(t.Quota), fmt.Sprint(t.Quota-t.Dirs-t.Files)
	}
	if t.SpaceQuota >= 0 {
		space, restSpace = size(c.o, t.SpaceQuota), size(c.o, t.SpaceQuota-t.Space)
	}
	c.printf(quotaColumns, names, rest, space, restSpace)
}

func (c *counter) typeQuotas(t dfs.Summary) {
	for _, name := range c.types {
		quota, rest := "none", "inf"
		for _, q := range t.TypeQuotas {
			if q.Type == name && q.Quota >= 0 {
				quota, rest = size(c.o, q.Quota), size(c.o, q.Quota-q.Used)
			}
		}
		c.printf(typeColumns, quota, rest)
	}
}
