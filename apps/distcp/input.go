package distcp

import (
	"context"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// Keys of the maps' settings.
const (
	keyListing  = "distcp.listing.file.path"
	keyBytes    = "distcp.total.bytes" // total size of all files
	keyMaps     = "distcp.max.maps"
	keyTarget   = "distcp.target.final.path" // with scheme, unlike the targets in the listing
	keyWork     = "distcp.target.work.path"  // directory of unfinished copies, on the target's file system
	keyUpdate   = "distcp.sync.folders"
	keyReplace  = "distcp.copy.overwrite"
	keyIgnore   = "distcp.ignore.failures"
	keyNoCheck  = "distcp.skip.crc"
	keyPreserve = "distcp.preserve.status"

	keyBandwidth = "distcp.map.bandwidth.mb" // per map, in MiB/s; 0 means no limit
)

// input assigns each map a part of the listing.
type input struct{ mapreduce.TextInput }

// Splits divides the listing into parts of about the same number of bytes to copy.
func (input) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	name := conf.DistCpListingFilePath.Get(env.Conf)
	r := conf.Reader{Conf: env.Conf}
	maps, total := conf.DistCpMaxMaps.From(&r), conf.DistCpTotalBytes.From(&r)
	if r.Err != nil {
		return nil, r.Err
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
		// A line reader that does not start at offset 0 skips the first, partial line. The range
		// therefore starts with the end of the previous line.
		start, end := max(s.start-1, 0), s.end-1
		out[i] = mapreduce.Split{Chunks: []mapreduce.Chunk{{Path: name, Start: start, Length: end - start}}, Length: s.bytes}
	}
	return out, nil
}

// settings adds the maps' settings to the job's configuration.
func (o *options) settings(c *conf.Config) {
	for key, v := range map[string]bool{keyUpdate: o.update, keyReplace: o.overwrite, keyIgnore: o.ignore,
		keyNoCheck: o.skipCheck} {
		if v {
			c.Set(key, "true", "distcp")
		}
	}
	c.Set(keyPreserve, o.preserve, "distcp")
	if o.bandwidth != "" {
		c.Set(keyBandwidth, o.bandwidth, "-bandwidth")
	}
}

// bandwidth returns a map's limit in bytes per second; 0 means no limit.
func bandwidth(c *conf.Config) (float64, error) {
	mb, err := conf.DistCpMapBandwidthMB.Get(c)
	return mb * (1 << 20), err
}
