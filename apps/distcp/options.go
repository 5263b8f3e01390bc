package distcp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
)

const usage = "[-update | -overwrite] [-delete] [-p[rbugpt]] [-i] [-m MAPS] [-bandwidth MB] [-skipcrccheck] " +
	"[-log DIR] <src>... <dst>"

type options struct {
	update    bool   // keep target files that are known to equal their sources; replace all others
	overwrite bool   // replace target files even if they are equal
	delete    bool   // delete target files that the source lacks
	ignore    bool   // do not fail the job if a file cannot be copied
	skipCheck bool   // do not compare checksums
	preserve  string // letters of -p; "" preserves nothing
	maps      int
	bandwidth string // MB/s per map; "" means the configured limit
	log       string // directory for the maps' results; "" means that they are not kept
	sources   []string
	target    string
}

// allAttributes contains a letter for each attribute that -p can preserve. It is the default of -p.
const allAttributes = "rbugpt"

// contents reports whether to copy the contents of source directories instead of the directories
// themselves, as Hadoop does with -update and -overwrite.
func (o *options) contents() bool { return o.update || o.overwrite }

func parseArgs(args []string) (*options, error) {
	o := &options{maps: int(conf.DistCpMaxMaps.BuiltIn())}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option := args[0]
		args = args[1:]
		value := func() (string, error) {
			if len(args) == 0 {
				return "", fmt.Errorf("Missing argument for option: %s", strings.TrimPrefix(option, "-"))
			}
			v := args[0]
			args = args[1:]
			return v, nil
		}
		var err error
		switch {
		case option == "-update":
			o.update = true
		case option == "-overwrite":
			o.overwrite = true
		case option == "-delete":
			o.delete = true
		case option == "-i":
			o.ignore = true
		case option == "-skipcrccheck":
			o.skipCheck = true
		case option == "-m":
			var v string
			if v, err = value(); err == nil {
				if o.maps, err = strconv.Atoi(v); err != nil || o.maps < 1 || int64(o.maps) > conf.DistCpMaxMaps.Max() {
					err = fmt.Errorf("Number of maps is invalid: %s", v)
				}
			}
		case option == "-bandwidth":
			if o.bandwidth, err = value(); err == nil {
				_, most := conf.DistCpMapBandwidthMB.Bounds()
				if mb, e := strconv.ParseFloat(o.bandwidth, 64); e != nil || !(mb > 0) || mb > most {
					err = fmt.Errorf("Bandwidth specified is not positive: %s", o.bandwidth)
				}
			}
		case option == "-log":
			o.log, err = value()
		case strings.HasPrefix(option, "-p"):
			if o.preserve = option[2:]; o.preserve == "" {
				o.preserve = allAttributes
			}
			if strings.Trim(o.preserve, allAttributes) != "" {
				err = fmt.Errorf("%s: want only letters from %s", option, allAttributes)
			}
		default:
			err = fmt.Errorf("Unrecognized option: %s", option)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case len(args) == 0:
		return nil, errors.New("Target path not specified")
	case len(args) == 1:
		return nil, errors.New("Source paths not specified")
	case o.update && o.overwrite:
		return nil, errors.New("Overwrite and update options are mutually exclusive")
	case o.delete && !o.contents():
		return nil, errors.New("Delete missing is applicable only with update or overwrite options")
	case o.skipCheck && !o.update:
		return nil, errors.New("Skip CRC is valid only with update options")
	}
	o.sources, o.target = args[:len(args)-1], args[len(args)-1]
	return o, nil
}
