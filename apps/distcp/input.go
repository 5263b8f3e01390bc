package distcp

import (
	"context"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// The keys under which the driver tells the maps what to do.
const (
	keyListing  = "distcp.listing.file.path"
	keyBytes    = "distcp.total.bytes" // of all files
	keyMaps     = "distcp.max.maps"
	keyTarget   = "distcp.target.final.path" // of its root, with scheme: the listing has only paths
	keyWork     = "distcp.target.work.path"  // where files come about, on the target's file system
	keyUpdate   = "distcp.sync.folders"
	keyReplace  = "distcp.copy.overwrite"
	keyIgnore   = "distcp.ignore.failures"
	keyNoCheck  = "distcp.skip.crc"
	keyPreserve = "distcp.preserve.status"

	keyBandwidth = "distcp.map.bandwidth.mb" // of each map, in MiB/s; 0 = as fast as it can
)

// input hands each map a stretch of the listing.
type input struct{ mapreduce.TextInput }

// Splits cuts the listing by the sizes of the files in it.
func (input) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	name := env.Conf.Get(keyListing)
	maps, err := env.Conf.Int(keyMaps, defaultMaps, 1, maxMaps)
	if err != nil {
		return nil, err
	}
	total, err := env.Conf.Int(keyBytes, 0, 0, 1<<62)
	if err != nil {
		return nil, err
	}
	fs, p, err := env.FS.Resolve(name)
	if err != nil {
		return nil, err
	}
	f, err := fs.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stretches, err := cut(f, total, int(maps))
	if err != nil {
		return nil, err
	}
	out := make([]mapreduce.Split, len(stretches))
	for i, s := range stretches {
		// A reader of lines that does not begin at the file's begin leaves out what is left of a line; so it gets the end of the
		// line before.
		start, end := max(s.start-1, 0), s.end-1
		out[i] = mapreduce.Split{Chunks: []mapreduce.Chunk{{Path: name, Start: start, Length: end - start}}, Length: s.bytes}
	}
	return out, nil
}

// settings are what the maps read from the job's configuration.
func (o *options) settings(c *conf.Config) {
	for key, v := range map[string]bool{keyUpdate: o.update, keyReplace: o.overwrite, keyIgnore: o.ignore, keyNoCheck: o.skipCheck} {
		if v {
			c.Set(key, "true", "distcp")
		}
	}
	c.Set(keyPreserve, o.preserve, "distcp")
	if o.bandwidth != "" {
		c.Set(keyBandwidth, o.bandwidth, "-bandwidth")
	}
}

// bandwidth gives what a map may copy, in bytes a second; 0 = as much as it can.
func bandwidth(c *conf.Config) (float64, error) {
	mb, err := c.Float(keyBandwidth, 0, 0, maxBandwidth)
	return mb * (1 << 20), err
}
