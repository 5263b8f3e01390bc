package inspect

import (
	"math"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// jmx serves the metrics and the runtime in the form of Hadoop's JMXJsonServlet.
type jmx struct {
	process string
	metrics prometheus.Gatherer
}

// bean is a bean's attributes, with its name under "name".
type bean map[string]any

// sources maps the prefix of a metric to the bean of Hadoop 1 that has its counterparts, and to what
// Hadoop's attributes keep of the prefix. The first match applies.
var sources = []struct{ prefix, bean, keep string }{
	{"mapred_jobtracker_", "JobTrackerMetrics", ""},
	{"mapred_tasktracker_shuffle_", "ShuffleServerMetrics", "shuffle_"},
	{"mapred_tasktracker_", "TaskTrackerMetrics", ""},
	{"howdah_mrcluster_", "PoolMetrics", ""},
}

// ServeHTTP answers all beans, those whose names match ?qry, or one attribute with ?get=BEAN::NAME.
func (j *jmx) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	families, err := j.metrics.Gather()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	beans := append(j.runtime(families), j.own(families)...)
	if get := r.FormValue("get"); get != "" {
		name, attribute, _ := strings.Cut(get, "::")
		i := slices.IndexFunc(beans, func(b bean) bool { return b["name"] == name })
		if i < 0 || beans[i][attribute] == nil {
			w.WriteHeader(http.StatusNotFound)
			writeJSON(w, map[string]string{"result": "ERROR",
				"message": "No attribute with name " + attribute + " was found."})
			return
		}
		beans = []bean{{"name": name, "modelerType": beans[i]["modelerType"], attribute: beans[i][attribute]}}
	} else if query := r.FormValue("qry"); query != "" {
		query = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(query))
		pattern := regexp.MustCompile("^" + query + "$")
		beans = slices.DeleteFunc(beans, func(b bean) bool { return !pattern.MatchString(b["name"].(string)) })
	}
	writeJSON(w, map[string]any{"beans": beans})
}

// own returns beans of the daemon's metrics. Each set of labels has its own bean, whose name
// contains the labels.
func (j *jmx) own(families []*dto.MetricFamily) (beans []bean) {
	byName := map[string]bean{}
	for _, f := range families {
		for _, s := range sources {
			rest, ok := strings.CutPrefix(f.GetName(), s.prefix)
			if !ok {
				continue
			}
			for _, m := range f.GetMetric() {
				name := "Hadoop:service=" + j.process + ",name=" + s.bean
				for _, l := range m.GetLabel() {
					name += "," + l.GetName() + "=" + quoted(l.GetValue())
				}
				b := byName[name]
				if b == nil {
					b = bean{"name": name, "modelerType": s.bean, "tag.Context": "mapred"}
					byName[name] = b
					beans = append(beans, b)
				}
				b.add(s.keep+strings.TrimSuffix(rest, "_total"), m)
			}
			break
		}
	}
	return beans
}

// add adds a metric. A histogram of seconds becomes a count and an average in milliseconds, as in
// Hadoop.
func (b bean) add(name string, m *dto.Metric) {
	h := m.GetHistogram()
	if h == nil {
		b[name] = number(value(m))
		return
	}
	name = strings.TrimSuffix(name, "_seconds")
	b[name+"_num_ops"] = h.GetSampleCount()
	b[name+"_avg_time"] = number(1000 * h.GetSampleSum() / math.Max(1, float64(h.GetSampleCount())))
}

func value(m *dto.Metric) float64 {
	return m.GetGauge().GetValue() + m.GetCounter().GetValue() // a metric has one of them
}

// number returns x as JSON can represent it. Hadoop, too, writes NaN as a text.
func number(x float64) any {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return strconv.FormatFloat(x, 'g', -1, 64)
	case x == math.Trunc(x) && math.Abs(x) < 1<<53:
		return int64(x)
	}
	return x
}

// quoted returns a value for a bean's name. It quotes a value that contains JMX's separators.
func quoted(s string) string {
	if strings.ContainsAny(s, ",=:*?\"\n") {
		return strconv.Quote(s)
	}
	return s
}

// runtime returns the beans of the process, with the names that a Java process has. Times are in
// milliseconds, except ProcessCpuTime, which is in nanoseconds.
func (j *jmx) runtime(families []*dto.MetricFamily) []bean {
	v := map[string]float64{}
	var collections, pauses float64
	for _, f := range families {
		if m := f.GetMetric(); len(m) == 1 {
			v[f.GetName()] = value(m[0])
			if f.GetName() == "go_gc_duration_seconds" {
				collections, pauses = float64(m[0].GetSummary().GetSampleCount()), 1000*m[0].GetSummary().GetSampleSum()
			}
		}
	}
	host, _ := os.Hostname()
	used := v["go_memstats_heap_alloc_bytes"]
	committed := v["go_memstats_heap_sys_bytes"] - v["go_memstats_heap_released_bytes"]
	return []bean{
		{"name": "java.lang:type=Runtime", "modelerType": "runtime", "Name": strconv.Itoa(os.Getpid()) + "@" + host,
			"VmName": "Go", "VmVersion": runtime.Version(),
			"StartTime": number(math.Round(1000 * v["process_start_time_seconds"]))},
		{"name": "java.lang:type=Memory", "modelerType": "runtime",
			"HeapMemoryUsage": map[string]any{"used": number(used), "committed": number(committed)}},
		{"name": "java.lang:type=Threading", "modelerType": "runtime", "ThreadCount": number(v["go_threads"])},
		{"name": "java.lang:type=OperatingSystem", "modelerType": "runtime", "Name": runtime.GOOS, "Arch": runtime.GOARCH,
			"AvailableProcessors": runtime.NumCPU(), "OpenFileDescriptorCount": number(v["process_open_fds"]),
			"MaxFileDescriptorCount": number(v["process_max_fds"]),
			"ProcessCpuTime":         number(math.Round(1e9 * v["process_cpu_seconds_total"]))},
		{"name": "java.lang:type=GarbageCollector,name=Go", "modelerType": "runtime",
			"CollectionCount": number(collections), "CollectionTime": number(math.Round(pauses))},
		{"name": "Hadoop:service=" + j.process + ",name=JvmMetrics", "modelerType": "JvmMetrics",
			"MemHeapUsedM": used / (1 << 20), "MemHeapCommittedM": committed / (1 << 20), "GcCount": number(collections),
			"GcTimeMillis": number(math.Round(pauses)), "Goroutines": number(v["go_goroutines"])},
	}
}
