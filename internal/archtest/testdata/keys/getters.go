package example

import "github.com/howdah/howdah/conf"

const key = "io.map.index.interval"

func getters(c *conf.Config, name string, def int64) {
	_, _ = c.Int(key, 1, 0, 9) // want "Int: declare the key"
	_ = c.Get("fs.defaultFS")  // want "Get: declare the key"
	_, _, _ = c.Lookup(key)    // want "Lookup: declare the key"
	_ = c.IsDefault(key)       // want "IsDefault: declare the key"
	_, _ = c.Bool(name, true)  // want "Bool: declare the key"
	_, _, _ = c.Lookup(name)
	_ = c.IsDefault(conf.IOMapIndexInterval.Name)

	_, _ = conf.IOMapIndexInterval.GetOr(c, 128) // want "GetOr: declare the default"
	_, _ = conf.IOMapIndexInterval.GetOr(c, def)
	_, _ = conf.IOMapIndexInterval.Get(c)
}
