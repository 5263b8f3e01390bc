package webui

import (
	"fmt"
	"html/template"
	"strings"
	"time"
)

// functions are what templates may call.
var functions = template.FuncMap{
	"clock":    clock,
	"daytime":  daytime,
	"short":    short,
	"span":     span,
	"ago":      func(ms int64) string { return span(ms, time.Now().UnixMilli()) },
	"percent":  percent,
	"thousand": thousand,
	"lower":    strings.ToLower,
	"pct":      func(part, whole int32) string { return percent(share(part, whole)) },
	"share":    share,
	"fraction": func(f float64) float32 { return float32(f) },
	"deadline": deadline,
	"late":     late,

	"millis":      func(n int64) string { return span(1, n+1) },
	"mib":         func(bytes int64) string { return thousand(bytes >> 20) },
	"thousandths": func(n int64) string { return fmt.Sprintf("%.2f CPUs", float64(n)/1000) },
}

// clock prints a moment; 0 is not yet.
func clock(ms int64) string {
	if ms == 0 {
		return "–"
	}
	return time.UnixMilli(ms).Format("2 Jan 15:04:05")
}

// daytime prints a moment of the job's own day.
func daytime(ms int64) string {
	if ms == 0 {
		return "–"
	}
	return time.UnixMilli(ms).Format("15:04:05")
}

// short leaves out of an attempt's id what the page's title says already: m_000003_0.
func short(id string) string {
	f := strings.SplitN(id, "_", 4)
	if len(f) < 4 {
		return id
	}
	return f[3]
}

// span prints the time between two moments; an open end counts up to now.
func span(from, to int64) string {
	if from == 0 {
		return "–"
	}
	if to == 0 {
		to = time.Now().UnixMilli()
	}
	d := time.Duration(max(0, to-from)) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// percent prints a share from 0 to 1. What is not quite done does not read 100.
func percent(f float32) string {
	p := int(f * 100)
	return fmt.Sprintf("%d%%", min(max(p, 0), 100))
}

func share(part, whole int32) float32 {
	if whole <= 0 {
		return 0
	}
	return float32(part) / float32(whole)
}

// thousand groups digits: 1,234,567.
func thousand(n int64) string {
	s := fmt.Sprint(n)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "-" + s
	}
	return s
}
