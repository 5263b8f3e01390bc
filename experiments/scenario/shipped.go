package scenario

import (
	"embed"
	"strings"
)

//go:embed shipped/*.yaml
var shipped embed.FS

// ShippedNames returns the names of the scenarios that howdah includes.
func ShippedNames() (names []string) {
	list, _ := shipped.ReadDir("shipped")
	for _, e := range list {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Shipped returns the text of a scenario that howdah includes.
func Shipped(name string) (text string, ok bool) {
	b, err := shipped.ReadFile("shipped/" + name + ".yaml")
	return string(b), err == nil
}
