package distcp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const usage = "[-update | -overwrite] [-delete] [-p[rbugpt]] [-i] [-m MAPS] [-bandwidth MB] [-skipcrccheck] [-log DIR] <src>... <dst>"

// options are the arguments.
type options struct {
	update    bool // files of the target that differ are replaced, those that are equal stay
	overwrite bool // all are replaced
	delete    bool // what the source has not is deleted in the target
	ignore    bool // files that cannot be copied do not end the job
	skipCheck bool // checksums are not compared
	preserve  string
	maps      int
	bandwidth string // MB/s of each map; "" = as the configuration says
	log       string // directory for what the maps tell; "" = nobody wants it
	sources   []string
	target    string
}

const (
	defaultMaps     = 20
	maxMaps         = 100_000
	maxBandwidth    = 1e9      // MB/s
	allAttributes   = "rbugpt" // what -p alone keeps
	knownAttributes = "rbugpt"
)

// contents reports whether the contents of source directories are copied, rather than the directories themselves, as Hadoop
// does with -update and -overwrite.
func (o *options) contents() bool { return o.update || o.overwrite }

func parseArgs(args []string) (*options, error) {
	o := &options{maps: defaultMaps}
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
				if o.maps, err = strconv.Atoi(v); err != nil || o.maps < 1 || o.maps > maxMaps {
					err = fmt.Errorf("Number of maps is invalid: %s", v)
				}
			}
		case option == "-bandwidth":
			if o.bandwidth, err = value(); err == nil {
				if mb, e := strconv.ParseFloat(o.bandwidth, 64); e != nil || !(mb > 0) || mb > maxBandwidth {
					err = fmt.Errorf("Bandwidth specified is not positive: %s", o.bandwidth)
				}
			}
		case option == "-log":
			o.log, err = value()
		case strings.HasPrefix(option, "-p"):
			if o.preserve = option[2:]; o.preserve == "" {
				o.preserve = allAttributes
			}
			if strings.Trim(o.preserve, knownAttributes) != "" {
				err = fmt.Errorf("%s: only %s can be preserved", option, knownAttributes)
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
