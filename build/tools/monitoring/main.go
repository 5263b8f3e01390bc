// Command monitoring checks the alert rules and the dashboards in a directory with Prometheus's own
// parsers. Every query of a dashboard must be valid PromQL.
//
//	monitoring DIR
package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

var promql = parser.NewParser(parser.Options{})

func main() {
	var errs []error
	for _, dir := range os.Args[1:] {
		rules, _ := filepath.Glob(filepath.Join(dir, "*.yaml"))
		for _, file := range rules {
			_, e := rulefmt.ParseFile(file, false, model.UTF8Validation, promql, slog.New(slog.DiscardHandler))
			errs = append(errs, e...)
		}
		dashboards, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, file := range dashboards {
			errs = append(errs, dashboard(file)...)
		}
		if len(rules) == 0 || len(dashboards) == 0 {
			errs = append(errs, fmt.Errorf("%s: no rules or no dashboard", dir))
		}
	}
	for _, err := range errs {
		fmt.Fprintln(os.Stderr, "monitoring:", err)
	}
	if len(errs) > 0 || len(os.Args) < 2 {
		os.Exit(1)
	}
}

// dashboard checks the queries of a Grafana dashboard.
func dashboard(file string) (errs []error) {
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		return []error{fmt.Errorf("%s: %w", file, err)}
	}
	for _, p := range d.Panels {
		for _, t := range p.Targets {
			query := strings.ReplaceAll(t.Expr, "$__rate_interval", "1m") // Grafana replaces it
			if _, err := promql.ParseExpr(query); err != nil {
				errs = append(errs, fmt.Errorf("%s: panel %q: %q: %w", file, p.Title, query, err))
			}
		}
	}
	return errs
}
