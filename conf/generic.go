package conf

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// GenericOptions are Hadoop's options that precede a command's own arguments.
type GenericOptions struct {
	ConfigDir string     // --config DIR; "" means $HOWDAH_CONF_DIR, else $HADOOP_CONF_DIR, else none
	Files     []string   // -conf FILE, in order
	Set       []Property // all other options, in order; Source is the option
}

// ParseGeneric parses the generic options at the start of args and returns the rest. The options
// are -conf FILE, -D key=value, -Dkey=value, -fs URI, -jt local|host:port, --mrcluster NAME, -files
// LIST, -archives LIST, -libjars LIST, -tokenCacheFile FILE, and --config DIR. ParseGeneric stops
// at the first other argument. Errors are of kind Usage.
func ParseGeneric(args []string) (GenericOptions, []string, error) {
	var o GenericOptions
	for len(args) > 0 {
		name, value, glued := split(args[0])
		if name == "" {
			return o, args, nil
		}
		used := 1
		if !glued {
			if len(args) < 2 {
				return o, args, usage(args[0], "give a value after it")
			}
			value, used = args[1], 2
		}
		if err := o.add(name, value); err != nil {
			return o, args, err
		}
		args = args[used:]
	}
	return o, args, nil
}

// IsGeneric reports whether arg is or begins with a generic option.
func IsGeneric(arg string) bool {
	name, _, _ := split(arg)
	return name != ""
}

// split returns the name of the generic option in arg. If arg also contains the option's value,
// glued is true. If arg is not a generic option, the name is empty.
func split(arg string) (name, value string, glued bool) {
	if len(arg) > 2 && strings.HasPrefix(arg, "-D") && strings.Contains(arg, "=") {
		return "-D", arg[2:], true
	}
	name, value, glued = strings.Cut(arg, "=")
	switch name {
	case "-conf", "--conf":
		return "-conf", value, glued
	case "-fs", "--fs":
		return "-fs", value, glued
	case "-jt", "--jt":
		return "-jt", value, glued
	case "-mrcluster", "--mrcluster":
		return "--mrcluster", value, glued
	case "--config", "-D", "-files", "-archives", "-libjars", "-tokenCacheFile":
		return name, value, glued
	}
	return "", "", false
}

func (o *GenericOptions) add(name, value string) error {
	switch name {
	case "--config":
		o.ConfigDir = value
	case "-conf":
		o.Files = append(o.Files, value)
	case "-fs":
		switch {
		case value == "local":
			value = "file:///"
		case !strings.Contains(value, "/"): // host:port
			value = "hdfs://" + value
		}
		o.Set = append(o.Set, Property{"fs.defaultFS", value, name})
	case "-jt":
		framework := "classic" // takes precedence over the files
		if value == "local" {
			framework = "local"
		}
		o.Set = append(o.Set, Property{"mapreduce.jobtracker.address", value, name},
			Property{"mapreduce.framework.name", framework, name},
			Property{"howdah.mrcluster.name", "", name})
	case "--mrcluster":
		if value == "" {
			return usage(name, "name an MR-cluster: howdah mrcluster list tells which there are")
		}
		o.Set = append(o.Set, Property{"howdah.mrcluster.name", value, name})
	case "-D":
		k, v, ok := strings.Cut(value, "=")
		if k = strings.TrimSpace(k); !ok || k == "" {
			return usage("-D "+value, "write -D key=value")
		}
		o.Set = append(o.Set, Property{k, v, name})
	case "-files", "-archives", "-libjars":
		o.takeAlong(Property{takenAlong[name], value, name})
	case "-tokenCacheFile":
		o.Set = append(o.Set, Property{"mapreduce.job.credentials.binary", value, name})
	}
	return nil
}

// takenAlong maps the options for the distributed cache to the keys that they set. The keys' values
// list URIs and paths on the client's machine.
var takenAlong = map[string]string{"-files": "tmpfiles", "-archives": "tmparchives", "-libjars": "tmpjars"}

// takeAlong appends the value of p, an option in takenAlong, to the list in the option's key. If an
// option occurs twice, the key contains both lists.
func (o *GenericOptions) takeAlong(p Property) {
	for i := range o.Set {
		if o.Set[i].Name == p.Name && o.Set[i].Source == p.Source {
			o.Set[i].Value += "," + p.Value
			return
		}
	}
	o.Set = append(o.Set, p)
}

func usage(option, remedy string) error {
	return failure.New(failure.Usage, "read option", option, nil).Fix(remedy)
}

// And returns the options in o followed by those in more, which take precedence.
func (o GenericOptions) And(more GenericOptions) GenericOptions {
	if more.ConfigDir != "" {
		o.ConfigDir = more.ConfigDir
	}
	o.Files = append(slices.Clip(o.Files), more.Files...)
	o.Set = slices.Clone(o.Set)
	for _, p := range more.Set {
		if takenAlong[p.Source] != "" {
			o.takeAlong(p)
		} else {
			o.Set = append(o.Set, p)
		}
	}
	return o
}

// Args returns the options as arguments for another program.
func (o GenericOptions) Args() []string {
	var out []string
	if o.ConfigDir != "" {
		out = append(out, "--config", o.ConfigDir)
	}
	for _, f := range o.Files {
		out = append(out, "-conf", f)
	}
	for _, p := range o.Set {
		out = append(out, "-D", p.Name+"="+p.Value)
	}
	return out
}

// Load reads all sources that the options name: site files, -conf files, and settings. A site file
// may be missing, but a configuration directory named by --config or the environment must exist. If
// there is an error, Load returns the first one together with the settings that it could read.
// After an error in a site file, it skips the remaining site files.
func (o GenericOptions) Load() (*Config, error) {
	c := New()
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	if dir, from := o.dir(); dir != "" {
		note(c.loadDir(dir, from))
	}
	for _, f := range o.Files {
		note(c.LoadFile(f))
	}
	for _, p := range o.Set {
		c.Set(p.Name, p.Value, p.Source)
	}
	note(c.Check())
	return c, first
}

// dir returns the configuration directory and the option or variable that named it.
func (o GenericOptions) dir() (dir, from string) {
	if o.ConfigDir != "" {
		return o.ConfigDir, "--config"
	}
	for _, env := range []string{"HOWDAH_CONF_DIR", "HADOOP_CONF_DIR"} {
		if d := os.Getenv(env); d != "" {
			return d, "$" + env
		}
	}
	return "", ""
}

func (c *Config) loadDir(dir, from string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return failure.New(failure.Config, "read configuration directory", dir, err).Fix(from + " must name a directory")
	}
	c.dir = dir
	for _, name := range []string{"core-site.xml", "mapred-site.xml", "hdfs-site.xml"} {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); os.IsNotExist(err) {
			continue
		}
		if err := c.LoadFile(file); err != nil {
			return err
		}
	}
	return nil
}
